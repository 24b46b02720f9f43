/** The queue that a command names, and the result line of a queued run. */
import type { QueuedRun } from '../../app/distributed/index.ts'
import { resultLineOf } from '../../report/index.ts'
import type { Flags } from '../command.ts'
import { needText, textFlag } from './read.ts'

/** Throws FETTLE_USAGE without `--queue`. */
export const queueOf = (flags: Flags): { readonly url: string; readonly name: string } => ({
  url: needText(flags, 'queue'),
  name: textFlag(flags, 'queue-name') ?? 'fettle',
})

export const queuedLine = ({ runId, pipeline }: QueuedRun, status: string, exitCode: number | null): string =>
  resultLineOf({ status, exitCode, runId, pipeline })
