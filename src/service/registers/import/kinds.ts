/** The table of the kinds of source, which import, CLI and docs use, and the reading of their headers. */
import { action, FettleError } from '../../../errors.ts'
import { companiesHouse } from './companies-house.ts'
import { generic } from './csv.ts'
import { gleif } from './gleif.ts'
import type { Columns, Kind } from './kind.ts'

export const KINDS = { csv: generic, gleif, 'companies-house': companiesHouse } as const satisfies Readonly<Record<string, Kind>>

export type KindName = keyof typeof KINDS

export const isKind = (name: string): name is KindName => Object.hasOwn(KINDS, name)

/**
 * The columns of a header, in any case and order; unknown columns are ignored.
 * @throws FettleError FETTLE_INPUT_HEADER when a required column is missing, or a known one occurs twice
 */
export function columnsOf(file: string, header: readonly string[], kind: Pick<Kind, 'needs' | 'header'>): Columns {
  const { needs, header: expected } = kind
  const positions = new Map<string, number>()
  const names = header.map(cell => cell.trim())
  for (const [at, cell] of names.entries()) {
    const column = cell.toLowerCase()
    const isExpected = expected.toLowerCase().split(',').includes(column)
    if (positions.has(column) && isExpected)
      throw new FettleError('FETTLE_INPUT_HEADER', `The header of ${file} has the column ${cell.toLowerCase()} twice`)
    positions.set(column, at)
  }
  const missing = needs.filter(column => !positions.has(column.toLowerCase()))
  if (missing.length > 0) {
    const isKnown = Object.values(KINDS).some(one => one === kind)
    const other = Object.entries(KINDS).find(
      ([, { needs }]) => isKnown && needs.every(column => positions.has(column.toLowerCase())),
    )
    throw new FettleError('FETTLE_INPUT_HEADER', `The header of ${file} has no column ${missing.join(', no column ')}`, {
      hint:
        other === undefined
          ? `The columns are ${expected}.`
          : `The header is that of the kind ${other[0]}: import it as that kind.`,
      ...(other === undefined ? {} : { action: action('register', 'import', other[0], 'FILE') }),
    })
  }
  return {
    cell: (cells, column) => cells[positions.get(column.toLowerCase()) ?? -1]?.trim() ?? '',
    like: pattern => names.filter(column => pattern.test(column)),
  }
}
