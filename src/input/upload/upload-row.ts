/**
 * What of a row of the input goes up: all its cells, those of mapped columns tidied where the pipeline asks for it, constants
 * behind them. Every reader of sent rows comes through here, so that they are the same wherever they are made. Pure.
 */

import { digestOf } from '../../files/digest.ts'
import type { Plan, PlannedMapping } from '../../pipeline/model/types.ts'

type Mappings = readonly PlannedMapping[]
type Row = readonly string[]

/** True when rows do not go up as they are. */
export const changesRows = (mappings: Mappings): boolean =>
  mappings.some(({ pad, trim, value }) => pad !== null || trim || value !== undefined)

/** Makes the row that goes up of one of the input. */
export function rowMaker(mappings: Mappings): (row: Row) => Row {
  if (!changesRows(mappings)) return row => row
  const tidied = mappings.filter(({ pad, trim }) => pad !== null || trim)
  const constants = mappings.flatMap(({ value }) => (value === undefined ? [] : [value]))
  return row => {
    const sent = [...row]
    for (const mapping of tidied) {
      const cell = sent[mapping.index]
      if (cell !== undefined) sent[mapping.index] = tidy(cell, mapping)
    }
    return constants.length === 0 ? sent : [...sent, ...constants]
  }
}

function tidy(cell: string, { pad, trim }: PlannedMapping): string {
  const text = trim ? cell.trim().replace(/\s+/g, ' ') : cell
  return pad !== null && /^[0-9]+$/.test(text) ? text.padStart(pad, '0') : text
}

/** The header that goes up, null for none: the input's, and each constant called after its mapping. */
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

/** Columns that go up. */
export const uploadColumns = ({ input, mappings }: Pick<Plan, 'input' | 'mappings'>): number =>
  input.columns + mappings.filter(({ value }) => value !== undefined).length

/** What two sent rows have in common when they ask the same: 16 bytes, of the mapped cells. */
export function dedupeKeyOf(mappings: Mappings): (sent: Row) => Buffer {
  const indexes = mappings.filter(({ value }) => value === undefined).map(({ index }) => index)
  // Lengths before the cells, so that no two lists of cells make one text.
  return sent => {
    const text = indexes.map(index => `${sent[index]!.length}:${sent[index]}`).join('')
    return digestOf(text)
  }
}
