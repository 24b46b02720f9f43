/** `fettle status`: how a run stands, by text and exit code, so that a sensor needs no other knowledge. */
import { carrierOf, lookAtRun, reportOfRun } from '../../compose.ts'
import { EXIT } from '../../errors.ts'
import { escapeTerminal, resultLine } from '../../report/index.ts'
import type { Flags } from '../command.ts'
import { isOn, needText, textFlag } from '../flags.ts'
import type { Io } from '../io.ts'
import { inText } from './shared.ts'

/** 0 finished well, 75 still going or to be resumed, otherwise the run's own code. */
export async function run(flags: Flags, io: Io): Promise<number> {
  const runsDir = needText(flags, 'runs-dir')
  const { state, directory } = lookAtRun(runsDir, textFlag(flags, 'run') ?? undefined)
  const report = reportOfRun(runsDir, directory.id)
  const code = state.exitCode ?? EXIT.again
  if (isOn(flags, 'json')) io.out(resultLine(report))
  else {
    io.out(inText(report, io, 'out'))
    const carrier = state.finished ? null : carrierOf(runsDir, state)
    if (carrier !== null) io.out(escapeTerminal(`Process ${carrier.pid} on ${carrier.host} is carrying it out.`))
    else if (!state.finished) io.out(`No process is carrying it out: fettle resume ${state.runId}`)
  }
  return code
}
