/** Any list as a register: its columns are proposed as for a list to match, and its rows imported as companies. */
import { resolve } from 'node:path'
import { realClock } from '../client/clock.ts'
import { type Env, findDataDir } from '../env/environment.ts'
import { isUntrusted } from '../env/trust.ts'
import { FettleError, type Issue, issue, type Place } from '../errors.ts'
import { isInside } from '../files/paths.ts'
import { skippedRows } from '../input/upload/upload-row.ts'
import { columnName, type Decisions, nearest, type Proposal, type TableRegister } from '../pipeline/index.ts'
import type { ImportRequest, RegisterInfo } from '../service/registers/index.ts'
import { realPath } from './check-outputs.ts'
import { findColumn, type InspectedColumns, inspectColumns, proposeFor } from './propose.ts'
import { findRegisterDir, registerNames } from './registers.ts'

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

/** The cell of a register's column in a row of a list; '' for a column that the list lacks. */
export function registerCell(columns: TableColumns, row: readonly string[], name: string): string {
  const cells = (columns[name] ?? []).map(at => (row[at] ?? '').trim()).filter(cell => cell !== '')
  return SEPARATOR[name] === undefined ? (cells[0] ?? '') : cells.join(SEPARATOR[name])
}

/** The source of an import. */
export function tableSource(table: InspectedTable, root: string): NonNullable<ImportRequest['table']> {
  const { inspected, columns } = table
  const { facts } = inspected
  const names = Object.keys(columns)
  return {
    columns: describeColumns(table),
    sheet: facts.packed?.as === 'xlsx' ? facts.packed.sheet : null,
    async *rows(after) {
      const { readRows } = await import('../input/table/records.ts')
      const isSkipped = skippedRows(facts)
      let [lines, filled] = [1, 0]
      if (after === 0) yield { cells: names, end: { bytes: 0, lines } }
      for await (const cells of readRows(facts, root)) {
        lines++
        if (isSkipped(cells, lines - 1) || cells.every(cell => cell.trim() === '')) continue
        if (++filled > after) yield { cells: names.map(name => registerCell(columns, cells, name)), end: { bytes: 0, lines } }
      }
    },
  }
}

/** Names what a list is mapped to as a register: mappings, and the columns that only a register has. */
export async function tableTargets(): Promise<readonly string[]> {
  const { KINDS } = await import('../service/registers/index.ts')
  return [...new Set([...Object.keys(REGISTER_COLUMNS_OF), ...KINDS.csv.header.split(',')])]
}

/** Throws FETTLE_INPUT_COLUMNS without a column of names. */
export async function takeTable(
  file: string,
  inspected: InspectedColumns,
  chosen: ReadonlyMap<string, number | null>,
  how: string,
): Promise<InspectedTable> {
  const table = await inspectTable(inspected, chosen)
  if (table.columns.name !== undefined) return table
  throw new FettleError('FETTLE_INPUT_COLUMNS', `no column of ${file} certainly contains the names of the companies`, {
    hint: `Pass the column: ${how}. Its columns: ${inspected.columns.map(columnName).join(', ')}.`,
  })
}

/** Ten minutes: longer than the import of a million companies. */
const [MOST_TRIES, PAUSE_MS] = [2400, 250]

/** Imports a list for the runs that name it; a list that was imported before is only compared. */
export async function importTable(
  path: string,
  table: InspectedTable,
  name: string,
  { env, cwd }: { readonly env: Env; readonly cwd: string },
): Promise<RegisterInfo> {
  const { importRegister } = await import('../service/registers/index.ts')
  const source = tableSource(table, cwd)
  const dir = findRegisterDir(findDataDir(env))
  const request = { file: resolve(cwd, path), kind: 'csv', name, dir, now: new Date(realClock.now()), table: source } as const
  for (let tries = 1; ; tries++)
    try {
      return await importRegister({ ...request, isNamedOnly: true, force: false })
    } catch (error) {
      // Runs of one pipeline, such as shards, import the same list at once.
      if (!FettleError.is(error) || error.code !== 'FETTLE_LOCKED' || tries === MOST_TRIES) throw error
      await realClock.sleep(PAUSE_MS)
    }
}

interface TableContext {
  readonly env: Env
  readonly cwd: string
  readonly signal?: AbortSignal | undefined
  readonly at: Place | null
}

/** Imports the list that a pipeline has as its register; returns what is wrong with it. */
export async function importPipelineRegister(register: TableRegister, context: TableContext): Promise<Issue[]> {
  const { env, cwd, at } = context
  try {
    if (isUntrusted(env) && !isInside(await realPath(resolve(cwd)), await realPath(resolve(cwd, register.file))))
      return [
        issue(
          'FETTLE_UNTRUSTED',
          `${register.file} was not read, because the pipeline is untrusted: it is outside the working directory`,
          { at },
        ),
      ]
    const { path, table } = await readPipelineTable(register, context)
    const info = await importTable(path, table, registerNames(register, cwd)![0]!, context)
    return info.skipped === 0 ? [] : [skippedNote(register.file, info, at)]
  } catch (error) {
    if (!FettleError.is(error)) throw error
    const { code, message, hint, action, issues } = error
    const found = issues.length > 0 ? issues : [issue(code, message, { hint, ...(action && { action }) })]
    return found.map(one => ({ ...one, hint: one.hint?.replaceAll('input.', 'register.') ?? null, at: one.at ?? at }))
  }
}

async function readPipelineTable({ file, map, ...how }: TableRegister, { cwd, signal }: TableContext) {
  const skip = { head: 'auto', tail: 'auto' } as const
  const reading = { path: file, header: true, skip, ...how, sheet: how.sheet ?? null }
  const inspected = await inspectColumns(reading, cwd, signal ?? new AbortController().signal)
  const targets = await tableTargets()
  const chosen = new Map<string, number | null>()
  for (const [target, column] of Object.entries(map)) {
    const refuse = (why: string, hint: string) =>
      new FettleError('FETTLE_INPUT_COLUMNS', `register.map.${target} of ${file}: ${why}`, { hint })
    const close = nearest(target, targets)
    if (!targets.includes(target))
      throw refuse(
        `there is no such mapping${close === null ? '' : `; did you mean ${close}?`}`,
        `Mappings are ${targets.join(', ')}.`,
      )
    const hint = `Its columns: ${inspected.columns.map(columnName).join(', ')}.`
    const found =
      column === '-' ? null : findColumn(column, inspected.columns, why => refuse(`${JSON.stringify(column)}: ${why}`, hint))
    chosen.set(target === 'id' ? 'key' : target, found)
  }
  return { path: file, table: await takeTable(file, inspected, chosen, 'register: { file, map: { name: HEADER } }') }
}

const skippedNote = (file: string, { skipped, skippedRows: [first] }: RegisterInfo, at: Place | null): Issue =>
  issue(
    'FETTLE_REGISTER_ROWS',
    `${skipped} ${skipped === 1 ? 'row' : 'rows'} of ${file} ${skipped === 1 ? 'is' : 'are'} no company and cannot be matched${first === undefined ? '' : `; line ${first.line}: ${first.why}`}`,
    { severity: 'warn', at },
  )
