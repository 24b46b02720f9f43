/**
 * Finds rows inside a list that are not companies: section headings, subtotals and repeated headers. A row is one of them only if that is
 * proved, by its text, by sums that add up, or by the whole list; a row that only looks like one is returned as doubtful, and stays a row.
 */
import type { Section, Sections } from '../model/types.ts'
import { claimsOf, fold } from './claims.ts'
import { isTotalLabel, readAmount } from './surroundings.ts'
import type { Knowledge } from './values.ts'

type Known = Pick<Knowledge, 'hasLegalForm'> & {
  /** The code of a country that a text names, else ''. */
  readonly countryOf: (text: string) => string
}

/** Rows of fewer cells may have nothing but a name. */
const LEAST_CELLS = 3
/** A list with more rows that may be headings has rows with nothing but a name: nothing is proved. */
const MOST_CANDIDATES = 20_000
/** Earlier boundaries that a total may go back to, besides the beginning. */
const MOST_BACK = 200
const MOST_TEXT = 80
/** Of a claim that is of more than a part of a text. */
const SURE_NAME = 0.8
/** Sums of rounded amounts. */
const ROUNDING = 0.005
const MOST_ROUNDING = 0.05

/** Labels of totals that no company has as its name, unlike `Total` and `Summa`. */
const SURE_TOTAL =
  /^(?:sub ?totals?|grand totals?|zwischensumme|zwischentotal|gesamtsumme|endsumme|gesamtergebnis|teilergebnis|sous total|total general|subtotale|totale generale|totale complessivo|subtotaal|tussentotaal|eindtotaal|suma koncowa|suma czesciowa|delsumma)$/

const listWords = (text: string): ReadonlySet<string> => new Set(text.split(' '))
const COMPASS = listWords(
  'north south east west northern southern eastern western northeast northwest southeast southwest nord sud ost norden suden osten westen est ouest norte sur este oeste sul leste ovest noord zuid oost polnoc poludnie wschod zachod central centre centro mitte',
)
const REGION = listWords('region regions regione regiones regio regioni regionen gebiet bezirk territory')
const WORLD = listWords(
  'europe europa asia asien asie africa afrika afrique america amerika amerique americas oceania emea apac dach benelux latam cee',
)
const PARTIES = listWords(
  'suppliers vendors customers clients creditors debtors lieferanten kunden kreditoren debitoren fournisseurs proveedores clientes fornitori clienti leveranciers klanten crediteuren debiteuren dostawcy klienci odbiorcy',
)
const CLASSES = listWords(
  'group gruppe groupe gruppo grupo groep grupa category kategorie categorie categoria kategoria section abschnitt class klasse classe',
)
/** Countries that persons, companies and brands are called, too. */
const NAMES_TOO = listWords(
  'jordan georgia chad jersey guernsey monaco cuba panama malta mali togo israel niger china india brasil italia polska',
)
const JOINERS = listWords('and und et y e en i of the de der die das du la le del di van rest other others')

/** Nothing but words for regions, parties or numbered groups: no company is called so. */
function isHeadingText(text: string): boolean {
  const words = fold(text).split(' ')
  const isOf = (set: ReadonlySet<string>): boolean => words.some(word => set.has(word))
  const areOf = (...sets: readonly ReadonlySet<string>[]): boolean =>
    words.every(word => JOINERS.has(word) || sets.some(set => set.has(word)))
  if (areOf(WORLD) && isOf(WORLD)) return true
  if (areOf(PARTIES) && isOf(PARTIES)) return true
  if (areOf(REGION, COMPASS, WORLD) && isOf(REGION) && (isOf(COMPASS) || isOf(WORLD))) return true
  return words.length === 2 && CLASSES.has(words[0]!) && /^(?:\p{L}|\d{1,3})$/u.test(words[1]!)
}

/** More than half of the cells are words for columns, of several meanings: the second line of a header. */
function areColumnNames(filled: readonly { readonly text: string }[]): boolean {
  const known = filled.flatMap(({ text }) =>
    claimsOf(text)
      .claims.filter(({ strength }) => strength > SURE_NAME)
      .slice(0, 1),
  )
  const meanings = new Set(known.map(({ target }) => target))
  return meanings.size >= LEAST_CELLS && known.length * 2 > filled.length
}

/** One value of a column in all rows of a part: undefined without rows, null for several. */
type Constant = string | null | undefined

/** Rows between two rows that may be headings or totals. */
class Part {
  rows = 0
  readonly values: Constant[] = []
  readonly initials: Constant[] = []

  add(row: readonly string[]): void {
    this.rows++
    for (const [at, cell] of row.entries()) {
      this.values[at] = joinConstant(this.values[at], cell.trim())
      this.initials[at] = joinConstant(this.initials[at], fold(cell.trim().slice(0, 4)).slice(0, 1))
    }
  }
}

const joinConstant = (known: Constant, value: string): Constant => (known === undefined || known === value ? value : null)

interface Candidate {
  readonly row: number
  /** The column of its only text; -1 for a total. */
  readonly column: number
  readonly text: string
  readonly isTotal: boolean
  /** A blank row or the beginning of the list is above it. */
  readonly isApart: boolean
  proof: string | null
  /** Of a total: the candidate after which its sum begins, -1 for the beginning. */
  since?: number
}

interface Amount {
  readonly at: number
  readonly amount: number
}

/** Sums of each column up to a boundary, of data rows alone. */
interface Sums {
  readonly rows: number
  readonly amounts: Float64Array
  readonly counts: Float64Array
}

/** Takes the rows of a list in their order; `end` returns what they prove. */
export class SectionFinder {
  readonly #header: readonly string[] | null
  readonly #known: Known
  readonly #candidates: Candidate[] = []
  /** `#parts[n]`: the rows above candidate n, below the one before. */
  readonly #parts: Part[] = [new Part()]
  readonly #boundaries: Sums[] = []
  #sums: Sums = { rows: 0, amounts: new Float64Array(0), counts: new Float64Array(0) }
  readonly #widths: number[] = []
  /** Of each column of data rows: filled cells, and those with a digit and no space. */
  readonly #filled: number[] = []
  readonly #codes: number[] = []
  #row = 0
  #isApart = true
  /** A blank row is above a data row. */
  #hasOtherBlanks = false
  #isTooMany = false

  constructor(header: readonly string[] | null, known: Known) {
    this.#header = header
    this.#known = known
  }

  add(row: readonly string[]): void {
    this.#row++
    const filled = row.flatMap((cell, at) => (cell.trim() === '' ? [] : [{ at, text: cell.trim() }]))
    if (filled.length === 0) {
      this.#isApart = true
      return
    }
    const candidate = this.#isTooMany ? null : this.#candidateOf(row, filled)
    if (candidate === null) this.#addData(row, filled.length)
    else this.#addCandidate(candidate, row)
    this.#isApart = false
  }

  #addData(row: readonly string[], filled: number): void {
    if (this.#isApart && this.#row > 1) this.#hasOtherBlanks = true
    this.#widths[filled] = (this.#widths[filled] ?? 0) + 1
    this.#parts.at(-1)!.add(row)
    for (const [at, cell] of row.entries()) {
      const text = cell.trim()
      if (text === '') continue
      this.#filled[at] = (this.#filled[at] ?? 0) + 1
      if (/\d/.test(text) && !/\s/.test(text)) this.#codes[at] = (this.#codes[at] ?? 0) + 1
    }
    this.#addAmounts(row)
  }

  #addAmounts(row: readonly string[]): void {
    const { rows, amounts, counts } = this.#sums
    if (amounts.length < row.length) {
      const [wider, more] = [new Float64Array(row.length), new Float64Array(row.length)]
      wider.set(amounts)
      more.set(counts)
      this.#sums = { rows, amounts: wider, counts: more }
    }
    for (const [at, cell] of row.entries()) {
      const amount = cell === '' ? null : readAmount(cell)
      if (amount === null) continue
      this.#sums.amounts[at]! += amount
      this.#sums.counts[at]!++
    }
    this.#sums = { ...this.#sums, rows: rows + 1 }
  }

  #addCandidate(candidate: Candidate, row: readonly string[]): void {
    if (this.#candidates.length === MOST_CANDIDATES) this.#isTooMany = true
    const { rows, amounts, counts } = this.#sums
    this.#boundaries.push({ rows, amounts: amounts.slice(), counts: counts.slice() })
    this.#candidates.push(candidate)
    this.#parts.push(new Part())
    // `Total Energies` is a row, whose amounts later totals include.
    if (candidate.isTotal && candidate.proof === null && !isTotalLabel(fold(candidate.text))) this.#addAmounts(row)
  }

  #candidateOf(row: readonly string[], filled: readonly { at: number; text: string }[]): Candidate | null {
    const place = { row: this.#row, isApart: this.#isApart }
    const [first] = filled
    if (this.#header !== null && filled.length > 1 && row.every((cell, at) => cell.trim() === (this.#header![at] ?? '').trim()))
      return { ...place, column: -1, text: 'the header again', isTotal: false, proof: 'it repeats the header' }
    if (this.#row === 1 && this.#header !== null && areColumnNames(filled))
      return { ...place, column: -1, text: filled[0]!.text, isTotal: false, proof: 'its cells are names of columns' }
    const total = this.#totalOf(filled)
    if (total !== null) return { ...place, column: -1, isTotal: true, ...total }
    if (filled.length > 1 || !/\p{L}/u.test(first!.text)) return null
    const text = first!.text.slice(0, MOST_TEXT)
    return { ...place, column: first!.at, text, isTotal: false, proof: null }
  }

  /** A row of the label of a total and amounts; null for any other row. */
  #totalOf(filled: readonly { at: number; text: string }[]): Pick<Candidate, 'text' | 'proof' | 'since'> | null {
    const labels = filled.filter(({ text }) => readAmount(text) === null)
    const [label, ...more] = labels
    if (label === undefined) return null
    const folded = fold(label.text)
    const isBare = isTotalLabel(folded) || SURE_TOTAL.test(folded)
    const named = isBare ? null : nameOfTotal(folded)
    if (!isBare && named === null) return null
    const amounts = filled.filter(cell => readAmount(cell.text) !== null)
    // Besides its label, a total may repeat a word of the rows above, such as a currency.
    const above = this.#parts.at(-1)!
    const isRepeated = more.every(
      ({ at, text }) => above.rows > 0 && above.values[at] === text && /^(?:\p{L}{3}|\p{Sc})$/u.test(text),
    )
    // `Total Gas Ltd`, `GB` is a company, and so is a label of one cell but for the words of totals.
    if (!isRepeated || (!isBare && amounts.length === 0)) return null
    const text = label.text.slice(0, MOST_TEXT)
    if (amounts.length === 0) return SURE_TOTAL.test(folded) ? { text, proof: 'its label is a total' } : { text, proof: null }
    // One row repeats an amount by chance, unless the label is surely of a total, or names the part.
    const leastRows = named !== null || SURE_TOTAL.test(folded) ? 1 : 2
    const since = this.#findSum(
      amounts.map(({ at, text }) => ({ at, amount: readAmount(text)! })),
      leastRows,
    )
    if (since === null) return { text, proof: null }
    const isNamed = named === null || this.#isNameAbove(named, since)
    return { text, since, proof: isNamed ? 'its amounts are the sums of the rows above' : null }
  }

  /** The last boundary after which every amount is the sum of the rows, or their number where they have no amounts; null for none. */
  #findSum(amounts: readonly Amount[], leastRows: number): number | null {
    const last = this.#boundaries.length - 1
    const from = Math.max(-1, last - MOST_BACK)
    for (let at = last; at >= from; at--) if (this.#isSumSince(at, amounts, leastRows)) return at
    return from > -1 && this.#isSumSince(-1, amounts, leastRows) ? -1 : null
  }

  #isSumSince(boundary: number, amounts: readonly Amount[], leastRows: number): boolean {
    const before = this.#boundaries[boundary]
    const rows = this.#sums.rows - (before?.rows ?? 0)
    if (rows === 0) return false
    const proofs = amounts.map(({ at, amount }) => {
      const count = (this.#sums.counts[at] ?? 0) - (before?.counts[at] ?? 0)
      if (count === 0) return amount === rows && rows > 1
      const all = this.#sums.amounts[at] ?? 0
      const sum = all - (before?.amounts[at] ?? 0)
      return Math.abs(sum - amount) <= Math.min(ROUNDING * count, MOST_ROUNDING) + 1e-9 * Math.abs(all)
    })
    // Zeros prove nothing.
    return proofs.every(Boolean) && amounts.some(({ amount }) => amount !== 0) && (rows >= leastRows || amounts.length > 1)
  }

  /** `Germany` of `Total Germany`: the heading above, or a cell of every row above. */
  #isNameAbove(named: string, since: number): boolean {
    for (let at = since; at < this.#candidates.length; at++) {
      const candidate = this.#candidates[at]
      if (candidate !== undefined && !candidate.isTotal && fold(candidate.text) === named) return true
    }
    const parts = this.#parts.slice(since + 1).filter(({ rows }) => rows > 0)
    const columns = parts[0]?.values.keys() ?? []
    return [...columns].some(at => parts.every(({ values }) => typeof values[at] === 'string' && fold(values[at]) === named))
  }

  end(): Sections {
    if (this.#isTooMany || this.#usualCells() < LEAST_CELLS) return { found: [], doubtful: [] }
    this.#proveHeadings()
    const sections = this.#candidates.map(({ row, text, isTotal, proof }): Section => ({ row, text, isTotal, proof }))
    const found = sections.filter(({ proof }) => proof !== null)
    const isLike = ({ isTotal }: Candidate, at: number): boolean => isTotal || this.#standsOver(at)
    return { found, doubtful: sections.filter(({ proof }, at) => proof === null && isLike(this.#candidates[at]!, at)) }
  }

  /** How many cells of a data row are filled; of rows of one cell and of fuller ones, the fuller. */
  #usualCells(): number {
    const median = (from: number): number => {
      const all = this.#widths.reduce((sum, count, width) => (width < from ? sum : sum + count), 0)
      let passed = 0
      for (let width = from; width < this.#widths.length; width++) {
        passed += this.#widths[width] ?? 0
        if (passed * 2 > all) return width
      }
      return 0
    }
    return median(Math.max(2, median(2)))
  }

  /** A data row is below, with nothing between but further texts alone. */
  #standsOver(at: number): boolean {
    for (let next = at + 1; next < this.#parts.length; next++) {
      if (this.#parts[next]!.rows > 0) return true
      if (this.#candidates[next]?.isTotal !== false) return false
    }
    return false
  }

  #proveHeadings(): void {
    const open = [...this.#candidates.keys()].filter(at => this.#isOpen(at))
    const prove = (places: readonly number[], proof: string): void => {
      for (const at of places) this.#candidates[at]!.proof ??= proof
    }
    prove(
      open.filter(at => isHeadingText(this.#candidates[at]!.text)),
      'its text does not name a company',
    )
    prove(this.#countries(open), 'it names a country')
    prove(
      open.filter(at => this.#isInitial(at)),
      'the names below begin with it',
    )
    prove(this.#inOtherColumn(open), 'its column does not have names')
    const alone = open.filter(at => this.#isAlone(at))
    const areNames = alone.some(at => this.#known.hasLegalForm(this.#candidates[at]!.text))
    prove(this.#closedByTotals(open), 'a total closes its rows')
    if (areNames) return
    prove(this.#atChanges(alone), 'a column changes at each such row')
    prove(this.#belowBlanks(alone), 'a blank row is above each such row, and above no other')
  }

  #isOpen(at: number): boolean {
    const { column, proof, text } = this.#candidates[at]!
    return column >= 0 && proof === null && this.#standsOver(at) && !this.#known.hasLegalForm(text)
  }

  /** Data is below it and no other text alone above: of two, either may be a row with nothing but a name. */
  #isAlone(at: number): boolean {
    const isText = (this.#candidates[at - 1]?.column ?? -1) >= 0
    return this.#parts[at + 1]!.rows > 0 && !(isText && this.#parts[at]!.rows === 0)
  }

  /** Names of two countries at least, or the country of every row below. */
  #countries(open: readonly number[]): number[] {
    const places = open.flatMap(at => {
      const { text } = this.#candidates[at]!
      const country = text.length > 3 ? this.#known.countryOf(text.replace(/(?:\(\d+\)|:)$/, '').trimEnd()) : ''
      return country === '' ? [] : [{ at, country }]
    })
    const isBelow = ({ at, country }: (typeof places)[number]): boolean =>
      this.#parts[at + 1]!.values.some(value => typeof value === 'string' && this.#known.countryOf(value) === country)
    const areSeveral = new Set(places.map(({ country }) => country)).size > 1
    const isSure = (place: (typeof places)[number]): boolean =>
      isBelow(place) || (areSeveral && !NAMES_TOO.has(fold(this.#candidates[place.at]!.text)))
    return places.filter(isSure).map(({ at }) => at)
  }

  #isInitial(at: number): boolean {
    const { text, column } = this.#candidates[at]!
    return /^\p{L}$/u.test(text) && this.#parts[at + 1]!.rows > 0 && this.#parts[at + 1]!.initials[column] === fold(text)
  }

  /** Texts in a column of codes, or in one that no data row fills: two at least, since one may be a row whose cells moved. */
  #inOtherColumn(open: readonly number[]): number[] {
    const rows = this.#sums.rows
    const places = open.filter(at => {
      const { column, text } = this.#candidates[at]!
      const [filled, codes] = [this.#filled[column] ?? 0, this.#codes[column] ?? 0]
      const isOfNames = claimsOf(this.#header?.[column] ?? '').claims.some(({ target }) => /name/i.test(target))
      return !isOfNames && !/\d/.test(text) && (filled === 0 || (codes === filled && filled * 10 >= rows * 9))
    })
    return places.length < 2 ? [] : places
  }

  /** The first rows of what totals sum up; every part that a total sums up has one, or none is proved. */
  #closedByTotals(open: readonly number[]): number[] {
    const heads: (number | null)[] = []
    for (const [at, { isTotal, proof, since }] of this.#candidates.entries()) {
      if (!isTotal || proof === null || since === undefined) continue
      const isGrand = this.#candidates.slice(since + 1, at).some(between => between.isTotal && between.proof !== null)
      if (isGrand) continue
      let first = since + 1
      while (first < at && this.#parts[first]!.rows === 0) first++
      const head = first - 1
      const isHead =
        open.includes(head) && this.#isAlone(head) && this.#parts.slice(since + 1, head + 1).every(({ rows }) => rows === 0)
      heads.push(isHead ? head : null)
    }
    return heads.length > 1 && heads.every(head => head !== null) ? heads : []
  }

  /** All texts alone of the list, if a column changes from one value to another at each of them and nowhere else. */
  #atChanges(alone: readonly number[]): number[] {
    const parts = [...this.#parts.entries()].filter(([, { rows }]) => rows > 0)
    const width = parts[0]?.[1].values.length ?? 0
    const texts = [...this.#candidates.keys()].filter(at => this.#candidates[at]!.column >= 0)
    for (let column = 0; column < width; column++) {
      const values = parts.map(([, part]) => part.values[column])
      if (values.some(value => typeof value !== 'string' || value === '')) continue
      const changes = parts.flatMap(([at], n) => (n === 0 || values[n] !== values[n - 1] ? [{ n, head: at - 1 }] : []))
      const heads = changes.map(({ head }) => head)
      if (heads.length < 2 || !heads.every(head => alone.includes(head)) || !texts.every(at => heads.includes(at))) continue
      if (this.#sums.rows < 2 * heads.length || new Set(changes.map(({ n }) => values[n])).size < heads.length) continue
      return heads
    }
    return []
  }

  /** Every blank row is above one, and every text alone is below a blank row or the first of the list; one blank row is chance. */
  #belowBlanks(alone: readonly number[]): number[] {
    const texts = [...this.#candidates.keys()].filter(at => this.#candidates[at]!.column >= 0)
    const areApart = texts.every(at => this.#candidates[at]!.isApart && alone.includes(at))
    const blanks = texts.filter(at => this.#candidates[at]!.row > 1)
    return areApart && blanks.length > 1 && !this.#hasOtherBlanks ? texts : []
  }
}

const TOTAL =
  /^(?:(?:(?:grand|sub) ?)?totals?|(?:zwischen|gesamt|end)?summe|ergebnis|sous total|totale?|totaal|subtotaal|suma|razem)$/
const PREPOSITIONS: ReadonlySet<string> = new Set(['for', 'of', 'fur', 'pour', 'de', 'del', 'di', 'van', 'dla'])

/** `germany` of `total germany` and `germany total`; null for any other text. */
function nameOfTotal(folded: string): string | null {
  const words = folded.split(' ')
  const isTotal = (some: readonly string[]): boolean => TOTAL.test(some.join(' '))
  const before = [2, 1].find(many => words.length > many && isTotal(words.slice(0, many)))
  if (before !== undefined) {
    const rest = words.slice(before)
    return (rest.length > 1 && PREPOSITIONS.has(rest[0]!) ? rest.slice(1) : rest).join(' ')
  }
  const after = [2, 1].find(many => words.length > many && isTotal(words.slice(-many)))
  return after === undefined ? null : words.slice(0, -after).join(' ')
}
