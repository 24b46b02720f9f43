/** `fettle collect`: go on with a detached run: wait, enrich, download, check, report. It is a resume under the name of what it is for. */
import type { Flags } from '../../command.ts'
import type { Io } from '../../terminal/io.ts'
import { resumeOrCollect } from '../resume/run.ts'

/** Collects the run named, or the latest; one that was never submitted to its end is submitted first. */
export const run = (flags: Flags, io: Io): Promise<number> => resumeOrCollect(flags, io, 'collect')
