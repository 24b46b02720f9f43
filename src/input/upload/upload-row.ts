/**
 * Makes the uploaded row from an input row: all cells, mapped ones tidied, constants appended; rows without a value are not sent. Every
 * reader of uploaded rows uses it, so that they are the same everywhere.
 */
import type { InputFacts, Plan, PlannedMapping } from '../../pipeline/model/types.ts'

type Mappings = readonly PlannedMapping[]
type Row = readonly string[]

export const changesRows = (mappings: Mappings): boolean =>
  mappings.some(({ pad, trim, value }) => pad !== null || trim || value !== undefined)

export function rowMaker(mappings: Mappings): (row: Row) => Row {
  if (!changesRows(mappings)) return row => row
  const tidied = mappings.filter(({ pad, trim }) => pad !== null || trim)
  const constants = mappings.flatMap(({ value }) => (value === undefined ? [] : [value]))
  return inputRow => {
    const uploadRow = [...inputRow]
    for (const mapping of tidied) {
      const cell = uploadRow[mapping.index]
      if (cell !== undefined) uploadRow[mapping.index] = tidy(cell, mapping)
    }
    return constants.length === 0 ? uploadRow : [...uploadRow, ...constants]
  }
}

function tidy(cell: string, { pad, trim }: PlannedMapping): string {
  const text = trim ? cell.trim().replace(/\s+/g, ' ') : cell
  return pad !== null && /^[0-9]+$/.test(text) ? text.padStart(pad, '0') : text
}

/** The uploaded header, null without one: the header of the input, and a column per constant named after its mapping. */
export function uploadHeader({ input: { header }, mappings }: Pick<Plan, 'input' | 'mappings'>): Row | null {
  if (header === null) return null
  const names = [...header]
  for (const { mapping, value } of mappings) {
    if (value === undefined) continue
    let name: string = mapping
    while (names.includes(name)) name = `${name} (fettle)`
    names.push(name)
  }
  return names
}

export const uploadColumns = ({ input, mappings }: Pick<Plan, 'input' | 'mappings'>): number =>
  input.columns + mappings.filter(({ value }) => value !== undefined).length

/** The cells of a row that are sent, where not all of them are: the mapped cells, in the order of the columns. */
export function sentCells({ mappings, send }: Pick<Plan, 'mappings' | 'send'>): readonly number[] | null {
  return send === undefined ? null : [...new Set(mappings.map(({ index }) => index))].sort((a, b) => a - b)
}

const BLANK = /^[\t-\r ]*$/

const isEmptyRow = (row: readonly string[]): boolean => row.every(cell => BLANK.test(cell))

/**
 * Selects the rows of an input that are not sent: those without a value, as the scanner counts them, headings and totals. `number` counts
 * the rows of the list from 1.
 */
export function skippedRows({
  emptyRows,
  sections,
}: Pick<InputFacts, 'emptyRows' | 'sections'>): (row: readonly string[], number: number) => boolean {
  if (emptyRows === undefined) return () => false
  const numbers = new Set(sections)
  return (row, number) => numbers.has(number) || isEmptyRow(row)
}
