/**
 * An input that is no file here, received before a pipeline is planned: standard input, or an object elsewhere; or left alone,
 * where whoever asks wants nothing sent.
 */
import { action, issue, type Place } from '../../errors.ts'
import type { Inspection } from '../../input/table/inspect.ts'
import { isAddress, type Pipeline, STDIN } from '../../pipeline/index.ts'
import { DEFAULT_RUNS_DIR } from '../../shell-command.ts'
import { receiveFrom, type StorageOptions } from './remote-files.ts'
import type { StagedInput } from './staged-input.ts'
import { stdinOf } from './stdin.ts'

/** Receives the input at an address: for a run here, or for a look. */
export type RemoteInputs = (path: string, how: RemoteInputOptions) => Promise<StagedInput>

/** What receiving an input needs to know of the pipeline. */
export interface RemoteInputOptions {
  readonly runsDir: string
  readonly attempts: number
}

/** Receives inputs that lie elsewhere, for the pipelines of one call; it `keeps` them for a run, or leaves nothing. */
export const createRemoteInputs =
  ({ keeps, ...reach }: Omit<StorageOptions, 'attempts'> & { readonly keeps: boolean }): RemoteInputs =>
  (path, { runsDir, attempts }) =>
    receiveFrom(path, { ...reach, attempts }, { runsDir, keeps })

/** How the inputs of a call are received. */
export interface Receivers {
  /** Where runs are kept, as given; `fettle-runs` if absent. */
  readonly runsDir?: string
  /** Standard input, for all pipelines of one call; the process's own if absent, looked at and not kept. */
  readonly stdin?: ReturnType<typeof stdinOf>
  /** Receives an input that lies elsewhere; such an input is left alone if absent. */
  readonly elsewhere?: RemoteInputs
  /** Told how much of the input has been read while it is looked through. */
  readonly onProgress?: (input: string, bytes: number, total: number) => void
}

/** The input, received; null for a file here, `left` for an object that is left alone. */
export async function receiveInput(pipeline: Pipeline, file: string, how: Receivers): Promise<StagedInput | 'left' | null> {
  const { path } = pipeline.input
  const runsDir = how.runsDir ?? DEFAULT_RUNS_DIR
  if (path === STDIN) return (how.stdin ?? stdinOf({ open: () => process.stdin, keeps: false }))(file, runsDir)
  if (!isAddress(path)) return null
  if (how.elsewhere === undefined) return 'left'
  return how.elsewhere(path, { runsDir, attempts: pipeline.retry.attempts })
}

/** What is known of an input that was left alone. */
export const uninspectedInput = (path: string, file: string, at: Place | null): Inspection => ({
  facts: null,
  issues: [
    issue('FETTLE_INPUT_READ', `the input ${path} lies elsewhere and was not looked at`, {
      severity: 'info',
      hint: 'Plan the run to read the input.',
      action: action('run', file, '--dry-run'),
      at,
    }),
  ],
  cells: [],
  marks: [],
})
