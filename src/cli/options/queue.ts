/** Which queue a command is about, and the result line of what is in one. It connects to nothing. */
import type { QueuedRun } from '../../app/distributed/index.ts'
import { safeJson } from '../../report/formats/escape.ts'
import type { Flags } from '../command.ts'
import { needText, textFlag } from './read.ts'

/** The queue of `--queue` and `--queue-name`. Throws FETTLE_USAGE when there is none. */
export const queueOf = (flags: Flags): { readonly url: string; readonly name: string } => ({
  url: needText(flags, 'queue'),
  name: textFlag(flags, 'queue-name') ?? 'fettle',
})

/** The line of a list that is in a queue: the keys of every result line. */
export const queuedLine = ({ runId, pipeline }: QueuedRun, status: string, exitCode: number | null): string =>
  safeJson({ schema: 'fettle/result/v1', status, exitCode, runId, pipeline, totals: null, report: null, output: null })
