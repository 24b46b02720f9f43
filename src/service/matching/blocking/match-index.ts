/**
 * Builds the index of a register and reads it: every name is a document with its words and letter trigrams in postings, identifiers are
 * exact keys, addresses are bags of words. `match` reads it as views of one shared buffer, which any number of threads may share.
 */
import { collapseUmlauts, type LegalClass, parseCompanyName } from '../../../normalise/company-name.ts'
import { normaliseOrgNumber, normalisePostcode } from '../../../normalise/identifiers.ts'
import { normaliseText, splitWords } from '../../../normalise/text.ts'
import { charCode } from '../similarity.ts'
import type { Company } from '../types.ts'
import { listBlockingKeys, makeNumberKey } from './blocking-keys.ts'
import {
  type Column,
  type IndexImage,
  NumberColumn,
  pack,
  RepeatedTextBuilder,
  RepeatedTextColumn,
  TextColumn,
  TextColumnBuilder,
  unpack,
} from './columns.ts'
import { Companies, CompaniesBuilder, identifiersIn } from './companies.ts'
import { Dictionary, DictionaryBuilder, KeyIndex, KeysBuilder } from './hash-tables.ts'
import { buildPostings, postingsIn, rarity } from './postings.ts'

type NameKind = 'name' | 'tradingName' | 'previousName' | 'confirmed'

/** Creates views of an image without copying. Companies keep their position; a document is one name of one company. */
export function viewIndex(image: IndexImage) {
  const columns = unpack(image)
  const byWord = postingsIn(columns, 'byWord')
  const idf = columns.f32('places.idf')
  return {
    image,
    companies: new Companies(columns),
    identifiers: identifiersIn(columns),
    countries: new RepeatedTextColumn(columns, 'countries'),
    dictionary: new Dictionary(columns, 'dictionary', byWord.idf.length),
    /** Words of document d, in order: wordIds[wordStarts[d]] up to wordIds[wordStarts[d + 1]]. */
    wordStarts: columns.u32('wordStarts'),
    wordIds: columns.u32('wordIds'),
    /** '' for a name without a legal form. */
    legal: new RepeatedTextColumn<LegalClass | ''>(columns, 'legal'),
    /** What distinguishes the company of a document from its sisters. */
    marks: new RepeatedTextColumn(columns, 'marks'),
    kinds: new RepeatedTextColumn<NameKind>(columns, 'kinds'),
    companyOf: columns.u32('companyOf'),
    /** Documents of company c: from documentStarts[c] up to documentStarts[c + 1]. */
    documentStarts: columns.u32('documentStarts'),
    byWord,
    byTrigram: postingsIn(columns, 'byTrigram'),
    keys: new KeyIndex(columns, 'keys'),
    /** Documents by their words without spaces, by initials (behind a dot), and by their company's domain label. */
    names: new KeyIndex(columns, 'names'),
    address: {
      dictionary: new Dictionary(columns, 'places.words', idf.length),
      starts: columns.u32('places.starts'),
      ids: columns.u32('places.ids'),
      needIds: columns.need('places.ids'),
      idf,
    },
    towns: new RepeatedTextColumn(columns, 'towns'),
    /** 0 for a company whose register status is not active. */
    active: columns.u8('active'),
    /** Position of the first company of each register, in the order of the registers; empty for an index without registers. */
    registerStarts: columns.u32('registerStarts'),
    /** First label of each company's web or mail domain, normalised: `acmetools` of `www.acme-tools.co.uk`. */
    labels: new TextColumn(columns, 'labels'),
  }
}

export type MatchIndex = Readonly<ReturnType<typeof viewIndex>>

/** The company with this connectId; null when the index does not have it. */
export function companyWithId({ keys, companies }: MatchIndex, connectId: string): Company | null {
  for (const position of keys.lookup(`i${connectId}`)) {
    const company = companies.at(position)
    if (company.connectId === connectId) return company
  }
  return null
}

/**
 * The companies that a person names: by connectId or the id of the register, else by organisation number. `country`: of the number, where
 * it is known. `GB-0-01234567`, the id that a service gives a company, ends in its number.
 */
export function companiesNamed(index: MatchIndex, text: string, country: string): readonly number[] {
  const { keys, companies, countries, identifiers } = index
  const byId = keys.lookup(`i${text}`).filter(at => [companies.at(at).connectId, companies.at(at).id].includes(text))
  if (byId.length > 0) return byId
  const [, land = country, written = text] = /^([A-Z]{2})-(?:.*-)?([^-]+)$/.exec(text) ?? []
  const number = normaliseOrgNumber(written, land)
  return keys.lookup(makeNumberKey(number)).filter(at => {
    const own = countries.at(at)
    const isThere = number !== '' && (land === '' || own === '' || own === land)
    return isThere && identifiers.orgNumber.at(at) === normaliseOrgNumber(written, own)
  })
}

/** The words of a document, in order. */
export const readWords = ({ wordStarts, wordIds, dictionary }: MatchIndex, document: number): string[] =>
  Array.from(wordIds.subarray(wordStarts[document], wordStarts[document + 1]), id => dictionary.word(id))

/**
 * Distinct letter trigrams of words as numbers below TRIGRAMS, in order of first occurrence. Each word is padded with a space at
 * both ends.
 */
export function listTrigrams(words: readonly string[]): number[] {
  const found = new Set<number>()
  for (const word of words) {
    let code = 0
    for (let at = 0; at <= word.length; at++) {
      code = (code * 37 + (at < word.length ? charCode(word, at) : 0)) % TRIGRAMS
      if (at > 0) found.add(code)
    }
  }
  return [...found]
}

/** 37 characters, cubed. */
const TRIGRAMS = 37 ** 3

/** A shorter domain label is as ambiguous as an acronym, so it is not a key. */
const SHORTEST_LABEL = 4

/** First letters of a name of three words or more, the acronym it may be known by; `''` for a shorter name. */
export const readInitials = (words: readonly string[]): string =>
  words.length < 3 ? '' : words.map(word => word.charAt(0)).join('')

/** The words of a name that hold a digit, sorted: `Fund 2 of 2019` is `2 2019`. */
export const readDigits = (words: readonly string[]): string =>
  words
    .filter(word => /\d/.test(word))
    .sort()
    .join(' ')

/** The comparable words of an address. Its postcode is excluded, because it is a key and a feature itself. */
export function addressWords(parts: readonly string[], postcode: string): string[] {
  const canonical = normalisePostcode(postcode).toLowerCase()
  const words = new Set<string>()
  for (const part of parts)
    if (part !== '') for (const word of splitWords(part)) if (word.length < 3 || !canonical.includes(word)) words.add(word)
  return [...words]
}

/** The first label of a domain, as names are compared with it. */
export const domainLabel = (domain: string): string => collapseUmlauts(domain.split('.', 1)[0]!.replaceAll('-', ''))

/** An empty status counts as active. */
const isActive = ({ status }: Company): boolean =>
  status.trim() === '' || /^(?:active|aktiv|open|live|registered|current)/i.test(status.trim())

/** Further names of one company are ignored, so that the work for a row is bounded. */
const MAX_NAMES = 64

/** Collects companies and makes the columns of an index of them. */
export class IndexBuilder {
  readonly #companies = new CompaniesBuilder()
  readonly #dictionary = new DictionaryBuilder()
  readonly #places = new DictionaryBuilder()
  readonly #countries = new RepeatedTextBuilder()
  readonly #legal = new RepeatedTextBuilder()
  readonly #kinds = new RepeatedTextBuilder()
  readonly #towns = new RepeatedTextBuilder()
  readonly #marks = new RepeatedTextBuilder()
  readonly #labels = new TextColumnBuilder()
  readonly #keys = new KeysBuilder()
  readonly #names = new KeysBuilder()
  readonly #wordStarts = new NumberColumn()
  readonly #wordIds = new NumberColumn()
  readonly #companyOf = new NumberColumn()
  readonly #documentStarts = new NumberColumn()
  readonly #termStarts = new NumberColumn()
  readonly #terms = new NumberColumn()
  readonly #trigramStarts = new NumberColumn()
  readonly #placeStarts = new NumberColumn()
  readonly #placeIds = new NumberColumn()
  readonly #registerStarts = new NumberColumn()
  readonly #trigrams = new NumberColumn(true)
  readonly #active = new NumberColumn(true)

  /** The companies added from here on are of the next register. */
  startRegister(): void {
    this.#registerStarts.push(this.#companies.length)
  }

  /** `confirmed`: names that people confirmed for the company. */
  add(company: Company, confirmed: readonly string[] = []): void {
    const at = this.#companies.length
    const first = this.#companyOf.length
    this.#documentStarts.push(first)
    this.#addName(at, 'name', company.name)
    for (const name of company.tradingNames.slice(0, MAX_NAMES)) this.#addName(at, 'tradingName', name)
    for (const name of company.previousNames.slice(0, MAX_NAMES)) this.#addName(at, 'previousName', name)
    for (const name of confirmed.slice(0, MAX_NAMES)) this.#addName(at, 'confirmed', name)
    const identifiers = this.#companies.add(company)
    for (const key of listBlockingKeys(identifiers, company.country)) this.#keys.add(key, at)
    if (company.connectId !== company.id && company.connectId !== '') this.#keys.add(`i${company.connectId}`, at)
    this.#countries.add(company.country)
    this.#placeStarts.push(this.#placeIds.length)
    for (const word of addressWords([company.address1, company.address2, company.town], company.postcode))
      this.#placeIds.push(this.#places.number(word))
    this.#towns.add(normaliseText(company.town))
    const label = domainLabel(identifiers.domain)
    this.#labels.add(label)
    if (label.length >= SHORTEST_LABEL && this.#companyOf.length > first) this.#names.add(label, first)
    this.#active.push(isActive(company) ? 1 : 0)
  }

  /** A large piece of a column, to be stored before more companies come, so that it takes no memory here; null until it is large. */
  spill(): ReturnType<CompaniesBuilder['spill']> {
    return this.#companies.spill()
  }

  /** The columns of the index, each made when it is asked for; what it was made of is no longer kept. The builder cannot be used afterwards. */
  *finish(): Generator<readonly [string, Column]> {
    for (const [starts, end] of [
      [this.#wordStarts, this.#wordIds.length],
      [this.#termStarts, this.#terms.length],
      [this.#trigramStarts, this.#trigrams.length],
      [this.#documentStarts, this.#companyOf.length],
      [this.#placeStarts, this.#placeIds.length],
    ] as const)
      starts.push(end)
    const counts = new Uint32Array(this.#places.size)
    for (const id of this.#placeIds.all()) counts[id]!++
    const total = this.#companies.length
    const vocabulary = this.#dictionary.size
    yield* Object.entries(this.#companies.columns())
    yield* Object.entries(this.#countries.columns('countries'))
    yield* Object.entries(this.#dictionary.columns('dictionary'))
    yield ['wordStarts', this.#wordStarts.take()]
    yield ['wordIds', this.#wordIds.take()]
    yield* Object.entries(this.#legal.columns('legal'))
    yield* Object.entries(this.#marks.columns('marks'))
    yield* Object.entries(this.#kinds.columns('kinds'))
    yield ['companyOf', this.#companyOf.take()]
    yield ['documentStarts', this.#documentStarts.take()]
    yield* Object.entries(this.#places.columns('places.words'))
    yield ['places.starts', this.#placeStarts.take()]
    yield ['places.ids', this.#placeIds.take()]
    yield ['places.idf', Float32Array.from(counts, count => rarity(count, total))]
    yield* Object.entries(this.#towns.columns('towns'))
    yield ['active', Uint8Array.from(this.#active.take())]
    yield ['registerStarts', this.#registerStarts.take()]
    yield* Object.entries(this.#labels.columns('labels'))
    yield* Object.entries(this.#keys.columns('keys'))
    yield* Object.entries(this.#names.columns('names'))
    yield* Object.entries(buildPostings('byWord', this.#termStarts.take(), this.#terms.take(), vocabulary))
    yield* Object.entries(buildPostings('byTrigram', this.#trigramStarts.take(), this.#trigrams.take(), TRIGRAMS))
  }

  #addName(company: number, kind: NameKind, text: string): void {
    const parsed = parseCompanyName(text)
    if (parsed.words.length === 0) return
    const document = this.#companyOf.length
    const numbers = parsed.words.map(word => this.#dictionary.number(word))
    this.#wordStarts.push(this.#wordIds.length)
    for (const number of numbers) this.#wordIds.push(number)
    this.#termStarts.push(this.#terms.length)
    for (const number of new Set(numbers)) this.#terms.push(number)
    this.#trigramStarts.push(this.#trigrams.length)
    for (const trigram of listTrigrams(parsed.words)) this.#trigrams.push(trigram)
    this.#legal.add(parsed.legal ?? '')
    this.#marks.add(parsed.marks)
    this.#kinds.add(kind)
    this.#companyOf.push(company)
    this.#names.add(parsed.words.join(''), document)
    const letters = readInitials(parsed.words)
    if (letters !== '') this.#names.add(`.${letters}`, document)
  }
}

export function buildIndex(companies: Iterable<Company>): MatchIndex {
  const builder = new IndexBuilder()
  for (const company of companies) builder.add(company)
  return viewIndex(pack(builder.finish()))
}
