/** `fettle status`: how a run stands, by text and exit code, so that a sensor needs no other knowledge. */
import { type CurrentRunStatus, findRunId, getRunStatus, loadRun, queuedRun, reportOfRun, watchRun } from '../../../app/index.ts'
import { FettleError } from '../../../errors.ts'
import { escapeTerminal, resultLine } from '../../../report/index.ts'
import type { Flags } from '../../command.ts'
import { isOn, needText, textFlag } from '../../options/read.ts'
import { skipCodeOf } from '../../result/result.ts'
import type { Io } from '../../terminal/io.ts'
import { statusQueued } from '../run/queued.ts'
import { checkFlags, isTextOutput, timeoutOf } from '../shared.ts'

/** 0 done, or ready to be collected; 75 going on or to be resumed; 76 failed at the service; otherwise the run's own code. */
export async function run(flags: Flags, io: Io): Promise<number> {
  checkFlags(flags)
  const isWatched = isOn(flags, 'watch')
  if (!isWatched && timeoutOf(flags) !== null)
    throw new FettleError('FETTLE_USAGE', '--timeout says how long to --watch, which is not asked for')
  const runsDir = needText(flags, 'runs-dir')
  const queued = queuedRun(runsDir, findRunId(runsDir, textFlag(flags, 'run') ?? undefined))
  if (queued !== null) return statusQueued(queued, flags, io, timeoutOf(flags))
  const { directory } = loadRun(runsDir, textFlag(flags, 'run') ?? undefined)
  const place = { env: io.env, cwd: io.cwd, runsDir, signal: io.signal }
  const standing = isWatched
    ? await watchRun(directory.id, place, timeoutOf(flags), sayer(io))
    : await getRunStatus(directory.id, place)
  const report = reportOfRun(runsDir, directory.id)
  const code = standing.state.status === 'skipped' ? (skipCodeOf(flags) ?? standing.code) : standing.code
  if (isOn(flags, 'json')) io.out(resultLine({ ...report, exitCode: code }))
  else {
    io.out(isTextOutput(report, io, 'out'))
    if (standing.status !== 'finished') io.out(escapeTerminal(inWords(standing)))
  }
  return code
}

/** Says each look that differs from the one before. */
function sayer(io: Io): (look: CurrentRunStatus | FettleError) => void {
  let last = ''
  return look => {
    const words = FettleError.is(look) ? `a look failed, another follows: ${look.message}` : inWords(look)
    if (words !== last && words !== '') io.err(escapeTerminal(`${new Date().toISOString().slice(11, 19)} ${words}`))
    last = words
  }
}

function inWords({ status, state: { runId }, carrier, jobs }: CurrentRunStatus): string {
  const at = jobs.map(({ id, status }) => `${id} is "${status}"`).join(', ')
  const told = at === '' ? '' : `${jobs.length === 1 ? 'Job' : 'Jobs'}: ${at}. `
  if (status === 'running') return `Process ${carrier?.pid} on ${carrier?.host} is carrying it out.`
  if (status === 'stopped') return `No process is carrying it out: fettle resume ${runId}`
  if (status === 'waiting') return `${told}The service is at it; nobody waits here.`
  if (status === 'failed') return `${told}The service ended it in an error: fettle collect ${runId} says more.`
  return status === 'ready' ? `${told}It is ready: fettle collect ${runId}` : ''
}
