/** `fettle register`: imports, lists, shows and removes company registers. */
import { basename, resolve } from 'node:path'
import { counted } from '../../counted.ts'
import { type Env, registersOf } from '../../env/environment.ts'
import { countKinds, kindWords } from '../../model/event-kinds.ts'
import { findRegisterDir } from '../../prepare/registers.ts'
import { escapeTerminal } from '../../report/index.ts'
import { type ImportEvent, importEvents } from '../../service/monitoring/events.ts'
import {
  type ChangeSetInfo,
  changeAliases,
  importRegister,
  isKind,
  isKnownHeader,
  KINDS,
  listRegisters,
  type RegisterInfo,
  readAliases,
  readHeader,
  registerInfo,
  removeRegister,
  SAMPLE,
} from '../../service/registers/index.ts'
import { type Flags, usageError } from '../command.ts'
import { isOn, needText, textFlag } from '../options/read.ts'
import type { Io } from '../terminal/io.ts'
import { showLongTask } from '../terminal/progress/index.ts'
import { proposalTable } from './init/proposal.ts'
import { runStore, type Store, storedName } from './store.ts'
import { printSkipped } from './table-register.ts'

/** Printed as text; `--json` has up to `MOST_LISTED`. */
const SHOWN = 10
const MOST_LISTED = 100_000

/** The events that the import caused; absent where nothing was imported into a register that was there. */
interface Imported extends RegisterInfo {
  readonly events?: {
    readonly count: number
    /** Companies by what happened to them. */
    readonly kinds: Readonly<Record<string, number>>
    readonly listed: readonly ImportEvent[]
  }
}

const describeChanges = ({ file, from, added, removed, changed }: ChangeSetInfo): string =>
  `  changes   ${added} added, ${removed} removed, ${changed} changed since the snapshot of ${from.snapshotDate}: ${file}`

function describeEvents({ count, kinds, listed }: NonNullable<Imported['events']>): string[] {
  if (count === 0) return ['  events    none']
  const lines = listed
    .slice(0, SHOWN)
    .map(({ company: { id, name }, field, old, new: now }) => `${name} (${id})  ${field}: ${old || '-'} -> ${now || '-'}`)
  const more = count > SHOWN ? [`and ${counted(count - SHOWN, 'more event')}; --json lists them`] : []
  return [
    `  events    ${kindWords(kinds)}; a service raises events of companies in its portfolios`,
    ...[...lines, ...more].map(line => `            ${line}`),
  ]
}

async function withEvents(info: RegisterInfo, dir: string): Promise<Imported> {
  const set = info.changes?.at(-1)
  if (set === undefined || set.to.importedAt !== info.importedAt) return info
  const kinds: Record<string, number> = {}
  const listed: ImportEvent[] = []
  let count = 0
  for await (const events of importEvents(dir, info.name, set)) {
    for (const [kind, companies] of Object.entries(countKinds(events))) kinds[kind] = (kinds[kind] ?? 0) + companies
    count += events.length
    if (listed.length < MOST_LISTED) listed.push(...events)
  }
  return { ...info, events: { count, kinds, listed: listed.slice(0, MOST_LISTED) } }
}

/** Whether a run that names no register uses this one. */
function describeUse({ name, isNamedOnly }: RegisterInfo, env: Env): string {
  const set = registersOf(env)
  const isUsed = set === null ? name !== SAMPLE && isNamedOnly !== true : set.includes(name)
  const why = set === null ? '' : ` (FETTLE_REGISTER names ${set.join(', ')})`
  return `${isUsed ? 'takes part if no register is named' : `takes part only if it is named: --register ${name}`}${why}`
}

function describe(info: Imported, env: Env): readonly string[] {
  const countries = Object.entries(info.countries)
    .sort((a, b) => b[1] - a[1])
    .slice(0, 8)
    .map(([country, count]) => `${country || '(none)'} ${count}`)
  const { officers } = info
  const lines = [
    `${info.name}: ${counted(info.companies, 'company', 'companies')} (${countries.join(', ')})`,
    `  use       ${describeUse(info, env)}`,
    info.name === SAMPLE && '  invented  its companies do not exist',
    `  source    ${info.source} (${info.kind}), ${counted(info.bytes, 'byte')}, sha256 ${info.sha256}`,
    `  imported  ${info.importedAt}${info.snapshotDate === null ? '' : `, snapshot of ${info.snapshotDate}`}`,
    ...(info.changes ?? []).slice(-1).map(describeChanges),
    ...(info.events === undefined ? [] : describeEvents(info.events)),
    info.table &&
      `  columns   ${Object.entries(info.table.columns)
        .map(([name, header]) => `${name}: ${header}`)
        .join(', ')}`,
    info.aliases && `  aliases   ${info.aliases.names} confirmed names`,
    info.skipped > 0 && `  skipped   ${counted(info.skipped, 'row')}`,
    info.relations && `  parents   of ${counted(info.relations.companies, 'company', 'companies')} from ${info.relations.source}`,
    officers && `  officers  ${officers.officers} from ${officers.source}`,
    officers && officers.skipped > 0 && `  skipped   ${counted(officers.skipped, 'row')} of them`,
  ]
  return lines.filter(line => typeof line === 'string')
}

/** Accepted lines become aliases of their companies; those that were rejected or undone since are aliases no more. */
async function importDecisions(flags: Flags, dir: string, io: Io): Promise<RegisterInfo> {
  const name = needText(flags, 'name')
  const { Decisions, requireDecisions } = await import('../../results/index.ts')
  const lines = await requireDecisions(needText(flags, 'file'), io.cwd)
  const decisions = new Decisions(lines, new Date().toISOString().slice(0, 10))
  const decided = new Set(lines.map(({ fingerprint }) => fingerprint))
  const add = decisions.linesAbout(decided).filter(line => line.decision === 'accept' && line.name !== '')
  const { info, added, removed, unknown } = await changeAliases(dir, name, { add, decided })
  const unused = unknown === 0 ? '' : `; ${unknown} of companies that the register does not have`
  if (!isOn(flags, 'quiet') || unknown > 0) io.err(escapeTerminal(`confirmed names: ${added} added, ${removed} removed${unused}`))
  return info
}

/** Prints the confirmed names as a decisions file, which can be imported again. */
async function printAliases(name: string, dir: string, io: Io): Promise<void> {
  const { decisionsText } = await import('../../results/index.ts')
  const aliases = await readAliases(dir, await registerInfo(dir, name))
  io.out(decisionsText(aliases.map(alias => ({ ...alias, decision: 'accept', expires: '' }))).trimEnd())
}

const TABLE_FLAGS = ['map', 'id', 'sheet', 'encoding', 'delimiter', 'header', 'skip-head', 'skip-tail']

/** Absent for a file with the header of a register. */
async function readAnyTable(file: string, flags: Flags, io: Io) {
  const isAsked = TABLE_FLAGS.some(flag => flags[flag] !== undefined)
  const header = isAsked ? null : await readHeader(file)
  if (header !== null && isKnownHeader(header)) return undefined
  const { readTable } = await import('./table-register.ts')
  const { tableSource } = await import('../../prepare/table-register.ts')
  const table = await readTable(file, flags, io)
  if (!isOn(flags, 'quiet')) io.err(proposalTable(table.inspected, table.proposal, io))
  return tableSource(table, io.cwd)
}

async function importInto(flags: Flags, dir: string, io: Io): Promise<Imported> {
  const kind = needText(flags, 'kind-or-name')
  if (kind === 'decisions') return importDecisions(flags, dir, io)
  if (!isKind(kind)) {
    const kinds = Object.entries(KINDS)
      .map(([name, { summary }]) => `${name}: ${summary}`)
      .join('; ')
    throw usageError(`cannot import "${kind}": fettle imports ${Object.keys(KINDS).join(', ')}, decisions`, `${kinds}.`)
  }
  const file = resolve(io.cwd, needText(flags, 'file'))
  const name =
    textFlag(flags, 'name') ?? storedName(basename(file).replace(/(?:\.(?:csv|tsv|gz|zip|txt|xlsx|jsonl|ndjson|parquet))+$/i, ''))
  if (name === SAMPLE)
    throw usageError(`the name ${SAMPLE} belongs to the register of invented companies`, 'Pass --name with another name.')
  const isQuiet = isOn(flags, 'quiet')
  const work = showLongTask(io, isQuiet)
  const onProgress = (rows: number): void => work.rows(basename(file), rows)
  const people = textFlag(flags, 'officers')
  const officers = people === null ? undefined : resolve(io.cwd, people)
  const force = isOn(flags, 'force')
  const now = new Date()
  const table = kind === 'csv' ? await readAnyTable(file, flags, io) : undefined
  const records = textFlag(flags, 'relations')
  if (records !== null && kind !== 'gleif')
    throw usageError('--relations belongs to register import gleif', 'In your own columns, name the parent in the column parent.')
  const relations = records === null ? undefined : resolve(io.cwd, records)
  const request = { file, kind, officers, relations, name, dir, now, force, table, onProgress }
  const info = await importRegister(request).finally(work.stop)
  if (info.importedAt !== now.toISOString()) {
    const unchanged = `${basename(file)} was imported on ${info.importedAt.slice(0, 10)} and is unchanged; --force imports it again`
    if (!isQuiet) io.err(escapeTerminal(unchanged))
    return info
  }
  printSkipped(io, info.skipped, info.skippedRows)
  if (info.officers !== undefined)
    printSkipped(io, info.officers.skipped, info.officers.skippedRows, ` of ${info.officers.source}`)
  return withEvents(info, dir)
}

const REGISTERS: Store<Imported> = {
  dirOf: findRegisterDir,
  add: importInto,
  actions: { aliases: printAliases },
  list: listRegisters,
  read: registerInfo,
  remove: removeRegister,
  describe,
  empty: { what: 'register', command: 'fettle register import csv FILE' },
}

export const run = (flags: Flags, io: Io): Promise<number> => runStore(REGISTERS, flags, io)
