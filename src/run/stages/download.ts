/**
 * Download: fetch the enriched file, check that it is whole, and make the outputs of it. A transfer that ends early is begun
 * again in a fresh file: an ended connection is no proof of completeness.
 */
import { FettleError, type Issue, issue } from '../../errors.ts'
import type { RunFact } from '../../journal/events.ts'
import type { JobState, RunState } from '../../journal/state.ts'
import { checkAgainstSummary } from '../ledger.ts'
import type { Ports } from '../ports.ts'
import { growInterval, withJitter } from '../schedule.ts'
import { eachJob, idOf, type Stage } from '../stage.ts'

const isDone = (job: JobState): boolean => job.received !== null

/** A file is begun anew at most twice after it came cut short. */
const MAX_CUTS = 2

const isCut = (error: unknown): boolean =>
  FettleError.is(error) &&
  (error.code === 'FETTLE_DOWNLOAD_CUT' || error.code === 'FETTLE_NETWORK' || error.code === 'FETTLE_TIMEOUT')

/** The file may lag behind the status: contract §14.1, "enrichedFile too early". */
const isTooEarly = (error: unknown): boolean =>
  FettleError.is(error) && (error.code === 'FETTLE_NOT_FOUND' || (error.code === 'FETTLE_REJECTED' && error.status === 400))

async function* receiveOne(job: JobState, state: RunState, ports: Ports): AsyncGenerator<RunFact, void, void> {
  const { poll, rows } = state.plan
  const startedAt = ports.clock.monotonic()
  let interval = poll.everyMs
  for (let cuts = 0; ; ) {
    try {
      const download = await ports.service.openEnrichedFile(idOf(job), { signal: ports.signal })
      const received = await ports.results.receive(job.part, watched(download, ports), rows)
      yield { type: 'file.received', part: job.part, ...received }
      return
    } catch (error) {
      ports.signal.throwIfAborted()
      if (isCut(error) && cuts++ < MAX_CUTS) ports.tick({ type: 'retry', message: (error as Error).message })
      else if (!isTooEarly(error) || ports.clock.monotonic() - startedAt >= poll.timeoutMs) throw error
      await ports.clock.sleep(withJitter(interval, ports.clock.random()), ports.signal)
      interval = growInterval(interval, poll)
    }
  }
}

function watched(download: { bytes: number | null; body: AsyncIterable<Uint8Array> }, ports: Ports) {
  async function* body(): AsyncGenerator<Uint8Array> {
    let received = 0
    for await (const chunk of download.body) {
      received += chunk.length
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

/** The download stage. */
export const download: Stage = {
  name: 'download',
  done: state => state.outcomes !== null,
  skip: state => (state.plan.output === null ? 'the pipeline names no output' : null),
  async *run(state, ports) {
    yield* eachJob(state, isDone, job => receiveOne(job, state, ports))
    const { missing, ...published } = await ports.results.publish()
    checkAgainstSummary(published.outcomes, state)
    if (missing.length > 0) yield { type: 'issue.raised', issue: missingIssue(missing) }
    yield { type: 'output.written', ...published }
  },
}
