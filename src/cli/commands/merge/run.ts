/** `fettle merge`: the results of shards joined into the outputs and the report of one run; nothing is sent. */
import { findShards, mergeRuns } from '../../../app/index.ts'
import { ownFiles, refuseClashes } from '../../result/conflicts.ts'
import type { Flags } from '../../command.ts'
import { isOn, listFlag, needText } from '../../options/read.ts'
import type { Io } from '../../terminal/io.ts'
import { showProgress } from '../../terminal/progress/index.ts'
import { Reporters } from '../../reporters/registry.ts'
import { type Ending, proveResultFile } from '../../result/result.ts'
import { tellEndings } from '../run/run.ts'
import { NO_CREDENTIALS, proveFlags, settingsOf } from '../shared.ts'

/** Merges the shards named. */
export async function run(flags: Flags, io: Io): Promise<number> {
  proveFlags(flags)
  const wanted = listFlag(flags, 'run')
  const reporters = await Reporters.of(flags, io)
  await proveResultFile(flags, io)
  const progress = showProgress(io, { quiet: isOn(flags, 'quiet'), verbose: isOn(flags, 'verbose'), label: null })
  let name: string | null = null
  let ending: Ending
  try {
    const [shard] = findShards(needText(flags, 'runs-dir'), wanted)
    if (shard !== undefined) {
      const { plan } = shard.state
      name = plan.name
      await refuseClashes([{ file: plan.file, plan }], ownFiles(flags, reporters), io.cwd)
    }
    reporters.approve()
    const settings = settingsOf(flags, io, reporters.overhear(progress, name ?? 'merge'), 'merge', () => NO_CREDENTIALS)
    ending = { name, result: await mergeRuns(wanted, settings) }
  } catch (error) {
    ending = { name, error }
  } finally {
    progress.stop()
  }
  return tellEndings([ending], reporters, flags, io)
}
