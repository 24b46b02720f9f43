/**
 * Download: fetch the enriched file, check that it is whole, and make the outputs of it. A transfer that ends early is begun
 * again in a fresh file: an ended connection is no proof of completeness.
 */
import { FettleError, type Issue, issue } from '../../errors.ts'
import type { JobState, RunState } from '../../journal/state.ts'
import type { Plan } from '../../pipeline/model/types.ts'
import { NOT_YET_MS } from '../job-lookup.ts'
import type { Download, Ports } from '../ports.ts'
import { checkAgainstSummary } from '../row-ledger.ts'
import { growInterval, withJitter } from '../schedule.ts'
import { type Facts, idOf, type Stage } from '../stage.ts'

/** A file is begun anew at most twice after it came cut short or with other rows. */
const MAX_CUTS = 2

const isCut = (error: unknown): boolean =>
  FettleError.is(error) && (error.code === 'FETTLE_DOWNLOAD_CUT' || error.code === 'FETTLE_LEDGER')

/** How long a file may lag behind the status, by the answer: contract §14.1, "enrichedFile too early". */
function patienceMs(error: unknown, plan: Plan): number {
  if (!FettleError.is(error)) return 0
  if (error.status === 400) return NOT_YET_MS
  return error.code === 'FETTLE_NOT_FOUND' ? plan.poll.timeoutMs : 0
}

/** Bytes that an enriched file may have at most: a gigabyte, or what so many rows of so many tags can come to (contract §14.2). */
export const mostBytes = ({ input, rows, enrich }: Pick<Plan, 'input' | 'rows' | 'enrich'>): number =>
  Math.max(1024 ** 3, 20 * (input.packed?.bytes ?? input.bytes), 64 * rows * (enrich?.tags.length ?? 0))

async function* receiveOne(job: JobState, plan: Plan, ports: Ports): Facts {
  const { rows } = plan.parts[job.part]!
  const { poll } = plan
  const startedAt = ports.clock.monotonic()
  let interval = poll.everyMs
  for (let cuts = 0; ; ) {
    try {
      const download = await ports.service.openEnrichedFile(idOf(job), { signal: ports.signal })
      const received = await ports.results.receive(job.part, watched(download, mostBytes(plan), ports), rows)
      yield { type: 'file.received', part: job.part, ...received }
      return
    } catch (error) {
      ports.signal.throwIfAborted()
      if (isCut(error) && cuts++ < MAX_CUTS) ports.tick({ type: 'retry', message: (error as Error).message })
      else if (ports.clock.monotonic() - startedAt >= patienceMs(error, plan)) throw error
      await ports.clock.sleep(withJitter(interval, ports.clock.random()), ports.signal)
      interval = growInterval(interval, poll)
    }
  }
}

/** The file as it comes, seen by whoever watches and cut off when it is larger than it can be. */
function watched(download: Download, most: number, ports: Ports): Download {
  const bounded = (bytes: number): void => {
    if (bytes > most)
      throw new FettleError('FETTLE_CONTRACT', `the enriched file is larger than any such file can be: over ${most} bytes`)
  }
  bounded(download.bytes ?? 0)
  async function* body(): AsyncGenerator<Uint8Array> {
    let received = 0
    for await (const chunk of download.body) {
      received += chunk.length
      bounded(received)
      ports.tick({ type: 'download', received, total: download.bytes })
      yield chunk
    }
  }
  return { bytes: download.bytes, body: body() }
}

const missingIssue = (columns: readonly string[]): Issue =>
  issue('FETTLE_OUTPUT_COLUMN', `the service delivered no column ${columns.join(', ')}: it stands empty in the output`, {
    severity: 'warn',
    count: columns.length,
  })

async function* publish(state: RunState, ports: Ports): Facts {
  const failed = new Set(state.jobs.flatMap(({ part, failure }) => (failure === null ? [] : [part])))
  const { missing, ...published } = await ports.results.publish(outcomes => checkAgainstSummary(outcomes, state), failed)
  if (missing.length > 0) yield { type: 'issue.raised', issue: missingIssue(missing) }
  yield { type: 'output.written', ...published }
}

const isShardThrough = ({ plan, jobs }: RunState): boolean =>
  plan.shard !== undefined && jobs.every(({ received, failure }) => received !== null || failure !== null)

/** The download stage. */
export const download: Stage = {
  name: 'download',
  skip: state => (state.plan.output === null ? 'the pipeline names no output' : null),
  isDone: job => job.received !== null,
  each: (job, { plan }, ports) => receiveOne(job, plan, ports),
  // Of a shard the files are the result: whoever merges the shards joins them to the rows.
  last: { isDone: state => state.outcomes !== null || isShardThrough(state), run: publish },
}
