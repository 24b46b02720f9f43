/**
 * The index over a register: every name a document, its words and letter triples in postings, identifiers as exact keys,
 * addresses as bags of words. Pure and rebuilt from the companies alone; knows nothing of queries' scores.
 */
import { fold, words } from './fold.ts'
import { normalisePostcode } from './identifiers.ts'
import { addKey, type Identifiers, identifiersOf, type KeyIndex, keysOf } from './keys.ts'
import type { LegalClass } from './legal-forms.ts'
import { oneVowel, parseName } from './name.ts'
import { buildPostings, type Postings, rarity } from './postings.ts'
import { charCode } from './similarity.ts'
import type { Company } from './types.ts'

/** Which kind of name a document is. */
type NameKind = 'name' | 'tradingName' | 'previousName'

/** Words numbered as they are met. */
interface Dictionary {
  readonly numbers: Map<string, number>
  readonly words: string[]
}

/** The built index; made by `buildIndex`, read by `match`. Companies keep their position; a document is one name of one company. */
export interface MatchIndex {
  readonly companies: readonly Company[]
  readonly identifiers: readonly Identifiers[]
  readonly dictionary: Dictionary
  /** Words of document d, in order: wordIds[wordStarts[d]] up to wordIds[wordStarts[d + 1]]. */
  readonly wordStarts: Uint32Array
  readonly wordIds: Int32Array
  readonly joined: readonly string[]
  readonly legal: readonly (LegalClass | null)[]
  readonly kinds: readonly NameKind[]
  /** The document's words with digits, sorted; '' for none. */
  readonly digits: readonly string[]
  readonly initials: readonly string[]
  readonly companyOf: Uint32Array
  /** Documents of company c: from documentStarts[c] up to documentStarts[c + 1]. */
  readonly documentStarts: Uint32Array
  readonly byWord: Postings
  readonly byTriple: Postings
  readonly keys: KeyIndex
  /** Documents by their words without spaces, by initials (behind a dot), and by their company's domain label. */
  readonly names: KeyIndex
  readonly address: {
    readonly numbers: Dictionary
    readonly starts: Uint32Array
    readonly ids: Int32Array
    readonly idf: Float32Array
  }
  readonly towns: readonly string[]
  readonly active: readonly boolean[]
  /** First label of each company's own domain, folded: `acmetools` of `www.acme-tools.co.uk`. */
  readonly labels: readonly string[]
}

/** The number of a word, given out when it is new. */
function numberOf(dictionary: Dictionary, word: string): number {
  const known = dictionary.numbers.get(word)
  if (known !== undefined) return known
  const fresh = dictionary.words.length
  dictionary.words.push(word)
  dictionary.numbers.set(word, fresh)
  return fresh
}

/** Letter triples of words, each word padded with a space at both ends, as numbers below TRIPLES; distinct, in order of first sight. */
export function triplesOf(list: readonly string[]): number[] {
  const found = new Set<number>()
  for (const word of list) {
    let code = 0
    for (let at = 0; at <= word.length; at++) {
      code = (code * 37 + (at < word.length ? charCode(word, at) : 0)) % TRIPLES
      if (at > 0) found.add(code)
    }
  }
  return [...found]
}

/** How many letter triples there are: 37 characters, cubed. */
const TRIPLES = 37 ** 3

/** A shorter domain label is as good as any acronym: no short cut to a company. */
const SHORTEST_LABEL = 4

/** First letters of a name of three words or more, `''` for shorter ones: the acronym it may be known by. */
export const initialsOf = (list: readonly string[]): string => (list.length < 3 ? '' : list.map(word => word.charAt(0)).join(''))

/** The words of a name that hold a digit, sorted: `Fund 2 of 2019` is `2 2019`. */
export const digitsOf = (list: readonly string[]): string =>
  list
    .filter(word => /\d/.test(word))
    .sort()
    .join(' ')

/** The words of an address that can be compared: without its postcode, which is a key and a feature of its own. */
export function addressWords(parts: readonly string[], postcode: string): string[] {
  const canonical = normalisePostcode(postcode)
  const list = parts.flatMap(part => words(part))
  return [...new Set(list)].filter(word => canonical === '' || !canonical.toLowerCase().includes(word) || word.length < 3)
}

/** False when the register calls the company anything but active; an empty status says nothing and counts as active. */
const isActive = ({ status }: Company): boolean =>
  status.trim() === '' || /^(?:active|aktiv|open|live|registered|current)/i.test(status.trim())

/** Builds the index. The companies are kept by reference and must not change afterwards. */
export function buildIndex(companies: readonly Company[]): MatchIndex {
  const dictionary: Dictionary = { numbers: new Map(), words: [] }
  const places: Dictionary = { numbers: new Map(), words: [] }
  const wordStarts = [0]
  const wordIds: number[] = []
  const joined: string[] = []
  const legal: (LegalClass | null)[] = []
  const kinds: NameKind[] = []
  const digits: string[] = []
  const acronyms: string[] = []
  const companyOf: number[] = []
  const documentStarts = new Uint32Array(companies.length + 1)
  const termStarts = [0]
  const terms: number[] = []
  const tripleStarts = [0]
  const triples: number[] = []
  const keys: KeyIndex = new Map()
  const names: KeyIndex = new Map()
  const placeStarts = [0]
  const placeIds: number[] = []
  const identifiers: Identifiers[] = []
  const towns: string[] = []
  const labels: string[] = []

  const addName = (company: number, kind: NameKind, text: string): void => {
    const parsed = parseName(text)
    if (parsed.words.length === 0) return
    const document = joined.length
    const numbers = parsed.words.map(word => numberOf(dictionary, word))
    for (const number of numbers) wordIds.push(number)
    wordStarts.push(wordIds.length)
    for (const number of new Set(numbers)) terms.push(number)
    termStarts.push(terms.length)
    for (const triple of triplesOf(parsed.words)) triples.push(triple)
    tripleStarts.push(triples.length)
    joined.push(parsed.words.join(''))
    legal.push(parsed.legal)
    kinds.push(kind)
    companyOf.push(company)
    addKey(names, joined[document]!, document)
    digits.push(digitsOf(parsed.words))
    const initials = initialsOf(parsed.words)
    acronyms.push(initials)
    if (initials !== '') addKey(names, `.${initials}`, document)
  }

  for (const [at, company] of companies.entries()) {
    documentStarts[at] = joined.length
    addName(at, 'name', company.name)
    for (const name of company.tradingNames) addName(at, 'tradingName', name)
    for (const name of company.previousNames) addName(at, 'previousName', name)
    const own = identifiersOf(company)
    identifiers.push(own)
    for (const key of keysOf(own, company.country)) addKey(keys, key, at)
    if (company.connectId !== company.id && company.connectId !== '') addKey(keys, `i${company.connectId}`, at)
    for (const word of addressWords([company.address1, company.address2, company.town], company.postcode))
      placeIds.push(numberOf(places, word))
    placeStarts.push(placeIds.length)
    towns.push(fold(company.town))
    const label = oneVowel(own.domain.split('.', 1)[0]!.replaceAll('-', ''))
    labels.push(label)
    if (label.length >= SHORTEST_LABEL && joined.length > documentStarts[at]!) addKey(names, label, documentStarts[at]!)
  }
  documentStarts[companies.length] = joined.length

  const held = new Uint32Array(places.words.length)
  for (const id of placeIds) held[id]!++
  return {
    companies,
    identifiers,
    dictionary,
    wordStarts: Uint32Array.from(wordStarts),
    wordIds: Int32Array.from(wordIds),
    joined,
    legal,
    kinds,
    digits,
    initials: acronyms,
    companyOf: Uint32Array.from(companyOf),
    documentStarts,
    byWord: buildPostings(Uint32Array.from(termStarts), Int32Array.from(terms), dictionary.words.length),
    byTriple: buildPostings(Uint32Array.from(tripleStarts), Int32Array.from(triples), TRIPLES),
    keys,
    names,
    address: {
      numbers: places,
      starts: Uint32Array.from(placeStarts),
      ids: Int32Array.from(placeIds),
      idf: Float32Array.from(held, count => rarity(count, companies.length)),
    },
    towns,
    active: companies.map(isActive),
    labels,
  }
}
