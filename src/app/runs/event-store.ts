/** Files of the events of a run: in its directory, at their path, and the record of written events beside the runs. */
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { FettleError } from '../../errors.ts'
import { openSink, removeFile, renameStaged, type SinkOptions, writeAtomic } from '../../files/atomic-file.ts'
import { fileDigest } from '../../files/file-chunks.ts'
import { plainCsv } from '../../formats/text-formats.ts'
import type { RunState } from '../../journal/index.ts'
import { lineOf, type Plan } from '../../pipeline/index.ts'
import { readStates } from '../../results/changes/row-states.ts'
import { EVENTS_FILE } from '../../results/file-names.ts'
import type { Baseline } from '../../results/output/writers.ts'
import type { EventFile, EventStore, KeyedEvent, KnownEvents } from '../../run/index.ts'
import { type EventClaim, type EventLedger, ledgerPath, readLedger, settled, writeLedger } from './event-ledger.ts'
import type { RunDirectory } from './run-directory.ts'
import { parseRunId } from './run-id.ts'

// biome-ignore format: a header reads better in rows
const COLUMNS = [
  'event_id', 'event_date', 'company_id', 'company_name', 'country', 'reference', 'rule', 'rule_name', 'old_value', 'new_value',
]
/** The end of the name of a finished file that waits for its own. */
const STAGED = '.next'
const CSV = plainCsv({ names: COLUMNS, delimiter: ',' })

export const eventsCsv = (events: readonly KeyedEvent[]): string => {
  const rows = events.map(one => [
    ...[String(one.id), one.at, one.company.id, one.company.name, one.company.country, one.reference],
    ...[String(one.rule.code), one.rule.name, one.old, one.new],
  ])
  return CSV.head + (rows.length === 0 ? '' : CSV.render(rows))
}

/** Throws FETTLE_USAGE when a file of events would replace another. */
export async function requireEventsFile(path: string, shown: string): Promise<void> {
  const start = await startOf(path, CSV.head.length)
  if (start === null || start === CSV.head) return
  throw new FettleError('FETTLE_USAGE', `${shown} is not a file of events, and was not replaced`, { hint: 'Name another file.' })
}

/** The first bytes of a file, null when it does not exist. */
async function startOf(path: string, bytes: number): Promise<string | null> {
  const file = await open(path).catch(() => null)
  if (file === null) return null
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}

function readWork(folder: string): KeyedEvent[] {
  const path = join(folder, EVENTS_FILE)
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1)
  return lines.map(line => JSON.parse(line) as KeyedEvent)
}

/** `scope`: the numbers of portfolios and events are those of an account. */
const pathFor = ({ path }: RunDirectory, plan: Plan, identity: string, portfolio: number): string => {
  const scope = createHash('sha256')
    .update(JSON.stringify([identity, portfolio]))
    .digest('hex')
    .slice(0, 16)
  return ledgerPath(dirname(path), lineOf(plan), scope)
}

/** When events of companies were read last, by connectId, in milliseconds since 1970: an earlier answer about one of them is too old. */
export function changedCompaniesOf(directory: RunDirectory, { plan, identity, events }: RunState): ReadonlyMap<string, number> {
  const portfolio = events?.read?.portfolio ?? null
  if (portfolio === null) return new Map()
  const { changed } = readLedger(pathFor(directory, plan, identity, portfolio.id))
  return new Map(Object.entries(changed).map(([id, at]) => [id, Date.parse(at)]))
}

/** A finished file waits for its name, or has it. One that is neither was taken away: its events are written again, rather than lost. */
async function whereIs(claim: EventClaim): Promise<'staged' | 'written' | 'lost'> {
  if (existsSync(claim.staged)) return 'staged'
  return (await isThere(claim)) ? 'written' : 'lost'
}

const isThere = async ({ path, sha256 }: Pick<EventClaim, 'path' | 'sha256'>): Promise<boolean> =>
  (await fileDigest(path)) === sha256

export interface EventPlace {
  readonly directory: RunDirectory
  readonly identity: string
  /** The working directory. */
  readonly root: string
  readonly mode?: number | undefined
  readonly baseline: Baseline | null
  /** Whether a run that is here did not end. */
  readonly isOpen: (runId: string) => boolean
}

export function openEventStore(plan: Plan, { directory, identity, root, mode, baseline, isOpen }: EventPlace): EventStore {
  const { output = '', mark: marks = false } = plan.events ?? {}
  const options: SinkOptions = { root, isShared: true, isIgnored: true, ...(mode === undefined ? {} : { mode }) }
  const pathOf = (portfolio: number): string => pathFor(directory, plan, identity, portfolio)
  const folder = dirname(resolve(root, output))
  const start = `.${basename(output)}.`
  const stagedName = `${start}${directory.id}${STAGED}`
  /** Files that runs of this pipeline finished and did not give their name. */
  const removeStaged = async (): Promise<void> => {
    const names = await readdir(folder).catch(() => [])
    const isOfPipeline = (name: string): boolean => parseRunId(name.slice(start.length, -STAGED.length))?.line === lineOf(plan)
    for (const name of names)
      if (name.startsWith(start) && name.endsWith(STAGED) && isOfPipeline(name)) await removeFile(join(folder, name))
  }
  const writeFile = async (events: readonly KeyedEvent[], name?: string): Promise<EventFile> => {
    await requireEventsFile(resolve(root, output), output)
    const sink = await openSink(output, options)
    try {
      await sink.write(Buffer.from(eventsCsv(events)))
      const sha256 = await sink.finish()
      await sink.publish(name)
      return { path: output, rows: events.length, bytes: sink.bytes, sha256 }
    } finally {
      await sink.discard()
    }
  }
  const knownIn = async ({ since, ids, last, unmarked }: EventLedger): Promise<KnownEvents> => {
    const all = new Set(ids)
    // A run that did not end announced no file: nothing may have read it, and the next one replaces it.
    const isKept = last !== null && last.path === resolve(root, output) && isOpen(last.run) && (await isThere(last))
    const kept = isKept ? readWork(join(dirname(directory.path), last.run)).filter(({ id }) => all.has(id)) : []
    const listed = new Set(kept.map(({ id }) => id))
    return { since, ids: all, kept, unmarked: unmarked.filter(id => !listed.has(id)).length }
  }

  return {
    async known(portfolio) {
      const path = pathOf(portfolio)
      const ledger = readLedger(path)
      const { claim } = ledger
      await removeStaged()
      if (claim === null) return knownIn(ledger)
      const isWritten = (await whereIs(claim)) === 'written'
      const now = isWritten ? settled(ledger, marks) : { ...ledger, claim: null }
      // Not after the record: a stopped run that finds its file would give it its name.
      await removeFile(claim.staged)
      await writeLedger(path, now)
      return knownIn(now)
    },
    async keys(ids) {
      const keys = new Map<string, string>()
      const states = baseline === null ? null : await readStates(baseline.workDir)
      for await (const { company, key } of states?.rows() ?? [])
        if (key !== null && ids.has(company.id) && !keys.has(company.id)) keys.set(company.id, key)
      return keys
    },
    async stage(portfolio, asked, events) {
      const staged = join(folder, stagedName)
      const { bytes, sha256 } = await writeFile(events, stagedName)
      await writeAtomic(join(directory.path, EVENTS_FILE), events.map(one => `${JSON.stringify(one)}\n`).join(''))
      const path = pathOf(portfolio)
      const ids = events.map(({ id }) => id)
      const companies = [...new Set(events.map(({ company }) => company.id))]
      const place = { output, path: resolve(root, output), staged }
      const claim = { run: directory.id, asked, ids, companies, ...place, rows: events.length, bytes, sha256 }
      await writeLedger(path, { ...readLedger(path), claim })
    },
    async isOurs(portfolio) {
      const { claim, last } = readLedger(pathOf(portfolio))
      if (claim === null) return last?.run === directory.id
      return claim.run === directory.id && (await whereIs(claim)) !== 'lost'
    },
    async publish(portfolio) {
      const path = pathOf(portfolio)
      const ledger = readLedger(path)
      const { claim, last } = ledger
      const file = claim ?? last
      if (file?.run !== directory.id) throw new FettleError('FETTLE_BUG', 'a file of events is published that was not staged')
      if (claim !== null) {
        await renameStaged(claim.staged, claim.output, options)
        await writeLedger(path, settled(ledger, marks))
      }
      const { output: to, rows, bytes, sha256 } = file
      return { path: to, rows, bytes, sha256 }
    },
    writeNone: () => writeFile([]),
    unmarked: async portfolio => readLedger(pathOf(portfolio)).unmarked,
    async marked(portfolio, ids) {
      const ledger = readLedger(pathOf(portfolio))
      const done = new Set(ids)
      await writeLedger(pathOf(portfolio), { ...ledger, unmarked: ledger.unmarked.filter(id => !done.has(id)) })
    },
  }
}
