/** Files of the events of a run: in its directory, at their path, and the record of written events beside the runs. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { parseWireDate } from '../../contract/index.ts'
import { FettleError } from '../../errors.ts'
import { openSink, removeFile, renameStaged, type SinkOptions } from '../../files/atomic-file.ts'
import { fileDigest } from '../../files/file-chunks.ts'
import type { RunState } from '../../journal/index.ts'
import type { KeyedEvent } from '../../model/requests.ts'
import { lineOf, type Plan } from '../../pipeline/index.ts'
import { readStates } from '../../results/changes/row-states.ts'
import { eventsCsv, readEventsFile, requireEventsFile } from '../../results/output/events-file.ts'
import type { Baseline } from '../../results/output/writers.ts'
import type { EventFile, EventStore, KnownEvents } from '../../run/index.ts'
import {
  type EventClaim,
  type EventLedger,
  isDelivered,
  ledgerPath,
  readLedger,
  settled,
  writeDelivered,
  writeLedger,
} from './event-ledger.ts'
import type { RunDirectory } from './run-directory.ts'
import { parseRunId } from './run-id.ts'

/** The end of the name of a finished file that waits for its own. */
const STAGED = '.next'
/** `scope`: the numbers of portfolios and events are those of an account. */
const pathFor = ({ path }: RunDirectory, plan: Plan, identity: string, portfolio: number): string => {
  const scope = createHash('sha256')
    .update(JSON.stringify([identity, portfolio]))
    .digest('hex')
    .slice(0, 16)
  return ledgerPath(dirname(path), lineOf(plan), scope)
}

/** When the last event of each company happened, by connectId, in milliseconds since 1970: an earlier answer about one of them is too old. */
export function changedCompaniesOf(directory: RunDirectory, { plan, identity, events }: RunState): ReadonlyMap<string, number> {
  const portfolio = events?.read?.portfolio ?? null
  if (portfolio === null) return new Map()
  const { changed } = readLedger(pathFor(directory, plan, identity, portfolio.id))
  return new Map(Object.entries(changed).map(([id, at]) => [id, Date.parse(at)]))
}

const DAY_MS = 86_400_000

/**
 * When an event happened, as the service dates it: the end of a second that it writes without a fraction. It is `asked` at the latest,
 * and for a date without a time, which does not show whether an answer of that day has the change.
 */
function happenedAt(date: string, asked: string): string {
  const millis = parseWireDate(date)
  if (millis === null || millis % DAY_MS === 0) return asked
  const happened = new Date(millis % 1_000 === 0 ? millis + 999 : millis).toISOString()
  return happened < asked ? happened : asked
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
}

/** The command of a finished run ends with exit code 0: what follows it reads the file of events, and the next run may replace it. */
export async function recordDelivery(directory: RunDirectory, { plan, identity, events, finished }: RunState): Promise<void> {
  const portfolio = events?.read?.portfolio ?? null
  if (finished && portfolio !== null) await writeDelivered(pathFor(directory, plan, identity, portfolio.id), directory.id)
}

export function openEventStore(plan: Plan, { directory, identity, root, mode, baseline }: EventPlace): EventStore {
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
  const knownIn = async (portfolio: number, { since, ids, last, unmarked }: EventLedger): Promise<KnownEvents> => {
    const all = new Set(ids)
    // What follows a run goes on after exit code 0: without it nothing may have read the file, and this run replaces it.
    const isReplaced = last !== null && last.path === resolve(root, output) && !isDelivered(pathOf(portfolio), last.run)
    const kept = isReplaced && (await isThere(last)) ? await readEventsFile(last.path) : []
    const listed = new Set(kept.map(({ id }) => id))
    return { since, ids: all, kept, unmarked: unmarked.filter(id => !listed.has(id)).length }
  }

  return {
    async known(portfolio) {
      const path = pathOf(portfolio)
      const ledger = readLedger(path)
      const { claim } = ledger
      await removeStaged()
      if (claim === null) return knownIn(portfolio, ledger)
      const isWritten = (await whereIs(claim)) === 'written'
      const now = isWritten ? settled(ledger, marks) : { ...ledger, claim: null }
      // Not after the record: a stopped run that finds its file would give it its name.
      await removeFile(claim.staged)
      await writeLedger(path, now)
      return knownIn(portfolio, now)
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
      const path = pathOf(portfolio)
      const ids = events.map(({ id }) => id)
      const ledger = readLedger(path)
      const before = new Set(ledger.ids)
      // An answer of the run before about a company whose event is written again is not too old.
      const companies: Record<string, string> = {}
      for (const { company, at } of events.filter(({ id }) => !before.has(id))) {
        const happened = happenedAt(at, asked)
        if (happened > (companies[company.id] ?? '')) companies[company.id] = happened
      }
      const place = { output, path: resolve(root, output), staged }
      const claim = { run: directory.id, asked, ids, companies, ...place, rows: events.length, bytes, sha256 }
      await writeLedger(path, { ...ledger, claim })
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
