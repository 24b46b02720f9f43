/**
 * Which events of a portfolio the runs of a pipeline have written, kept beside the runs. A file of events is claimed here before it gets its
 * name; the rename decides whether its events were written, so that a run that follows a stopped one neither loses nor repeats them.
 */
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { FettleError } from '../../errors.ts'
import { writeAtomic } from '../../files/atomic-file.ts'
import { readKeptText } from '../../files/kept-files.ts'
import { makeFolder } from './run-directory.ts'

const Claim = z.object({
  run: z.string(),
  /** When the service was asked. */
  asked: z.string(),
  ids: z.array(z.number()),
  /** When the last event of each company happened. */
  companies: z.record(z.string(), z.string()),
  output: z.string(),
  /** The same from the root, and where the finished file waits for its name. */
  path: z.string(),
  staged: z.string(),
  rows: z.number(),
  bytes: z.number(),
  sha256: z.string(),
})
const Ledger = z.object({
  schema: z.literal('fettle/event-ledger/v1'),
  since: z.string().nullable(),
  ids: z.array(z.number()),
  /** Of those, to be marked as processed. */
  unmarked: z.array(z.number()).default([]),
  /** The run that wrote the last file. */
  last: Claim.omit({ ids: true, companies: true }).nullable(),
  /** When the last event of each company happened: earlier answers about it are too old. */
  changed: z.record(z.string(), z.string()),
  claim: Claim.nullable(),
})

export type EventClaim = z.infer<typeof Claim>
export type EventLedger = z.infer<typeof Ledger>

const EMPTY: EventLedger = {
  schema: 'fettle/event-ledger/v1',
  since: null,
  ids: [],
  unmarked: [],
  last: null,
  changed: {},
  claim: null,
}

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

/**
 * The run whose command was the last to end with exit code 0. A separate file: it is written when the lock of the pipeline is given
 * back, and the next run may be changing the ledger.
 */
const deliveredPath = (path: string): string => path.replace(/\.json$/, '.delivered')

export function isDelivered(path: string, run: string): boolean {
  try {
    return readKeptText(deliveredPath(path)) === `${run}\n`
  } catch {
    return false
  }
}

/** Throws FETTLE_OUTPUT_WRITE. */
export const writeDelivered = (path: string, run: string): Promise<void> => writeAtomic(deliveredPath(path), `${run}\n`)

/** Throws FETTLE_OUTPUT_WRITE. */
export async function writeLedger(path: string, ledger: EventLedger): Promise<void> {
  makeFolder(dirname(path))
  await writeAtomic(path, `${JSON.stringify(ledger)}\n`)
}

/** The ledger once the claim has come true. `marks`: its events are to be marked as processed. */
export function settled(ledger: EventLedger, marks: boolean): EventLedger {
  const { claim } = ledger
  if (claim === null) return ledger
  const { ids, companies, ...last } = claim
  const changed = { ...ledger.changed }
  for (const [id, at] of Object.entries(companies)) if (at > (changed[id] ?? '')) changed[id] = at
  const before = new Set(ledger.ids)
  const added = ids.filter(id => !before.has(id))
  const unmarked = marks ? [...ledger.unmarked, ...added] : ledger.unmarked
  return { ...ledger, since: claim.asked, ids: [...ledger.ids, ...added], unmarked, last, changed, claim: null }
}
