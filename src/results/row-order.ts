/**
 * What proves that the rows of an enriched file are the rows that were sent, in their order: `general.rowNumber`, counted from 1,
 * or every mapped cell repeated to the letter: rows that are alike in them ask the same. What proves neither is not joined.
 */
import { FettleError } from '../errors.ts'
import { uploadHeader } from '../input/upload/upload-row.ts'
import type { Plan } from '../pipeline/model/types.ts'
import { type EnrichedColumns, isTagLike } from './enriched-columns.ts'

const ROW_NUMBER = 'general.rowNumber'

/** The proof of one part: all its rows by their numbers, or all by their own cells. */
export interface OrderProof {
  /** Looks at the next row. Throws FETTLE_LEDGER when it is another one, FETTLE_ROW_ORDER when nothing proves that it is this one. */
  check(number: number, enriched: readonly string[], sent: readonly string[]): void
}

/** In place of the proof of a part that failed. */
export const NO_PROOF: OrderProof = { check: () => {} }

/** The proof of a part that begins after `rowsBefore` rows. */
export function orderProof(plan: Plan, columns: EnrichedColumns, rowsBefore: number): OrderProof {
  const numberAt = columns.find(ROW_NUMBER)
  const located = columns.own.flatMap((places, index) => (places.length > 0 ? [index] : []))
  const lost = mappedColumns(plan).find(index => !located.includes(index))
  /** What is left of the places of each own column: those that have repeated it to the letter so far. */
  const own = columns.own.map(places => [...places])
  const shared = located.filter(index => own[index]!.length > 1)
  const contradict = contradiction(plan, columns, located)
  // As in a result that is sent again: the own one may be missing, and an added one stand in its place.
  const tagLike = located.filter(index => isTagLike(uploadHeader(plan)?.[index] ?? ''))
  let base: number | null = null
  /** Why row numbers, and why own cells, prove nothing; null as long as they do. */
  let unnumbered = numberAt === -1 ? `it has no ${ROW_NUMBER}` : null
  let unlike = lost === undefined ? null : `it does not repeat ${called(plan, lost)}`

  const readNumber = (number: number, text: string): string | null => {
    if (text.trim() === '') return `${ROW_NUMBER} is empty in row ${number}`
    const said = Number(text)
    // Whether rows are counted from 0 or 1, with the header or without it, over the part or the run, is not documented.
    base ??= said - number
    const isKnownBase = [-1, 0, 1].some(first => base === first || base === first - rowsBefore)
    if (!isKnownBase || said - number !== base) throw astray(number, `it says it is row ${text}`)
    // Rows counted from 2 may as well be counted from 1, with the first one lost and one too many at the end.
    return base === -rowsBefore ? null : `${ROW_NUMBER} is not counted from 1`
  }
  const readCells = (number: number, enriched: readonly string[], sent: readonly string[]): string | null => {
    const complaint = (index: number): string => `${called(plan, index)} does not repeat in row ${number} what was sent`
    let isFewer = false
    for (const index of located) {
      const left = own[index]!.filter(at => enriched[at] === sent[index])
      if (left.length === 0) return complaint(index)
      isFewer ||= left.length < own[index]!.length
      own[index] = left
    }
    return isFewer && !canPair(shared.map(index => own[index]!)) ? complaint(shared[0]!) : null
  }

  return {
    check(number, enriched, sent) {
      const why = numberAt === -1 ? null : readNumber(number, enriched[numberAt] ?? '')
      unnumbered ??= why
      for (const index of tagLike)
        if (!columns.own[index]!.some(at => isAlike(enriched[at], sent[index])))
          throw astray(number, `${called(plan, index)} does not repeat what was sent, so it may be one that the service added`)
      contradict(number, enriched, sent)
      unlike ??= readCells(number, enriched, sent)
      if (unnumbered !== null && unlike !== null) throw unproven(plan, unnumbered, unlike)
    },
  }
}

/** Whether each can have a place of its own among its places. */
function canPair(choices: readonly (readonly number[])[]): boolean {
  const holder = new Map<number, number>()
  const seat = (one: number, tried: Set<number>): boolean =>
    choices[one]!.some(at => {
      if (tried.has(at)) return false
      tried.add(at)
      const other = holder.get(at)
      if (other !== undefined && !seat(other, tried)) return false
      holder.set(at, one)
      return true
    })
  return choices.every((_, one) => seat(one, new Set()))
}

/** The mapped columns of the input. */
const mappedColumns = ({ mappings }: Plan): number[] =>
  mappings.filter(({ value }) => value === undefined).map(({ index }) => index)

/**
 * Throws at a row whose own cells are evidently those of another one, whatever its number says: where most columns of the input
 * were found, by the key and by most of the cells.
 */
function contradiction(plan: Plan, { own }: EnrichedColumns, located: readonly number[]): OrderProof['check'] {
  if (located.length === 0 || located.length * 2 < own.length) return () => {}
  const isLocated = new Set(located)
  const nameAt = plan.mappings.find(({ mapping }) => mapping === 'name')?.index
  return (number, enriched, sent) => {
    const differs = (index: number): boolean => own[index]!.every(at => !isAlike(enriched[at], sent[index]))
    if (plan.key !== null && isLocated.has(plan.key.index) && differs(plan.key.index))
      throw astray(number, 'its key is not the one that was sent')
    // A service may tidy a cell it repeats; another row shows in most of them, though a country or a town may be the same.
    const filled = located.filter(index => sent[index]?.trim() !== '')
    const strange = filled.filter(differs).length
    // Columns that are alike in every row prove nothing: a name that is another one does, when it is not the only change.
    const isOtherName = strange > 1 && nameAt !== undefined && filled.includes(nameAt) && differs(nameAt)
    if (strange > 0 && (isOtherName || strange * 2 >= filled.length))
      throw astray(number, `${strange} of its ${filled.length} cells are not the ones that were sent`)
  }
}

/** A cell with what a service may have tidied in it left out. */
const tidy = (cell = ''): string => cell.trim().replace(/\s+/g, ' ').toLowerCase()

const isAlike = (cell: string | undefined, sent: string | undefined): boolean => cell === sent || tidy(cell) === tidy(sent)

const called = (plan: Plan, index: number): string => {
  const name = uploadHeader(plan)?.[index]
  return name === undefined ? `column ${index + 1}` : `column ${JSON.stringify(name)}`
}

const astray = (number: number, why: string): FettleError =>
  new FettleError('FETTLE_LEDGER', `row ${number} of the enriched file is not row ${number} of the input: ${why}`)

function unproven(plan: Plan, unnumbered: string, unlike: string): FettleError {
  const names = mappedColumns(plan)
    .toSorted((a, b) => a - b)
    .map(index => called(plan, index))
  return new FettleError(
    'FETTLE_ROW_ORDER',
    `nothing proves that the rows of the enriched file are those of the input, in their order: ${unnumbered}, and ${unlike}. Either would prove it: ${ROW_NUMBER} in every row, counted from 1; or ${names.join(', ')} as sent.`,
  )
}
