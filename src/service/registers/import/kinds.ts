/**
 * The kinds of source that can be imported: how the header of each is read, and its rows as companies. The table that import, CLI and
 * docs read; each kind's columns are a file of their own.
 */
import { action, FettleError } from '../../../errors.ts'
import { companiesHouse } from './companies-house.ts'
import { generic } from './csv.ts'
import { gleif } from './gleif.ts'
import type { Columns, Kind } from './kind.ts'

/** Kinds by the name they have on the command line. */
export const KINDS = { csv: generic, gleif, 'companies-house': companiesHouse } as const satisfies Readonly<Record<string, Kind>>

/** Name of a kind of source. */
export type KindName = keyof typeof KINDS

/** True for the name of a kind. */
export const isKind = (name: string): name is KindName => Object.hasOwn(KINDS, name)

/**
 * The columns of a header, in any case and order; those that a kind does not know are ignored.
 * @throws FettleError FETTLE_INPUT_HEADER when one that is needed is missing, or one that is read stands twice
 */
export function columnsOf(file: string, header: readonly string[], kind: Pick<Kind, 'needs' | 'header'>): Columns {
  const { needs, header: usual } = kind
  const places = new Map<string, number>()
  const names = header.map(cell => cell.trim())
  for (const [at, cell] of names.entries()) {
    const column = cell.toLowerCase()
    const isUsual = usual.toLowerCase().split(',').includes(column)
    if (places.has(column) && isUsual)
      throw new FettleError('FETTLE_INPUT_HEADER', `The header of ${file} has the column ${cell.toLowerCase()} twice`)
    places.set(column, at)
  }
  const missing = needs.filter(column => !places.has(column.toLowerCase()))
  if (missing.length > 0) {
    const isKnown = Object.values(KINDS).some(one => one === kind)
    const other = Object.entries(KINDS).find(
      ([, { needs }]) => isKnown && needs.every(column => places.has(column.toLowerCase())),
    )
    throw new FettleError('FETTLE_INPUT_HEADER', `The header of ${file} has no column ${missing.join(', no column ')}`, {
      hint:
        other === undefined ? `The columns are ${usual}.` : `The header is that of the kind ${other[0]}: import it as that kind.`,
      ...(other === undefined ? {} : { action: action('register', 'import', other[0], 'FILE') }),
    })
  }
  return {
    cell: (cells, column) => cells[places.get(column.toLowerCase()) ?? -1]?.trim() ?? '',
    like: pattern => names.filter(column => pattern.test(column)),
  }
}
