/** Which events of a portfolio the runs of a pipeline have written, kept beside the runs. It changes when a run delivers its file. */
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { FettleError } from '../../errors.ts'
import { writeAtomic } from '../../files/atomic-file.ts'
import { readKeptText } from '../../files/kept-files.ts'
import { makeFolder } from './run-directory.ts'
import { parseRunId } from './run-id.ts'

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

export type EventLedger = z.infer<typeof Ledger>

const EMPTY: EventLedger = { schema: 'fettle/event-ledger/v2', since: null, runs: {}, unmarked: [], changed: {} }

/** `scope`: a digest of account and portfolio, whose numbers are its own. */
export const ledgerPath = (runsDir: string, line: string, scope: string): string =>
  join(runsDir, 'events', `${line}-${scope}.json`)

/** Throws FETTLE_JOURNAL_DAMAGED: without it, events would be written again. */
export function readLedger(path: string): EventLedger {
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
export async function writeLedger(path: string, ledger: EventLedger): Promise<void> {
  makeFolder(dirname(path))
  await writeAtomic(path, `${JSON.stringify(ledger)}\n`)
}

/** The later time of each company. */
export function laterOf(times: Readonly<Record<string, string>>, more: readonly (readonly [id: string, at: string])[]) {
  const later = { ...times }
  for (const [id, at] of more) if (at > (later[id] ?? '')) later[id] = at
  return later
}

/** Without the events of runs that began before `keepFrom`, in milliseconds since 1970. */
export const recentRuns = ({ runs }: EventLedger, keepFrom: number): EventLedger['runs'] =>
  Object.fromEntries(Object.entries(runs).filter(([, run]) => (parseRunId(run)?.start ?? 0) >= keepFrom))
