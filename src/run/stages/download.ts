/**
 * The download stage: receives the enriched file, checks that it is complete, and writes the outputs. A transfer that ends early is
 * repeated into a new file: a closed connection does not prove that the file is complete.
 */
import { BANDING, PATTERN } from '../../contract/index.ts'
import { counted } from '../../counted.ts'
import { action, FettleError, type Issue, issue } from '../../errors.ts'
import type { JobState, RunState } from '../../journal/state.ts'
import type { Download } from '../../model/requests.ts'
import type { OutputFile, PublishedResults, UnfitColumn, UnknownCompanies } from '../../model/results.ts'
import type { Plan } from '../../pipeline/model/types.ts'
import { NOT_YET_MS } from '../job-lookup.ts'
import { growInterval, withJitter } from '../poll-job.ts'
import type { Ports } from '../ports.ts'
import { checkAgainstSummary } from '../row-ledger.ts'
import { type JobStage, readId, type StageEvents, warning } from '../stage.ts'

/** Downloads repeated per file that was cut short or had other rows. */
const MAX_REPEATS = 2

const isCut = (error: unknown): boolean =>
  FettleError.is(error) && (error.code === 'FETTLE_DOWNLOAD_CUT' || error.code === 'FETTLE_LEDGER')

/** How long the file may lag behind the status (contract §14.1, "enrichedFile too early"). */
function graceMs(error: unknown, plan: Plan): number {
  if (!FettleError.is(error)) return 0
  if (error.status === 400) return NOT_YET_MS
  return error.code === 'FETTLE_NOT_FOUND' ? plan.poll.timeoutMs : 0
}

/** The largest enriched file: a gigabyte, or what this many rows and tags can need (contract §14.2). */
export const maxFileBytes = ({ input, rows, enrich }: Pick<Plan, 'input' | 'rows' | 'enrich'>): number =>
  Math.max(1024 ** 3, 20 * (input.packed?.bytes ?? input.bytes), 64 * rows * (enrich?.tags.length ?? 0))

async function* receiveFile(job: JobState, { plan }: RunState, ports: Ports): StageEvents {
  const { rows } = plan.parts[job.part]!
  const { poll } = plan
  const startedAt = ports.clock.monotonic()
  let interval = poll.everyMs
  for (let repeats = 0; ; ) {
    try {
      const download = await ports.service.openEnrichedFile(readId(job), { signal: ports.signal })
      const received = await ports.results.receive(job.part, bounded(download, maxFileBytes(plan), ports), rows)
      yield { type: 'file.received', part: job.part, ...received }
      return
    } catch (error) {
      ports.signal.throwIfAborted()
      if (isCut(error) && repeats++ < MAX_REPEATS) ports.tick({ type: 'retry', message: (error as Error).message })
      else if (job.lost) throw explainLost(error, job, plan)
      else if (ports.clock.monotonic() - startedAt >= graceMs(error, plan)) throw error
      await ports.clock.sleep(withJitter(interval, ports.clock.random()), ports.signal)
      interval = growInterval(interval, poll)
    }
  }
}

/** The file was there before, so a service that no longer has it is not waited for. */
function explainLost(error: unknown, job: JobState, { file }: Plan): unknown {
  if (!FettleError.is(error) || error.kind !== 'rejected') return error
  const message = `the enriched file of job ${readId(job)} is not in the folder of the run as it was received, and the service no longer gives it: ${error.message}`
  return new FettleError(error.code, message, {
    hint: 'Restore the file from a backup and resume the run. To match all rows again, which is charged again, start a new run.',
    action: action('run', '--new', file),
    status: error.status ?? undefined,
    correlationId: error.correlationId ?? null,
    cause: error,
  })
}

/** The same download: reports its progress, and throws when it is larger than `maxBytes`. */
function bounded(download: Download, maxBytes: number, ports: Ports): Download {
  const assertSize = (bytes: number): void => {
    if (bytes > maxBytes)
      throw new FettleError('FETTLE_CONTRACT', `the enriched file is larger than such a file can be: over ${maxBytes} bytes`)
  }
  assertSize(download.bytes ?? 0)
  async function* body(): AsyncGenerator<Uint8Array> {
    let received = 0
    for await (const chunk of download.body) {
      received += chunk.length
      assertSize(received)
      ports.tick({ type: 'download', received, total: download.bytes })
      yield chunk
    }
  }
  return { ...download, body: body() }
}

function missingIssue(columns: readonly string[], { accept }: Plan): Issue {
  const isRule = accept != null && columns.some(name => name === BANDING || name === PATTERN)
  const effect = isRule ? ', and accept leaves the rows for review that it cannot judge' : ''
  const message = `the service delivered no column ${columns.join(', ')}: it is empty in the output${effect}`
  return warning('FETTLE_OUTPUT_COLUMN', message, { count: columns.length })
}

function unfitIssue({ path, column, type, count, rows }: UnfitColumn): Issue {
  const cells = `${counted(count, 'cell')} of column ${JSON.stringify(column)}`
  const message = `${path}: ${cells} cannot be ${type} (first in row ${rows.join(', ')}): null in the file`
  return warning('FETTLE_OUTPUT_TYPE', message, { column, count, rows })
}

function wordsIssue(words: PublishedResults['words']): Issue {
  const found = words.slice(0, 3).map(({ word, cells }) => `${counted(cells, 'cell')} with ${JSON.stringify(word)}`)
  const message = `in the chosen columns of matched rows the service wrote ${found.join(', ')}: the outputs hold them as they came`
  return warning('FETTLE_OUTPUT_WORDS', message, { count: words.reduce((sum, { cells }) => sum + cells, 0) })
}

function keptIssue(files: readonly OutputFile[]): Issue {
  const written = files.map(({ path }) => path).join(', ')
  const rows = written === '' ? 'the rows of this run stay in its directory' : `the rows of this run are in ${written}`
  return issue('FETTLE_OUTPUT_KEPT', `a check failed, so earlier outputs stay: ${rows}`, { severity: 'info' })
}

/** Rows named in a message; the others are counted. */
const MOST_ROWS = 20

function undoneIssue(rows: readonly number[], { name }: Plan): Issue {
  const shown = rows.slice(0, MOST_ROWS)
  const message = `${counted(rows.length, 'decision')} of the last good run no longer ${rows.length === 1 ? 'applies' : 'apply'}: row ${shown.join(', ')}${rows.length > MOST_ROWS ? ' …' : ''} of the list`
  return warning('FETTLE_DECISIONS_UNDONE', message, { count: rows.length, rows: shown, action: action('review', name) })
}

function unclearIssue(decisions: number): Issue {
  const message = `${counted(decisions, 'decision')} of the last good run ${decisions === 1 ? 'applies' : 'apply'} to no row: the row left the list, or was renamed`
  return warning('FETTLE_DECISIONS_UNDONE', message, {
    count: decisions,
    hint: 'Decide again about renamed rows. With input.key a decision follows the key of its row.',
  })
}

function unknownIssue({ ids, why }: UnknownCompanies): Issue {
  const shown = `${ids.slice(0, MOST_ROWS).join(', ')}${ids.length > MOST_ROWS ? ' …' : ''}`
  const those = `the outputs have only the id and the name of ${counted(ids.length, 'company', 'companies')} that decisions accept: ${shown}`
  const message = why === null ? `the register does not have them: ${those}` : `the register cannot be opened (${why}): ${those}`
  return warning('FETTLE_DECISIONS', message, { count: ids.length, hint: 'Decide again about their rows.' })
}

function otherIssue({ path, rows }: { readonly path: string; readonly rows: number }, { name }: Plan): Issue {
  const message = `${path} decides about ${counted(rows, 'row')} of this list, and the run does not apply it`
  return warning('FETTLE_DECISIONS_OTHER', message, { count: rows, action: action('review', name, '--apply', path) })
}

/** The jobs of the parts, and the time that the answers of each are at least as new as. */
export const answeredJobs = ({ jobs, updatedAt }: RunState) =>
  jobs.map(({ id, enrichRequested, history }) => ({ id: id ?? '', at: enrichRequested ?? history.at(-1)?.at ?? updatedAt }))

/** Writes the outputs; an issue that an earlier writing reported is not reported again. */
export async function* publish(state: RunState, ports: Pick<Ports, 'results'>): StageEvents {
  const failed = new Set(state.jobs.flatMap(({ part, failure }) => (failure === null ? [] : [part])))
  const { missing, unfit, words, isRejected, undone, otherDecisions, unknown, ...published } = await ports.results.publish(
    (outcomes, header) => checkAgainstSummary(outcomes, state, header),
    failed,
    answeredJobs(state),
  )
  const isKnown = ({ code, message }: Issue): boolean =>
    state.issues.some(raised => raised.code === code && raised.message === message)
  const found = [
    ...(missing.length > 0 ? [missingIssue(missing, state.plan)] : []),
    ...unfit.map(unfitIssue),
    ...(words.length > 0 ? [wordsIssue(words)] : []),
    ...(undone.rows.length > 0 ? [undoneIssue(undone.rows, state.plan)] : []),
    ...(undone.unclear > 0 ? [unclearIssue(undone.unclear)] : []),
    ...(unknown == null ? [] : [unknownIssue(unknown)]),
    ...(otherDecisions === null ? [] : [otherIssue(otherDecisions, state.plan)]),
    ...(isRejected === true ? [keptIssue(published.files)] : []),
  ]
  for (const problem of found) if (!isKnown(problem)) yield { type: 'issue.raised', issue: problem }
  yield { type: 'output.written', ...published }
}

/** The answers of a run are of use to later ones once its outputs are written: then every row is accounted for. */
async function* publishAndKeep(state: RunState, ports: Ports): StageEvents {
  if (state.outcomes === null) yield* publish(state, ports)
  if (ports.keepAnswers !== undefined) yield { type: 'answers.kept', files: await ports.keepAnswers() }
}

const areAnswersKept = ({ reuse }: RunState): boolean => reuse === null || reuse.isKept

const areReceived = ({ jobs }: RunState): boolean => jobs.every(({ received, failure }) => received !== null || failure !== null)

export const download: JobStage = {
  skip: state => (state.plan.output === null ? 'the pipeline names no output' : null),
  isDone: job => job.received !== null,
  run: receiveFile,
  // A shard ends with its files: the merge of the shards joins them to the rows.
  afterJobs: {
    isDone: state => areReceived(state) && (state.plan.shard !== undefined || (state.outcomes !== null && areAnswersKept(state))),
    run: publishAndKeep,
  },
}
