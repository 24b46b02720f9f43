/** `fettle merge`: joins the results of shards into the outputs and the report of one run. Sends nothing. */
import { findShards, mergeRuns } from '../../../app/index.ts'
import type { Flags } from '../../command.ts'
import { isOn, listFlag, needText } from '../../options/read.ts'
import { CallReporters } from '../../reporters/call-reporters.ts'
import { ownFiles, refuseConflicts } from '../../result/conflicts.ts'
import { checkResultFile, type Ending } from '../../result/result.ts'
import type { Io } from '../../terminal/io.ts'
import { showProgress } from '../../terminal/progress/index.ts'
import { reportEndings } from '../run/run.ts'
import { checkFlags, NO_CREDENTIALS, settingsOf } from '../shared.ts'

export async function run(flags: Flags, io: Io): Promise<number> {
  checkFlags(flags)
  const wanted = listFlag(flags, 'run')
  const reporters = await CallReporters.create(flags, io)
  await checkResultFile(flags, io)
  const progress = showProgress(io, { quiet: isOn(flags, 'quiet'), verbose: isOn(flags, 'verbose'), label: null })
  let name: string | null = null
  let ending: Ending
  try {
    const [shard] = findShards(needText(flags, 'runs-dir'), wanted)
    if (shard !== undefined) {
      const { plan } = shard.state
      name = plan.name
      await refuseConflicts([{ file: plan.file, plan }], ownFiles(flags, reporters), io.cwd)
    }
    reporters.enable()
    const settings = settingsOf(flags, io, reporters.observersOf(progress), 'merge', () => NO_CREDENTIALS)
    ending = { name, result: await mergeRuns(wanted, settings) }
  } catch (error) {
    ending = { name, error }
  } finally {
    progress.stop()
  }
  return reportEndings([ending], reporters, flags, io)
}
