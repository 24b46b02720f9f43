/** `fettle merge`: joins the results of shards into the outputs and the report of one run. Sends nothing. */
import { findShards, mergeRuns } from '../../app/index.ts'
import type { Flags } from '../command.ts'
import { listFlag } from '../options/read.ts'
import type { Io } from '../terminal/io.ts'
import { runRecorded } from './resume.ts'

export const run = (flags: Flags, io: Io): Promise<number> =>
  runRecorded('merge', flags, io, runsDir => {
    const wanted = listFlag(flags, 'run')
    const plan = findShards(runsDir, wanted)[0]?.state.plan ?? null
    return { name: plan?.name ?? null, plan, start: settings => mergeRuns(wanted, settings) }
  })
