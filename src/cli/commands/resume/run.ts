/** `fettle resume`: resumes a run from its journal and prints its report; a finished run is only printed. */
import { findResumable, resumeOrCollect } from '../../../app/index.ts'
import type { Flags } from '../../command.ts'
import { isOn, needText, textFlag } from '../../options/read.ts'
import { CallReporters } from '../../reporters/call-reporters.ts'
import { ownFiles, refuseConflicts } from '../../result/conflicts.ts'
import { checkResultFile, type Ending } from '../../result/result.ts'
import type { Io } from '../../terminal/io.ts'
import { showProgress } from '../../terminal/progress/index.ts'
import { reportEndings } from '../run/run.ts'
import { checkFlags, NO_CREDENTIALS, settingsOf } from '../shared.ts'

export const run = (flags: Flags, io: Io): Promise<number> => resumeAs('resume', flags, io)

/** Resumes the run named, or the latest, for the command of this name. */
export async function resumeAs(command: 'resume' | 'collect', flags: Flags, io: Io): Promise<number> {
  checkFlags(flags)
  const reporters = await CallReporters.create(flags, io)
  await checkResultFile(flags, io)
  const progress = showProgress(io, {
    quiet: isOn(flags, 'quiet'),
    verbose: isOn(flags, 'verbose'),
    label: null,
    runsDir: needText(flags, 'runs-dir'),
  })
  let ending: Ending
  let name: string | null = null
  try {
    const found = findResumable(needText(flags, 'runs-dir'), textFlag(flags, 'run') ?? undefined)
    if (found.queued !== null) name = found.queued.pipeline
    else {
      const { plan } = found.state
      name = plan.name
      await refuseConflicts([{ file: plan.file, plan }], ownFiles(flags, reporters), io.cwd)
    }
    reporters.enable()
    const settings = settingsOf(flags, io, reporters.observersOf(progress), command, () => NO_CREDENTIALS)
    ending = { name, result: await resumeOrCollect(found, settings) }
  } catch (error) {
    ending = { name, error }
  } finally {
    progress.stop()
  }
  return reportEndings([ending], reporters, flags, io)
}
