/** Compares a row with one company that no index has: the features and weights of matching, where every word counts as rare. */
import { parseCompanyName } from '../../normalise/company-name.ts'
import { normaliseText } from '../../normalise/text.ts'
import { readIdentifiers } from './blocking/blocking-keys.ts'
import { addressWords, domainLabel, type MatchIndex } from './blocking/match-index.ts'
import { scoreCompanies } from './decide/score.ts'
import { RowVectors, type Vector } from './features.ts'
import { type PreparedQuery, prepareQuery, withReadings } from './query.ts'
import { lettersOf } from './similarity.ts'
import type { Company, Query } from './types.ts'

/** Numbers words in order of first occurrence. */
class Words {
  readonly #numbers = new Map<string, number>()
  readonly #words: string[] = []

  add(word: string): number {
    const known = this.#numbers.get(word)
    if (known !== undefined) return known
    this.#numbers.set(word, this.#words.length)
    return this.#words.push(word) - 1
  }

  get size(): number {
    return this.#words.length
  }

  word = (number: number): string => this.#words[number]!
  letters = (number: number): number => lettersOf(this.word(number))
  number = (word: string): number => this.#numbers.get(word) ?? -1

  copy = (number: number, into: Uint8Array, at: number): number => {
    const word = this.word(number)
    for (let letter = 0; letter < word.length; letter++) into[at + letter] = word.charCodeAt(letter)
    return at + word.length
  }
}

const readText = (texts: readonly string[]) => ({
  at: (position: number): string => texts[position]!,
  is: (position: number, text: string): boolean => texts[position] === text,
  first: (position: number): number => (texts[position] === '' ? -1 : texts[position]!.charCodeAt(0)),
})

const LIKE_RARE = 1

/** What comparisons read of an index, of this company alone. No other company shares a key with it, as far as this shows. */
function viewCompany(company: Company): MatchIndex {
  const names = [company.name, ...company.tradingNames, ...company.previousNames]
  const kinds = names.map((_, at) => (at > company.tradingNames.length ? 'previousName' : at > 0 ? 'tradingName' : 'name'))
  const parsed = names.map(parseCompanyName)
  const kept = [...names.keys()].filter(at => parsed[at]!.words.length > 0)
  const [dictionary, places] = [new Words(), new Words()]
  const wordStarts = [0]
  const wordIds: number[] = []
  for (const at of kept) {
    for (const word of parsed[at]!.words) wordIds.push(dictionary.add(word))
    wordStarts.push(wordIds.length)
  }
  const address = addressWords([company.address1, company.address2, company.town], company.postcode).map(word => places.add(word))
  const identifiers = readIdentifiers(company)
  const { orgNumber, vatNumber, domain, phone, postcode } = identifiers
  const view = {
    dictionary,
    wordStarts: Uint32Array.from(wordStarts),
    wordIds: Uint32Array.from(wordIds),
    legal: readText(kept.map(at => parsed[at]!.legal ?? '')),
    marks: readText(kept.map(at => parsed[at]!.marks)),
    kinds: readText(kept.map(at => kinds[at]!)),
    companyOf: new Uint32Array(kept.length),
    documentStarts: Uint32Array.of(0, kept.length),
    byWord: { idf: new Float32Array(dictionary.size).fill(LIKE_RARE) },
    address: {
      dictionary: places,
      starts: Uint32Array.of(0, address.length),
      ids: Uint32Array.from(address),
      idf: new Float32Array(places.size).fill(LIKE_RARE),
    },
    identifiers: {
      orgNumber: readText([orgNumber]),
      vatNumber: readText([vatNumber]),
      domain: readText([domain]),
      phone: readText([phone]),
      postcode: readText([postcode]),
    },
    companies: { length: 1, id: () => company.id, at: () => company },
    countries: readText([company.country]),
    towns: readText([normaliseText(company.town)]),
    labels: readText([domainLabel(domain)]),
    active: Uint8Array.of(1),
    keys: { lookup: () => [] },
  }
  return view as unknown as MatchIndex
}

export interface Comparison {
  readonly vector: Vector
  /** The evidence that the row is this company, for a list that is half in the register. */
  readonly logOdds: number
  /** Both have a name. */
  readonly isNamed: boolean
}

/** Compares a row with a company by all readings of its name; the best counts. Pure and deterministic. */
export function compareWith(query: Query, company: Company): Comparison {
  const index = viewCompany(company)
  const first = prepareQuery(index, query)
  const compare = (prepared: PreparedQuery) => scoreCompanies(index, prepared, [0], 0, new RowVectors())[0]!
  const written = compare(first)
  const readings = withReadings(index, query, first)
  const read = readings === null ? written : compare(readings)
  const { vector, logOdds } = read.logOdds > written.logOdds ? read : written
  return { vector, logOdds, isNamed: first.names.length > 0 && index.companyOf.length > 0 }
}
