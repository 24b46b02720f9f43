/** `fettle collect`: finishes a detached run: waits, enriches, downloads, checks, reports. */
import type { Flags } from '../../command.ts'
import type { Io } from '../../terminal/io.ts'
import { resumeAs } from '../resume/run.ts'

/** Collects the run named, or the latest. */
export const run = (flags: Flags, io: Io): Promise<number> => resumeAs('collect', flags, io)
