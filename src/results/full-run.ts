/**
 * Turns the answer to a row into the one of a run that sends all rows: a service numbers the rows of a job and marks the second row of
 * a company, and both depend on the rows that were sent with it.
 */

import { DigestIndex } from '../files/digest-index.ts'
import { digestOf } from '../files/file-chunks.ts'
import type { KnownRows } from '../pipeline/model/types.ts'
import type { EnrichedColumns } from './enriched-columns.ts'
import type { RowOutcome } from './enriched-file.ts'

const ROW_NUMBER = 'general.rowNumber'
const DUPLICATE = 'general.duplicate'
const DUPLICATE_ID = 'general.duplicateId'

/** A row as the service answered it. */
export interface RawAnswer {
  readonly row: readonly string[]
  readonly columns: EnrichedColumns
  readonly outcome: RowOutcome
  /** What its row number counts from: the number of the row in its job, from 1; 0 for one that was stored. */
  readonly number: number
}

const isMatch = (outcome: RowOutcome): boolean => outcome === 'matched' || outcome === 'manualMatched' || outcome === 'duplicate'

/** Whether a cell of `general.duplicate` marks a duplicate. */
const isYes = (cell: string): boolean => /^(y|yes|true|1)$/i.test(cell)

export class FullRun {
  readonly #parts: KnownRows['parts']
  readonly #companies: DigestIndex
  /** The first row of each company in its job. */
  #firsts: Uint32Array<ArrayBuffer>
  #part = 0

  constructor({ parts }: Pick<KnownRows, 'parts'>) {
    this.#parts = parts
    const rows = parts.reduce((sum, part) => sum + part.rows, 0)
    this.#companies = new DigestIndex(rows)
    this.#firsts = new Uint32Array(Math.max(1, rows))
  }

  /**
   * The answer to the row `asked`, from 0 among those that a full run sends; ascending, or one that was asked for before. `company`: the
   * one found, '' without one.
   */
  answerTo(
    asked: number,
    { row, columns, outcome, number: before }: RawAnswer,
    company: string,
  ): { row: readonly string[]; outcome: RowOutcome } {
    const part = this.#findPart(asked)
    const number = asked - this.#parts[part]!.from + 1
    const first = isMatch(outcome) && company !== '' ? this.#findFirst(part, company, number) : number
    const changed = [...row]
    const set = (name: string, cell: (given: string) => string): void => {
      const at = columns.find(name)
      if (at !== -1) changed[at] = cell(row[at] ?? '')
    }
    set(ROW_NUMBER, given => lessNumber(given, before - number))
    if (!isMatch(outcome) || company === '') return { row: changed, outcome }
    const isFirst = first === number
    set(DUPLICATE, given => (isYes(given) === !isFirst ? given : isFirst ? 'N' : 'Y'))
    set(DUPLICATE_ID, () => (isFirst ? '' : String(first)))
    return { row: changed, outcome: isFirst ? (outcome === 'duplicate' ? 'matched' : outcome) : 'duplicate' }
  }

  #findPart(asked: number): number {
    const isIn = (part: number): boolean => {
      const { from, rows } = this.#parts[part]!
      return asked >= from && asked < from + rows
    }
    const last = isIn(this.#part) ? this.#part : this.#parts.findLastIndex(({ from }) => from <= asked)
    this.#part = Math.max(0, last)
    return this.#part
  }

  #findFirst(part: number, company: string, number: number): number {
    const { size } = this.#companies
    const at = this.#companies.add(digestOf(`${part} ${company}`))
    if (at < size) return this.#firsts[at]!
    if (at === this.#firsts.length) {
      const larger = new Uint32Array(at * 2)
      larger.set(this.#firsts)
      this.#firsts = larger
    }
    this.#firsts[at] = number
    return number
  }
}

/** The cells that the service added, independent of the other rows: what is stored. Its row number is 0 where the service counts from 1. */
export function storedCells({ row, columns, number }: Pick<RawAnswer, 'row' | 'columns' | 'number'>): string[] {
  const numberAt = columns.find(ROW_NUMBER)
  const duplicateAt = columns.find(DUPLICATE)
  const idAt = columns.find(DUPLICATE_ID)
  return columns.added.map(at => {
    const cell = row[at] ?? ''
    if (at === numberAt) return lessNumber(cell, number)
    if (at === duplicateAt) return isYes(cell) ? 'N' : cell
    return at === idAt ? '' : cell
  })
}

const lessNumber = (cell: string, number: number): string => (/^-?\d+$/.test(cell) ? String(Number(cell) - number) : cell)
