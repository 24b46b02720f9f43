/** `fettle status`: prints the state of a run and returns it as exit code. */
import { queuedRun } from '../../distributed/queued-run.ts'
import { FettleError } from '../../errors.ts'
import { type CurrentRunStatus, getRunStatus, watchRun } from '../../execution/status.ts'
import { escapeTerminal, resultLine } from '../../report/index.ts'
import { findOpenRunId } from '../../runs/open-runs.ts'
import { reportOfRun } from '../../runs/run-queries.ts'
import { type Flags, usageError } from '../command.ts'
import { isOn, needText, textFlag } from '../options/read.ts'
import { readSkipCode } from '../result/result.ts'
import type { Io } from '../terminal/io.ts'
import { statusQueued } from './run/queued.ts'
import { checkFlags, hasPage, readTimeout, reportText } from './shared.ts'

/** 0: done or ready to collect; 75: running or resumable; 76: failed at the service; otherwise the exit code of the run. */
export async function run(flags: Flags, io: Io): Promise<number> {
  checkFlags(flags)
  const isWatched = isOn(flags, 'watch')
  if (!isWatched && readTimeout(flags) !== null) throw usageError('--timeout requires --watch')
  const runsDir = needText(flags, 'runs-dir')
  const runId = findOpenRunId(runsDir, textFlag(flags, 'run') ?? undefined)
  const queued = queuedRun(runsDir, runId)
  if (queued !== null) return statusQueued(queued, flags, io, readTimeout(flags))
  const place = { env: io.env, cwd: io.cwd, runsDir, signal: io.signal }
  const status = isWatched ? await watchRun(runId, place, readTimeout(flags), printChanges(io)) : await getRunStatus(runId, place)
  const report = reportOfRun(runsDir, runId)
  const code = status.state.status === 'skipped' ? (readSkipCode(flags) ?? status.code) : status.code
  if (isOn(flags, 'json')) io.out(resultLine({ ...report, exitCode: code }))
  else {
    io.out(reportText(report, io, 'out', { isStopped: status.status === 'stopped', hasPage: hasPage(io, runsDir, runId) }))
    if (status.status !== 'finished') io.text(escapeTerminal(formatStatus(status)))
  }
  return code
}

function printChanges(io: Io): (status: CurrentRunStatus | FettleError) => void {
  let last = ''
  return status => {
    const words = FettleError.is(status) ? `a poll failed, retrying: ${status.message}` : formatStatus(status)
    if (words !== last && words !== '') io.err(escapeTerminal(`${new Date().toISOString().slice(11, 19)} ${words}`))
    last = words
  }
}

function formatStatus({ status, state: { runId }, carrier, jobs }: CurrentRunStatus): string {
  const list = jobs.map(({ id, status }) => `${id} is "${status}"`).join(', ')
  const jobText = list === '' ? '' : `${jobs.length === 1 ? 'Job' : 'Jobs'}: ${list}. `
  if (status === 'running') return `Process ${carrier?.pid} on ${carrier?.host} is running it.`
  if (status === 'stopped') return `No process is running it: fettle resume ${runId}`
  if (status === 'waiting') return `${jobText}The service is working; no process waits here.`
  if (status === 'failed') return `${jobText}The job failed at the service; for details: fettle collect ${runId}`
  return status === 'ready' ? `${jobText}Ready to collect: fettle collect ${runId}` : ''
}
