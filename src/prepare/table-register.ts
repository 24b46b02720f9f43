/** Any list as a register: its columns are proposed as for a list to match, and its rows imported as companies. */
import { columnName, type Decisions, type Proposal } from '../pipeline/index.ts'
import type { ImportRequest } from '../service/registers/index.ts'
import { type InspectedColumns, proposeFor } from './propose.ts'

/** Columns of the register by what a list calls them; several columns are joined. `region` and the like have no column. */
export const REGISTER_COLUMNS_OF = {
  key: 'id',
  name: 'name',
  country: 'country',
  countryCode: 'country',
  orgNumber: 'orgNumber',
  vatNumber: 'vatNumber',
  tradingName: 'tradingNames',
  aliasName: 'tradingNames',
  previousName: 'previousNames',
  address1: 'address1',
  address2: 'address2',
  address3: 'address2',
  town: 'town',
  postcode: 'postcode',
  phone: 'phone',
  email: 'email',
} as const

/** Between the cells of columns that are joined; a number is taken from the first filled column. */
const SEPARATOR: Readonly<Record<string, string>> = { tradingNames: '|', previousNames: '|', address2: ', ' }

/** The indices of the columns of a list, by column of the register. */
export type TableColumns = Readonly<Record<string, readonly number[]>>

export interface InspectedTable {
  readonly inspected: InspectedColumns
  readonly proposal: Proposal
  readonly columns: TableColumns
}

const fold = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]+/g, '')

/** `chosen` has the choices of the user, also for columns that only a register has. A header that is a column of registers is taken as such. */
export async function inspectTable(
  inspected: InspectedColumns,
  chosen: ReadonlyMap<string, number | null>,
): Promise<InspectedTable> {
  const { KINDS } = await import('../service/registers/index.ts')
  const own = KINDS.csv.header.split(',')
  const decided = new Map<string, number | null>(chosen)
  const columns: Record<string, readonly number[]> = {}
  for (const { header, index } of inspected.columns) {
    const column = header === null ? undefined : own.find(name => fold(name) === fold(header))
    if (column === undefined || [...decided].some(([target, taken]) => taken === index || target === column)) continue
    const target = Object.entries(REGISTER_COLUMNS_OF).find(([, name]) => name === column)?.[0] ?? column
    if (!decided.has(target)) decided.set(target, index)
  }
  const isMapping = (target: string): boolean => Object.hasOwn(REGISTER_COLUMNS_OF, target)
  const proposal = await proposeFor(inspected, new Map([...decided].filter(([target]) => isMapping(target))) as Decisions)
  for (const { column, status, target } of proposal.columns) {
    const name =
      status === 'mapped' && target !== null && isMapping(target)
        ? REGISTER_COLUMNS_OF[target as keyof typeof REGISTER_COLUMNS_OF]
        : null
    if (name !== null) columns[name] = [...(columns[name] ?? []), column.index]
  }
  for (const [target, index] of decided) if (!isMapping(target) && index !== null) columns[target] = [index]
  return { inspected, proposal, columns }
}

/** `name: Vendor, postcode: Post code` */
const describeColumns = ({ inspected, columns }: InspectedTable): Record<string, string> =>
  Object.fromEntries(
    Object.entries(columns).map(([name, places]) => [
      name,
      places.map(at => inspected.columns[at]!.header ?? columnName(inspected.columns[at]!)).join(', '),
    ]),
  )

/** The source of an import. */
export function tableSource(table: InspectedTable, root: string): NonNullable<ImportRequest['table']> {
  const { inspected, columns } = table
  const { facts } = inspected
  const names = Object.keys(columns)
  const cellOf = (row: readonly string[], name: string): string => {
    const cells = columns[name]!.map(at => (row[at] ?? '').trim()).filter(cell => cell !== '')
    return SEPARATOR[name] === undefined ? (cells[0] ?? '') : cells.join(SEPARATOR[name])
  }
  return {
    columns: describeColumns(table),
    sheet: facts.packed?.as === 'xlsx' ? facts.packed.sheet : null,
    async *rows(after) {
      const { readRows } = await import('../input/table/records.ts')
      let [lines, filled] = [1, 0]
      if (after === 0) yield { cells: names, end: { bytes: 0, lines } }
      for await (const cells of readRows(facts, root)) {
        lines++
        if (cells.every(cell => cell.trim() === '')) continue
        if (++filled > after) yield { cells: names.map(name => cellOf(cells, name)), end: { bytes: 0, lines } }
      }
    },
  }
}
