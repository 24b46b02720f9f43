/**
 * `fettle resume` and `fettle collect`: resume a run from its journal and print its report; a finished run is only printed. `fettle merge`:
 * joins the results of shards into the outputs and the report of one run, and sends nothing.
 */

import { mergeRuns } from '../../distributed/merge.ts'
import { findResumable, resumeOrCollect } from '../../distributed/run-or-queue.ts'
import { findShards } from '../../distributed/shard-runs.ts'
import type { RunResult, RunSettings } from '../../execution/run-settings.ts'
import type { Plan } from '../../pipeline/index.ts'
import type { Body, Flags } from '../command.ts'
import { listFlag, needText, textFlag } from '../options/read.ts'
import { CallReporters } from '../reporters/call-reporters.ts'
import { ownFiles, refuseConflicts } from '../result/conflicts.ts'
import { checkResultFile, type Ending } from '../result/result.ts'
import type { Io } from '../terminal/io.ts'
import { reportEndings } from './run/run.ts'
import { checkFlags, createSettings, showRun } from './shared.ts'

export const createBody = (command: 'resume' | 'collect' | 'merge'): Body => ({
  run: (flags, io) => runRecorded(command, flags, io, command === 'merge' ? findMerge : findRecorded),
})

function findRecorded(runsDir: string, flags: Flags): Recorded {
  const found = findResumable(runsDir, textFlag(flags, 'run') ?? undefined)
  const plan = found.queued === null ? found.state.plan : null
  const name = found.queued?.pipeline ?? plan?.name ?? null
  const isFinished = found.queued === null && found.state.finished
  return { name, plan, isFinished, start: settings => resumeOrCollect(found, settings) }
}

function findMerge(runsDir: string, flags: Flags): Recorded {
  const wanted = listFlag(flags, 'run')
  const plan = findShards(runsDir, wanted)[0]?.state.plan ?? null
  return { name: plan?.name ?? null, plan, start: settings => mergeRuns(wanted, settings) }
}

interface Recorded {
  readonly name: string | null
  /** Null while the run is in a queue. */
  readonly plan: Plan | null
  readonly isFinished?: boolean
  readonly start: (settings: RunSettings) => Promise<RunResult>
}

/** Finds what is recorded, starts it, and reports its ending; an error of either is its ending. */
async function runRecorded(command: string, flags: Flags, io: Io, find: typeof findRecorded): Promise<number> {
  checkFlags(flags)
  const runsDir = needText(flags, 'runs-dir')
  const reporters = await CallReporters.create(flags, io)
  await checkResultFile(flags, io)
  const progress = showRun(flags, io)
  let ending: Ending
  let name: string | null = null
  try {
    const { plan, start, isFinished = false, ...found } = find(runsDir, flags)
    name = found.name
    if (plan !== null) await refuseConflicts([{ file: plan.file, plan }], ownFiles(flags, reporters), io.cwd)
    reporters.enable()
    // A recorded run has its credentials from its pipeline; a finished run and a merge need none.
    const credentials = () => ({ username: '', password: '' })
    const settings = createSettings(flags, io, command, { observers: reporters.observersOf(progress), credentials })
    ending = { name, result: await start(settings), isRepeated: isFinished }
  } catch (error) {
    ending = { name, error }
  } finally {
    progress.stop()
  }
  return reportEndings([ending], { reporters, flags, io })
}
