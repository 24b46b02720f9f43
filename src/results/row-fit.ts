/**
 * Compares the companies of an enriched file with the rows that they stand beside: by names, numbers and places, in the forms of
 * matching. Rows that were reordered, or tags that were moved against the cells, show as companies that fit other rows better.
 */
import type { Plan } from '../pipeline/model/types.ts'
import type { EnrichedColumns } from './enriched-columns.ts'
import { companyIn } from './enriched-file.ts'
import { type Evidence, evidenceIn, hasShared, type Kind, kindOfMapping, kindOfTag } from './evidence.ts'

export type Fit =
  | { readonly is: 'better' | 'unknown' }
  /** The company of the only row has another name, and no number and no place of the row. */
  | { readonly is: 'contrary' }
  /** The companies fit other rows better, as if they were moved against the cells. */
  | { readonly is: 'shifted'; readonly against: 'before' | 'behind' | 'any' }
  /**
   * The company beside row `number` belongs to row `other`, whose own is beside a third row; it has none if `isLone`. One or few lone
   * ones may be right (`isRare`).
   */
  | { readonly is: 'worse'; readonly number: number; readonly other: number; readonly isLone: boolean; readonly isRare: boolean }

/** Rows of a part that are compared; of a longer one, rows in equal steps, and those whose names begin with some of all letters. */
const MOST_COMPARED = 10_000
/** Rows kept for comparisons with rows far away. */
const FAR_ROWS = 32
/** Similarity by which companies must fit their own rows better than others. */
const LEAST_LEAD = 0.1
/** Similarity by which companies fit other rows evidently better than their own, and of how many. */
const LEAST_LAG = 0.2
const LEAST_COUNT = 3

interface Compared {
  readonly number: number
  readonly row: Evidence
  /** Null for a row without a company. */
  readonly company: Evidence | null
}

/** A mean of similarities. */
class Mean {
  count = 0
  #sum = 0

  add(value: number): void {
    this.#sum += value
    this.count++
  }

  get value(): number {
    return this.count === 0 ? 0 : this.#sum / this.count
  }
}

/** Compares the rows of one part, which it is given in their order. */
export class RowFit {
  readonly #columns: EnrichedColumns
  readonly #own: readonly (readonly [Kind, number])[]
  readonly #tags: readonly (readonly [Kind, number])[]
  readonly #nameAt: number
  readonly #step: number
  readonly #rows: number
  readonly #mean = new Mean()
  /** Of each company with the row before, the row behind, and rows far away. */
  readonly #others = [new Mean(), new Mean(), new Mean()] as const
  #before: { readonly cells: readonly string[]; readonly compared: Compared | null } | null = null
  readonly #far: Compared[] = []
  /** Rows whose company has another name and no number of theirs, and rows without a company. */
  readonly #unequal: Compared[] = []
  #compared = 0
  #companies = 0

  constructor({ mappings }: Pick<Plan, 'mappings'>, columns: EnrichedColumns, rows: number) {
    const own = mappings.flatMap(({ mapping, index, value }) => {
      const kind = value === undefined ? kindOfMapping(mapping) : null
      return kind === null ? [] : [[kind, index] as const]
    })
    this.#own = own
    this.#columns = columns
    this.#tags = columns.added.flatMap(at => {
      const kind = kindOfTag(columns.header[at] ?? '')
      return kind === null ? [] : [[kind, at] as const]
    })
    this.#nameAt = own.find(([kind]) => kind === 'name')?.[1] ?? -1
    this.#step = Math.ceil(rows / MOST_COMPARED)
    this.#rows = rows
  }

  add(number: number, enriched: readonly string[], uploadRow: readonly string[]): void {
    const before = this.#before
    const compared = this.#isChosen(number, enriched, uploadRow) ? this.#compare(number, enriched, uploadRow) : null
    this.#before = { cells: uploadRow, compared }
    if (before?.compared?.company != null)
      this.#note(this.#others[1], before.compared, compared?.row ?? evidenceIn(this.#own, uploadRow))
    if (compared?.company == null) return
    const own = similarity(compared.row, compared.company)
    if (own === null) return
    this.#mean.add(own)
    if (before !== null) this.#note(this.#others[0], compared, before.compared?.row ?? evidenceIn(this.#own, before.cells))
    for (const other of this.#far) this.#note(this.#others[2], compared, other.row)
  }

  /** Whether the companies fit their rows better than others. */
  end(): Fit {
    const moved = this.#moved()
    if (moved !== null) return { is: 'worse', ...moved }
    const [before, behind, any] = this.#others
    const isLess = ({ count, value }: Mean): boolean => count >= LEAST_COUNT && value > this.#mean.value + LEAST_LAG
    if (isLess(before)) return { is: 'shifted', against: 'before' }
    if (isLess(behind)) return { is: 'shifted', against: 'behind' }
    if (isLess(any)) return { is: 'shifted', against: 'any' }
    const [only] = this.#unequal
    if (this.#rows === 1 && only?.company != null && isContrary(only.row, only.company)) return { is: 'contrary' }
    const others = this.#others.filter(({ count }) => count > 0)
    if (this.#mean.count === 0 || others.length === 0) return { is: 'unknown' }
    const isBetter = others.every(({ value }) => this.#mean.value > value + LEAST_LEAD * (1 - value))
    return { is: isBetter ? 'better' : 'unknown' }
  }

  #isChosen(number: number, enriched: readonly string[], uploadRow: readonly string[]): boolean {
    if (number % this.#step === 0) return true
    if (this.#compared > 3 * MOST_COMPARED) return false
    const name = this.#tags.find(([kind, at]) => kind === 'name' && (enriched[at] ?? '') !== '')?.[1] ?? -1
    return [uploadRow[this.#nameAt], enriched[name]].some(cell => cell !== undefined && hashOfStart(cell) % this.#step === 0)
  }

  #compare(number: number, enriched: readonly string[], uploadRow: readonly string[]): Compared {
    const hasCompany = companyIn(enriched, this.#columns) !== ''
    const row = evidenceIn(this.#own, uploadRow)
    const compared = { number, row, company: hasCompany ? evidenceIn(this.#tags, enriched) : null }
    // The first rows, and then some of all: the longer the file, the fewer.
    if (this.#far.length < FAR_ROWS) this.#far.push(compared)
    else if (this.#compared % FAR_ROWS === 0) this.#far[(this.#compared / FAR_ROWS) % FAR_ROWS] = compared
    this.#compared++
    if (hasCompany) this.#companies++
    if (compared.company === null || !isEqual(row, compared.company)) this.#unequal.push(compared)
    return compared
  }

  #note(mean: Mean, { row, company }: Compared, other: Evidence): void {
    // Rows alike may be exchanged.
    if (other === row || company === null || isAlike(row, other)) return
    const value = similarity(other, company)
    if (value !== null) mean.add(value)
  }

  /**
   * The first row whose company evidently belongs to a different row, while its own is beside a third: an exchange, or a longer cycle. A
   * single row whose company has the name of another may be right, since companies change their names; less so if it shares nothing
   * with its company, and the other row has none.
   */
  #moved(): Omit<Fit & { readonly is: 'worse' }, 'is'> | null {
    const byKey = new Map<string, number[]>()
    const byWord = new Map<string, number[]>()
    for (const [at, { row }] of this.#unequal.entries()) {
      for (const words of row.names) {
        push(byKey, joinWords(words), at)
        const longest = findLongest(words)
        if (longest !== '') push(byWord, longest, at)
      }
      for (const number of row.numbers) push(byKey, `#${number}`, at)
    }
    const leaves = new Map<number, number>()
    const arrives = new Set<number>()
    let lone = null as readonly [number, number] | null
    const astray: (readonly [number, number])[] = []
    for (const [at, { row, company }] of this.#unequal.entries()) {
      if (company === null) continue
      const keys = [...company.names.map(joinWords), ...[...company.numbers].map(number => `#${number}`)]
      const exact = keys
        .flatMap(key => byKey.get(key) ?? [])
        .filter(other => !areOfOtherCountries(this.#unequal[other]!.row, company))
      const least = Math.max(LEAST_SIMILAR, (nameSimilarity(row, company) ?? 0) + LEAST_CLOSER)
      const own = similarity(row, company) ?? 0
      const isOthers = (other: number): boolean =>
        this.#unequal[other]!.company === null && (similarity(this.#unequal[other]!.row, company) ?? 0) > own + LEAST_CLOSER_ALONE
      const alone = lone === null ? exact.find(isOthers) : undefined
      if (alone !== undefined) lone = [at, alone]
      // A row to which its own company is as close lacks no other: lists of many names of one kind have such rows, in any order.
      const isCloser = ({ row, company: own }: Compared): boolean => {
        const alike = nameSimilarity(row, company) ?? 0
        return alike >= least && (own === null || alike >= (nameSimilarity(row, own) ?? 0) + LEAST_CLOSER)
      }
      const similar = company.names
        .flat()
        .flatMap(word => byWord.get(word) ?? [])
        .filter(other => isCloser(this.#unequal[other]!))
      // Of two rows that both have the company, such as two spellings of its name, neither has the other's.
      const hasCompany = (other: number): boolean => {
        const { company: own } = this.#unequal[other]!
        return own !== null && isAlike(own, company)
      }
      const others = [...exact, ...similar].filter(
        other => other !== at && !hasCompany(other) && !isAlike(row, this.#unequal[other]!.row),
      )
      for (const other of others) {
        if (!leaves.has(at)) leaves.set(at, other)
        arrives.add(other)
      }
      const left = others.find(other => this.#unequal[other]!.company === null)
      if (left !== undefined) astray.push([at, left])
    }
    const readNumbers = ([at, other]: readonly [number, number]) => ({
      number: this.#unequal[at]!.number,
      other: this.#unequal[other]!.number,
    })
    for (const pair of leaves) if (arrives.has(pair[0])) return { ...readNumbers(pair), isLone: false, isRare: false }
    const [first] = astray
    if (first !== undefined && astray.length * FEW >= this.#companies - astray.length)
      return { ...readNumbers(first), isLone: true, isRare: false }
    return lone && { ...readNumbers(lone), isLone: true, isRare: true }
  }
}

/** Rows looked at of those with one name or word. */
const MOST_ALIKE = 50
/** The share of words in common by which a company evidently belongs to a different row, and by how much more than with its own. */
const LEAST_SIMILAR = 0.5
const LEAST_CLOSER = 0.25
/** By how much more where nothing else shows an exchange: another name, and not the place of the row beside it. */
const LEAST_CLOSER_ALONE = 0.5
/** Others for each company that has the name of another row: with fewer, the rows were moved. */
const FEW = 3

function push(map: Map<string, number[]>, key: string, at: number): void {
  const found = map.get(key)
  if (found === undefined) map.set(key, [at])
  else if (found.length < MOST_ALIKE) found.push(at)
}

const joinWords = (words: readonly string[]): string => words.join(' ')

const findLongest = (words: readonly string[]): string =>
  words.reduce((longest, word) => (word.length > longest.length ? word : longest), '')

/** Of the first letters, as far as a list and a register write them alike. */
function hashOfStart(cell: string): number {
  let hash = 0
  const letters = cell.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
  for (const letter of letters.slice(0, 12)) hash = (hash * 31 + letter.codePointAt(0)!) >>> 0
  return hash
}

const isAlike = (row: Evidence, other: Evidence): boolean =>
  row.names.map(joinWords).join('|') === other.names.map(joinWords).join('|') &&
  [...row.numbers].join('|') === [...other.numbers].join('|') &&
  [...row.places].join('|') === [...other.places].join('|') &&
  [...row.countries].join('|') === [...other.countries].join('|')

const areOfOtherCountries = (row: Evidence, company: Evidence): boolean =>
  row.countries.size > 0 && company.countries.size > 0 && !hasShared(row.countries, company.countries)

/** By name, and no number or place speaks for it. */
const isContrary = (row: Evidence, company: Evidence): boolean =>
  !hasShared(row.numbers, company.numbers) &&
  !hasShared(row.places, company.places) &&
  row.names.length > 0 &&
  company.names.length > 0 &&
  row.names.every(words => company.names.every(other => shareOfShorter(words, other) <= LEAST_SIMILAR))

function shareOfShorter(words: readonly string[], other: readonly string[]): number {
  const [shorter, longer] = words.length <= other.length ? [words, other] : [other, words]
  return shorter.filter(word => longer.includes(word)).length / shorter.length
}

const isEqual = (row: Evidence, company: Evidence): boolean =>
  hasShared(row.numbers, company.numbers) ||
  (!areOfOtherCountries(row, company) &&
    row.names.some(words => company.names.some(other => joinWords(words) === joinWords(other))))

/** Of a name in what names and places show: branches of a company differ in their places only. */
const WEIGHT_OF_NAME = 0.75

/** From 0 to 1: one number in common, or the share of words in common of names and places; null without anything to compare. */
function similarity(row: Evidence, company: Evidence): number | null {
  if (hasShared(row.numbers, company.numbers)) return 1
  if (areOfOtherCountries(row, company)) return 0
  const name = nameSimilarity(row, company)
  const hasPlaces = row.places.size > 0 && company.places.size > 0
  const place = hasPlaces ? sharedWords([...row.places], [...company.places]) : null
  if (name === null && place === null) return row.numbers.size > 0 && company.numbers.size > 0 ? 0 : null
  if (name === null || place === null) return name ?? place
  return WEIGHT_OF_NAME * name + (1 - WEIGHT_OF_NAME) * place
}

/** By the nearest names. */
function nameSimilarity(row: Evidence, company: Evidence): number | null {
  if (row.names.length === 0 || company.names.length === 0) return null
  return Math.max(...row.names.flatMap(words => company.names.map(other => sharedWords(words, other))))
}

/** The words that both have, as a share of all their words. */
function sharedWords(words: readonly string[], other: readonly string[]): number {
  const all = new Set([...words, ...other])
  let shared = 0
  for (const word of all) if (words.includes(word) && other.includes(word)) shared++
  return shared / all.size
}
