/** Files of the events of a run: what it read, in its directory; its own file and the copy under the fixed name; and the record of written events. */

import { createHash } from 'node:crypto'
import { dirname, join, resolve } from 'node:path'
import { z } from 'zod'
import { parseWireDate } from '../contract/index.ts'
import { FettleError } from '../errors.ts'
import { openSink, type SinkOptions, writeAtomic } from '../files/atomic-file.ts'
import { readKeptText } from '../files/kept-files.ts'
import type { RunState } from '../journal/index.ts'
import type { KeyedEvent } from '../model/requests.ts'
import { nameLine, type Plan } from '../pipeline/index.ts'
import { readStates } from '../results/changes/row-states.ts'
import { EVENTS_FILE } from '../results/file-names.ts'
import { eventsCsv, requireEventsFile } from '../results/output/events-file.ts'
import type { Baseline } from '../results/output/writers.ts'
import type { EventFile, EventStore } from '../run/index.ts'
import { makeFolder, parseRunId, type RunDirectory } from './run-directory.ts'

const DAY_MS = 86_400_000
/** Events are read again for two days: what was written is known for longer, also where the runs are kept for a day. */
const LEAST_KEPT_MS = 7 * DAY_MS

interface ReadEvents {
  readonly asked: string
  readonly events: readonly KeyedEvent[]
}

/** `scope`: the numbers of portfolios and events belong to an account. */
const pathFor = ({ path }: RunDirectory, plan: Plan, identity: string, portfolio: number): string => {
  const scope = createHash('sha256')
    .update(JSON.stringify([identity, portfolio]))
    .digest('hex')
    .slice(0, 16)
  return ledgerPath(dirname(path), nameLine(plan), scope)
}

function readStaged({ path }: RunDirectory): ReadEvents | null {
  try {
    return JSON.parse(readKeptText(join(path, EVENTS_FILE)) ?? 'null') as ReadEvents | null
  } catch {
    // It was removed: the events are read again.
    return null
  }
}

/** When the last event of each company happened, by connectId, in milliseconds since 1970: an earlier answer about one of them is too old. */
export function readChangedCompanies(directory: RunDirectory, { plan, identity, events }: RunState): ReadonlyMap<string, number> {
  const portfolio = events?.read?.portfolio ?? null
  if (portfolio === null) return new Map()
  const { changed, runs } = readLedger(pathFor(directory, plan, identity, portfolio.id))
  const now = keepLater(changed, happened(readStaged(directory), runs, directory.id))
  return new Map(Object.entries(now).map(([id, at]) => [id, Date.parse(at)]))
}

/** When the events of companies happened that no file of another run has. */
const happened = (staged: ReadEvents | null, runs: Readonly<Record<string, string>>, own: string) =>
  (staged?.events ?? [])
    .filter(({ id }) => (runs[id] ?? own) === own)
    .map(({ company, at }) => [company.id, happenedAt(at, staged!.asked)] as const)

/**
 * When an event happened, as the service dates it: the end of a second that it writes without a fraction. It is `asked` at the latest,
 * and for a date without a time, which does not show whether an answer of that day has the change.
 */
function happenedAt(date: string, asked: string): string {
  const millis = parseWireDate(date)
  if (millis === null || millis % DAY_MS === 0) return asked
  const time = new Date(millis % 1_000 === 0 ? millis + 999 : millis).toISOString()
  return time < asked ? time : asked
}

/** `events.csv` -> `events.RUN.csv`: in the order of the names, the files of the runs are in the order of time. */
export const ownEventsFile = (output: string, runId: string): string => output.replace(/\.csv$/i, end => `.${runId}${end}`)

export interface EventPlace {
  readonly directory: RunDirectory
  readonly identity: string
  /** The working directory. */
  readonly root: string
  readonly mode?: number | undefined
  readonly baseline: Baseline | null
}

async function writeFile(path: string, content: Buffer, options: SinkOptions): Promise<string> {
  const sink = await openSink(path, options)
  try {
    await sink.write(content)
    const sha256 = await sink.finish()
    await sink.publish()
    return sha256
  } finally {
    await sink.discard()
  }
}

/** Writes the file of the run first: the copy may be replaced by the next run. */
export async function writeOwnAndCopy(
  { output, own }: { readonly output: string; readonly own: string },
  text: string,
  rows: number,
  { root, mode }: Pick<EventPlace, 'root' | 'mode'>,
): Promise<EventFile> {
  const content = Buffer.from(text)
  const options: SinkOptions = { root, isShared: true, isIgnored: true, mode }
  await writeFile(own, content, options)
  const sha256 = await writeFile(output, content, options)
  return { path: output, own, rows, bytes: content.length, sha256 }
}

export function openEventStore(plan: Plan, { directory, identity, root, mode, baseline }: EventPlace): EventStore {
  const { output = '', mark: marks = false } = plan.events ?? {}
  const own = ownEventsFile(output, directory.id)
  const pathOf = (portfolio: number): string => pathFor(directory, plan, identity, portfolio)
  const writeFiles = async (events: readonly KeyedEvent[]): Promise<EventFile> => {
    await requireEventsFile(resolve(root, output), output)
    return writeOwnAndCopy({ output, own }, eventsCsv(events), events.length, { root, mode })
  }

  return {
    async known(portfolio) {
      const { since, runs } = readLedger(pathOf(portfolio))
      return { since, ids: new Set(Object.keys(runs).map(Number)) }
    },
    async keys(ids) {
      const keys = new Map<string, string>()
      const states = baseline === null ? null : await readStates(baseline.workDir)
      for await (const { company, key } of states?.rows() ?? [])
        if (key !== null && ids.has(company.id) && !keys.has(company.id)) keys.set(company.id, key)
      return keys
    },
    async stage(asked, events) {
      await requireEventsFile(resolve(root, output), output)
      await writeAtomic(join(directory.path, EVENTS_FILE), JSON.stringify({ asked, events } satisfies ReadEvents))
    },
    async deliver(portfolio) {
      const staged = readStaged(directory)
      if (staged === null) return null
      const path = pathOf(portfolio)
      const ledger = readLedger(path)
      const { asked } = staged
      // A run that ended in the meantime may have written some of them.
      const events = staged.events.filter(({ id }) => (ledger.runs[id] ?? directory.id) === directory.id)
      const file = await writeFiles(events)
      const fresh = events.map(({ id }) => id).filter(id => ledger.runs[id] === undefined)
      const keepFrom = plan.retention === undefined ? 0 : Date.parse(asked) - Math.max(plan.retention, LEAST_KEPT_MS)
      await writeLedger(path, {
        ...ledger,
        since: asked > (ledger.since ?? '') ? asked : ledger.since,
        runs: { ...recentRuns(ledger, keepFrom), ...Object.fromEntries(events.map(({ id }) => [id, directory.id])) },
        unmarked: marks ? [...ledger.unmarked, ...fresh] : ledger.unmarked,
        changed: keepLater(ledger.changed, happened(staged, ledger.runs, directory.id)),
      })
      return file
    },
    deliverNone: () => writeFiles([]),
    unmarked: async portfolio => readLedger(pathOf(portfolio)).unmarked,
    async marked(portfolio, ids) {
      const ledger = readLedger(pathOf(portfolio))
      const done = new Set(ids)
      await writeLedger(pathOf(portfolio), { ...ledger, unmarked: ledger.unmarked.filter(id => !done.has(id)) })
    },
  }
}

const Ledger = z.object({
  schema: z.literal('fettle/event-ledger/v2'),
  /** When the service was asked for the events of the last file. */
  since: z.string().nullable(),
  /** By the number of an event, the run whose file has it. */
  runs: z.record(z.string(), z.string()),
  /** Events that are to be marked as processed. */
  unmarked: z.array(z.number()),
  /** When the last event of each company happened: earlier answers about it are too old. */
  changed: z.record(z.string(), z.string()),
})

type EventLedger = z.infer<typeof Ledger>

const EMPTY: EventLedger = { schema: 'fettle/event-ledger/v2', since: null, runs: {}, unmarked: [], changed: {} }

/** `scope`: a digest of account and portfolio, whose numbers are its own. */
const ledgerPath = (runsDir: string, line: string, scope: string): string => join(runsDir, 'events', `${line}-${scope}.json`)

/** Throws FETTLE_JOURNAL_DAMAGED: without it, events would be written again. */
function readLedger(path: string): EventLedger {
  try {
    const text = readKeptText(path)
    return text === null ? EMPTY : Ledger.parse(JSON.parse(text))
  } catch (cause) {
    throw damaged(path, cause)
  }
}

const damaged = (path: string, cause: unknown): FettleError =>
  new FettleError('FETTLE_JOURNAL_DAMAGED', `the record of written events ${path} cannot be read`, {
    hint: 'Restore it, or remove it: the events of the portfolio are then written once more.',
    cause,
  })

/** Throws FETTLE_OUTPUT_WRITE. */
async function writeLedger(path: string, ledger: EventLedger): Promise<void> {
  makeFolder(dirname(path))
  await writeAtomic(path, `${JSON.stringify(ledger)}\n`)
}

/** The later time of each company. */
function keepLater(times: Readonly<Record<string, string>>, more: readonly (readonly [id: string, at: string])[]) {
  const later = { ...times }
  for (const [id, at] of more) if (at > (later[id] ?? '')) later[id] = at
  return later
}

/** Without the events of runs that began before `keepFrom`, in milliseconds since 1970. */
const recentRuns = ({ runs }: EventLedger, keepFrom: number): EventLedger['runs'] =>
  Object.fromEntries(Object.entries(runs).filter(([, run]) => (parseRunId(run)?.start ?? 0) >= keepFrom))
