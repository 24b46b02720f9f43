/**
 * Proves that the rows of an enriched file are the uploaded rows in their order: by `general.rowNumber`, counted from 1, or by cells
 * that all repeat exactly, the mapped ones among them. Rows with equal mapped cells have equal answers. Without either proof nothing is joined, nor where the
 * companies evidently belong to other rows: a service may number the rows itself, or move its columns against the cells.
 */
import { FettleError } from '../errors.ts'
import { DigestIndex } from '../files/digest-index.ts'
import { digestOf } from '../files/file-chunks.ts'
import { sentCells, uploadHeader } from '../input/upload/upload-row.ts'
import type { Plan } from '../pipeline/model/types.ts'
import { type EnrichedColumns, isTagLike } from './enriched-columns.ts'
import { companyIn, describeHeader } from './enriched-file.ts'
import { type Fit, RowFit } from './row-fit.ts'

const ROW_NUMBER = 'general.rowNumber'

export interface OrderProof {
  /** Throws FETTLE_LEDGER when the enriched row belongs to another uploaded row, FETTLE_ROW_ORDER when neither proof is left. */
  check(number: number, enriched: readonly string[], uploadRow: readonly string[]): void
  /** Call it after the last row of the part. Throws FETTLE_ROW_ORDER when companies belong to other rows, or may. */
  end(): void
}

export const NO_PROOF: OrderProof = { check: () => {}, end: () => {} }

/** The proof of a part of `rows` rows that starts after `rowsBefore` rows. */
export function orderProof(plan: Plan, columns: EnrichedColumns, { rowsBefore, rows }: PartPlace): OrderProof {
  const numberAt = columns.find(ROW_NUMBER)
  const located = columns.own.flatMap((places, index) => (places.length > 0 ? [index] : []))
  const lost = mappedColumns(plan).find(index => !located.includes(index))
  /** For each input column, the columns of the file that have repeated it exactly so far. */
  const own = columns.own.map(places => [...places])
  const shared = located.filter(index => own[index]!.length > 1)
  const contradict = contradiction(plan, columns, located)
  // An enriched file may be uploaded as input: then an added column can have the name of a missing input column.
  const tagLike = located.filter(index => isTagLike(uploadHeader(plan)?.[index] ?? ''))
  const fit = new RowFit(plan, columns, rows)
  const isKeyRepeated = keyProof(plan, columns, rows)
  let hasCompany = false
  let first: readonly string[] | null = null
  /** Rows that are all alike may be exchanged. */
  let areAllAlike = true
  let base: number | null = null
  /** Why row numbers, and why cells, do not prove the order; null as long as they do. */
  let numberProblem = numberAt === -1 ? `it has no ${ROW_NUMBER}` : null
  let cellProblem = lost === undefined ? null : `it does not repeat ${columnLabel(plan, lost)}`
  /** As `cellProblem`, but of cells that the service tidied. */
  let placeProblem = cellProblem

  const readNumber = (number: number, text: string): string | null => {
    if (text.trim() === '') return `${ROW_NUMBER} is empty in row ${number}`
    const stated = Number(text)
    // The contract leaves open whether rows count from 0 or 1, include the header, and restart in each part.
    base ??= stated - number
    const isKnownBase = [-1, 0, 1].some(first => base === first || base === first - rowsBefore)
    if (!isKnownBase || stated - number !== base) throw wrongRow(number, `its ${ROW_NUMBER} is ${text}`)
    // A count from 2 could also be a count from 1 with the first row lost and an extra row at the end.
    return base === -rowsBefore ? null : `${ROW_NUMBER} is not counted from 1`
  }
  const readPlace = (number: number, enriched: readonly string[], uploadRow: readonly string[]): string | null => {
    const differing = mappedColumns(plan).find(index => !columns.own[index]!.some(at => isAlike(enriched[at], uploadRow[index])))
    return differing === undefined ? null : `${columnLabel(plan, differing)} does not repeat in row ${number} what was sent`
  }
  const readCells = (number: number, enriched: readonly string[], uploadRow: readonly string[]): string | null => {
    const complaint = (index: number): string => `${columnLabel(plan, index)} does not repeat in row ${number} what was sent`
    let isFewer = false
    for (const index of located) {
      const left = own[index]!.filter(at => enriched[at] === uploadRow[index])
      if (left.length === 0) return complaint(index)
      isFewer ||= left.length < own[index]!.length
      own[index] = left
    }
    return isFewer && !canPair(shared.map(index => own[index]!)) ? complaint(shared[0]!) : null
  }

  return {
    check(number, enriched, uploadRow) {
      const why = numberAt === -1 ? null : readNumber(number, enriched[numberAt] ?? '')
      numberProblem ??= why
      for (const index of tagLike)
        if (!columns.own[index]!.some(at => isAlike(enriched[at], uploadRow[index])))
          throw wrongRow(
            number,
            `${columnLabel(plan, index)} does not repeat what was sent, so it may be one that the service added`,
          )
      contradict(number, enriched, uploadRow)
      cellProblem ??= readCells(number, enriched, uploadRow)
      placeProblem ??= readPlace(number, enriched, uploadRow)
      isKeyRepeated.add(enriched, uploadRow)
      first ??= uploadRow
      areAllAlike &&= mappedColumns(plan).every(index => uploadRow[index] === first![index])
      hasCompany ||= companyIn(enriched, columns) !== ''
      fit.add(number, enriched, uploadRow)
      if (numberProblem !== null && cellProblem !== null) throw unproven(plan, columns, numberProblem, cellProblem)
    },
    end() {
      const found = fit.end()
      const isShown = cellProblem === null || placeProblem === null || isKeyRepeated.holds()
      if (found.is === 'worse' && !(found.isRare && isShown)) throw misplaced(found)
      if (found.is === 'shifted') throw shifted(found.against)
      if (found.is === 'contrary' && !isShown)
        throw uncertain(plan, placeProblem!, 'the only company has another name than its row')
      if (!isShown && !areAllAlike && found.is === 'unknown' && hasCompany && rows > 1) throw uncertain(plan, placeProblem!)
    },
  }
}

interface PartPlace {
  readonly rowsBefore: number
  readonly rows: number
}

/** Whether the key of the list, another in each row, is repeated in all of them. */
function keyProof({ key }: Plan, { own }: EnrichedColumns, rows: number) {
  const places = key === null ? [] : (own[key.index] ?? [])
  const seen = places.length === 0 ? null : new DigestIndex(rows)
  let isRepeated = seen !== null
  return {
    add(enriched: readonly string[], uploadRow: readonly string[]): void {
      if (!isRepeated || seen === null) return
      const cell = uploadRow[key!.index] ?? ''
      const { size } = seen
      isRepeated = places.every(at => enriched[at] === cell) && seen.add(digestOf(cell)) === size
    },
    holds: () => isRepeated,
  }
}

/** Whether every column can be paired with a different one of its choices (bipartite matching). */
function canPair(choices: readonly (readonly number[])[]): boolean {
  const holder = new Map<number, number>()
  const seat = (column: number, tried: Set<number>): boolean =>
    choices[column]!.some(at => {
      if (tried.has(at)) return false
      tried.add(at)
      const other = holder.get(at)
      if (other !== undefined && !seat(other, tried)) return false
      holder.set(at, column)
      return true
    })
  return choices.every((_, column) => seat(column, new Set()))
}

const mappedColumns = ({ mappings }: Plan): number[] =>
  mappings.filter(({ value }) => value === undefined).map(({ index }) => index)

/**
 * Throws when the cells evidently belong to a different row, regardless of row numbers. Compares the key and most cells, provided
 * that most input columns were found.
 */
function contradiction(plan: Plan, { own }: EnrichedColumns, located: readonly number[]): OrderProof['check'] {
  if (located.length === 0 || located.length * 2 < (sentCells(plan)?.length ?? own.length)) return () => {}
  const isLocated = new Set(located)
  const nameAt = plan.mappings.find(({ mapping }) => mapping === 'name')?.index
  return (number, enriched, uploadRow) => {
    const differs = (index: number): boolean => own[index]!.every(at => !isAlike(enriched[at], uploadRow[index]))
    if (plan.key !== null && isLocated.has(plan.key.index) && differs(plan.key.index))
      throw wrongRow(number, 'its key is not the one that was sent')
    // A service may tidy cells that it repeats; another row differs in most of them, though country or town may agree.
    const filled = located.filter(index => uploadRow[index]?.trim() !== '')
    const strange = filled.filter(differs).length
    // Constant columns agree in every row, so a different name counts too, unless it is the only difference.
    const isOtherName = strange > 1 && nameAt !== undefined && filled.includes(nameAt) && differs(nameAt)
    if (strange > 0 && (isOtherName || strange * 2 >= filled.length))
      throw wrongRow(number, `${strange} of its ${filled.length} cells are not the ones that were sent`)
  }
}

const tidy = (cell = ''): string => cell.trim().replace(/\s+/g, ' ').toLowerCase()

const isAlike = (cell: string | undefined, sent: string | undefined): boolean => cell === sent || tidy(cell) === tidy(sent)

const columnLabel = (plan: Plan, index: number): string => {
  const name = uploadHeader(plan)?.[index]
  return name === undefined ? `column ${index + 1}` : `column ${JSON.stringify(name)}`
}

const wrongRow = (number: number, why: string): FettleError =>
  new FettleError('FETTLE_LEDGER', `row ${number} of the enriched file is not row ${number} of the input: ${why}`)

const PLACES = { before: 'the row before each of them', behind: 'the row behind each of them', any: 'other rows' }

const wrongOrder = (message: string): FettleError => new FettleError('FETTLE_ROW_ORDER', message)

const shifted = (against: keyof typeof PLACES): FettleError =>
  wrongOrder(
    `the companies of the enriched file fit ${PLACES[against]} better than the rows that they stand beside, by name, number or place: the rows were reordered, or the columns of the service were moved against them`,
  )

const misplaced = ({ number, other, isLone }: Fit & { readonly is: 'worse' }): FettleError =>
  wrongOrder(
    `the company beside row ${number} of the enriched file belongs to row ${other}, by its name or number, and ${isLone ? `row ${other} has none` : `the company of row ${number} is beside a different row`}: the rows were reordered, or the columns of the service were moved against them`,
  )

/** A row number that the service counts itself is right in any order. */
function uncertain(
  plan: Plan,
  placeProblem: string,
  fit = 'the companies fit their rows no better than others by name, number or place',
): FettleError {
  const key = plan.key === null ? '' : `, or ${columnLabel(plan, plan.key.index)}, the key of the list`
  return wrongOrder(
    `nothing shows that the companies of the enriched file stand beside their rows: ${ROW_NUMBER} may be counted by the service itself, ${placeProblem}, and ${fit}. Any of these would show it: ${mappedLabels(plan)} as sent${key}; or a name of the company, such as general.companyName in enrich.tags.`,
  )
}

const mappedLabels = (plan: Plan): string =>
  mappedColumns(plan)
    .toSorted((a, b) => a - b)
    .map(index => columnLabel(plan, index))
    .join(', ')

function unproven(plan: Plan, columns: EnrichedColumns, numberProblem: string, cellProblem: string): FettleError {
  const header = columns.find(ROW_NUMBER) === -1 ? ` As it came, ${describeHeader(columns, ROW_NUMBER)}.` : ''
  return wrongOrder(
    `nothing proves that the enriched file has the rows of the input, in their order: ${numberProblem}, and ${cellProblem}. Either would prove it: ${ROW_NUMBER} in every row, counted from 1; or ${mappedLabels(plan)} as sent.${header}`,
  )
}
