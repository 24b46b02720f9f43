/** `fettle resume`: go on with a run from its journal; a finished run is only told again. */
import {
  credentialsOf,
  currentPipelineOf,
  findRunId,
  loadRun,
  queuedRun,
  type RunSettings,
  resumeRun,
  shardsLeftInQueue,
} from '../../../app/index.ts'
import type { Flags } from '../../command.ts'
import { isOn, needText, textFlag } from '../../options/read.ts'
import { CallReporters } from '../../reporters/call-reporters.ts'
import { ownFiles, refuseConflicts } from '../../result/conflicts.ts'
import { checkResultFile, type Ending } from '../../result/result.ts'
import type { Io } from '../../terminal/io.ts'
import { showProgress } from '../../terminal/progress/index.ts'
import { clearQueue, collectQueued } from '../run/queued.ts'
import { reportEndings } from '../run/run.ts'
import { checkFlags, NO_CREDENTIALS, settingsOf } from '../shared.ts'

/** Resumes the run named, or the latest. */
export const run = (flags: Flags, io: Io): Promise<number> => resumeOrCollect(flags, io, 'resume')

/** Goes on with the run named, or the latest; `command` is what a report says was typed. */
export async function resumeOrCollect(flags: Flags, io: Io, command: string): Promise<number> {
  checkFlags(flags)
  const reporters = await CallReporters.create(flags, io)
  await checkResultFile(flags, io)
  const progress = showProgress(io, {
    quiet: isOn(flags, 'quiet'),
    verbose: isOn(flags, 'verbose'),
    label: null,
    runsDir: needText(flags, 'runs-dir'),
  })
  const wanted = textFlag(flags, 'run') ?? undefined
  let ending: Ending
  let name: string | null = null
  try {
    const runsDir = needText(flags, 'runs-dir')
    const queued = queuedRun(runsDir, findRunId(runsDir, wanted))
    const settings = (of: RunSettings['credentials']) => settingsOf(flags, io, reporters.observersOf(progress), command, of)
    if (queued !== null) {
      name = queued.pipeline
      reporters.enable()
      ending = await collectQueued(
        queued,
        settings(() => credentialsOf(io.env, {})),
      )
    } else {
      const { state } = loadRun(runsDir, wanted)
      name = state.plan.name
      await refuseConflicts([{ file: state.plan.file, plan: state.plan }], ownFiles(flags, reporters), io.cwd)
      reporters.enable()
      if (state.finished) progress.onNote(`the run ${state.runId} is finished; nothing is left to ${command}`)
      const present = state.finished ? null : currentPipelineOf(state, { env: io.env, cwd: io.cwd })
      const all: RunSettings = {
        ...settings(() => present?.credentials() ?? NO_CREDENTIALS),
        live: present?.live ?? null,
        ...(present === null ? {} : { links: present.links }),
      }
      const result = await resumeRun(state.runId, all)
      ending = { name, result }
      const left = result.state.finished ? shardsLeftInQueue(runsDir, state.runId) : null
      if (left !== null)
        await clearQueue(left, all).catch((error: Error) =>
          progress.onNote(`its shards are still in the queue ${left.name} at ${left.url}: ${error.message}`),
        )
    }
  } catch (error) {
    ending = { name, error }
  } finally {
    progress.stop()
  }
  return reportEndings([ending], reporters, flags, io)
}
