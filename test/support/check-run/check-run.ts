/**
 * Checks five invariants of a run, from the record of the service and the files on disk, independently of the run's own
 * claims. It changes nothing and can be called at any time.
 */
import { existsSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { FaultServer } from '../../../src/testing/fault-server.ts'
import type { Armed } from '../../../src/testing/faults/fault-plan.ts'
import { listJobs, readAccount, type ServiceAccess } from './evidence.ts'
import { checkFiles, filesBelow, recordsIn } from './files.ts'
import { checkJobs } from './jobs.ts'
import { checkRows } from './rows.ts'
import { checkSecrets } from './secrets.ts'
import type { Violation } from './violation.ts'

/** What is to be judged. */
export interface RunEvidence {
  /** Folder of the run, `<runs-dir>/<run id>`. */
  readonly runDirectory: string
  /** Rows of the input, or of the part of it that was to be sent. */
  readonly inputRows: number
  /** Output files of the pipeline, whether or not they are there. */
  readonly outputs?: readonly string[]
  /** Folder that relative paths start from; the one above the runs directory if absent. */
  readonly cwd?: string
  /** The service itself; null or absent for a run on its own embedded service, which is gone. */
  readonly service?: ServiceAccess | null
  /** Where the requests went through. */
  readonly server?: Pick<FaultServer, 'effects' | 'pending'>
  /** All faults of these must have happened. */
  readonly armed?: readonly Armed[]
  /** Values that must appear nowhere. */
  readonly secrets?: readonly string[]
  /** Everything the run said: stdout, stderr, logs. */
  readonly said?: readonly string[]
  /** Second jobs that a create delivered twice has made, and nobody could prevent: allowed if nothing was ever sent to them. */
  readonly orphans?: number
}

/**
 * Judges a run; an empty list means that all invariants hold. Before its end a run is judged by what cannot be mended any more:
 * a second job, a half-written file, a secret. Throws when the service cannot be asked.
 *
 * @example
 * const violations = await checkRun({ runDirectory, inputRows: 1000, outputs: ['out.csv'], service, server, armed: [armed], secrets })
 * assert.deepEqual(violations, [])
 */
export async function checkRun(evidence: RunEvidence): Promise<readonly Violation[]> {
  const { inputRows, service = null, server, orphans = 0 } = evidence
  const runDirectory = resolve(evidence.runDirectory)
  const cwd = resolve(evidence.cwd ?? dirname(dirname(runDirectory)))
  const outputs = (evidence.outputs ?? []).map(path => resolve(cwd, path))
  await settled(server)
  const found: Violation[] = []
  const account = readAccount(runDirectory, violation => found.push(violation))
  const jobs = service === null ? null : await listJobs(service, account.marker)
  const { state, report } = account
  const exit = state?.exitCode
  const isGood = state?.finished === true && (exit === 0 || exit === 1) && state.error === null
  found.push(
    ...checkJobs({ account, jobs, effects: server === undefined ? null : server.effects, orphans }),
    // A surplus job was never submitted and counts no rows.
    ...checkRows({
      report,
      isGood,
      jobs: jobs?.filter(job => state === null || state.jobs.some(own => own.id === job.id)) ?? null,
      inputRows,
      recordsOf: path => recordsIn(resolve(cwd, path)),
    }),
    ...checkFiles({ runDirectory, outputs, account, cwd }),
    ...checkFaults(evidence),
    ...checkSecrets({
      secrets: evidence.secrets ?? [],
      files: [...filesBelow(runDirectory), ...outputs.filter(existsSync)],
      said: evidence.said ?? [],
    }),
  )
  return found
}

/** A request ends a moment after its client does: it has this long, real time, to be heard of. */
const SETTLES_WITHIN_MS = 2000

async function settled(server: RunEvidence['server']): Promise<void> {
  const until = performance.now() + SETTLES_WITHIN_MS
  while (server !== undefined && server.pending() > 0 && performance.now() < until) await wait(5)
}

function checkFaults({ armed = [], server }: RunEvidence): Violation[] {
  const unconsumed = armed.flatMap(one => one.unconsumed())
  const pending = server?.pending() ?? 0
  return [
    ...unconsumed.map(fault => ({ invariant: 'I4' as const, what: `never happened: ${JSON.stringify(fault)}` })),
    ...(pending > 0 ? [{ invariant: 'I4' as const, what: `${pending} requests have not ended` }] : []),
  ]
}
