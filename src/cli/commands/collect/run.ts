/** `fettle collect`: finishes a detached run: waits, enriches, downloads, checks, reports. */
import type { Flags } from '../../command.ts'
import type { Io } from '../../terminal/io.ts'
import { resumeAs } from '../resume/run.ts'

export const run = (flags: Flags, io: Io): Promise<number> => resumeAs('collect', flags, io)
