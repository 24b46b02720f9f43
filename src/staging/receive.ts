/** Resolves the input of a pipeline to where this process can read it. */
import { action, issue, type Place } from '../errors.ts'
import type { Inspection } from '../input/table/inspect.ts'
import { isAddress, type Pipeline, requestedInput } from '../pipeline/index.ts'
import { DEFAULT_RUNS_DIR } from '../shell-command.ts'
import { receiveFrom, receiveQuery, type StorageOptions } from './remote-files.ts'
import { type ReceivedInput, receiveFile, stdinOf } from './staged-input.ts'

interface RemoteInputOptions {
  readonly runsDir: string
  readonly attempts: number
  /** A relative path starts from this folder. */
  readonly cwd?: string
  /** Of a database. */
  readonly sql?: string
}

export type RemoteInputs = (path: string, how: RemoteInputOptions) => Promise<ReceivedInput>

/** Receives remote inputs, and files to keep, for the pipelines of one call; `keeps` stores them for a run. */
export const createRemoteInputs =
  ({ keeps, ...storage }: Omit<StorageOptions, 'attempts' | 'cwd'> & { readonly keeps: boolean }): RemoteInputs =>
  (path, { runsDir, attempts, cwd = '', sql }) => {
    const kept = { runsDir, keeps }
    const own = { ...storage, attempts, cwd }
    if (sql !== undefined) return receiveQuery(path, sql, own, kept)
    return isAddress(path) ? receiveFrom(path, own, kept) : receiveFile(path, { ...kept, cwd })
  }

export interface Receivers {
  /** Directory of the runs, as given; `fettle-runs` if absent. */
  readonly runsDir?: string
  /** Standard input, for all pipelines of one call; if absent the input of the process, not stored. */
  readonly stdin?: ReturnType<typeof stdinOf>
  /** Receives a remote input; such an input is not read if absent. */
  readonly elsewhere?: RemoteInputs
  readonly onProgress?: (input: string, bytes: number, total: number) => void
}

/** Resolves the input of a pipeline, and copies it here unless it is a local file. */
export async function receiveInput(
  pipeline: Pipeline,
  file: string,
  how: Receivers & { readonly cwd: string },
): Promise<ReceivedInput> {
  const { path } = pipeline.input
  const runsDir = how.runsDir ?? DEFAULT_RUNS_DIR
  const requested = requestedInput(path)
  if (requested.kind === 'stdin') return (how.stdin ?? stdinOf({ open: () => process.stdin, keeps: false }))(file, runsDir)
  const isCopied = requested.kind === 'object' || pipeline.input.keep
  if (isCopied && how.elsewhere !== undefined)
    return how.elsewhere(path, { runsDir, attempts: pipeline.retry.attempts, cwd: how.cwd, sql: pipeline.input.sql })
  return { ...requested, path: requested.shown, named: issues => issues, release: () => {} }
}

export const uninspectedInput = (shown: string, file: string, at: Place | null): Inspection => ({
  facts: null,
  issues: [
    issue('FETTLE_INPUT_READ', `the input ${shown} is a remote object and was not read`, {
      severity: 'info',
      hint: 'Plan the run to read the input.',
      action: action('run', file, '--dry-run'),
      at,
    }),
  ],
  cells: [],
  marks: [],
  edges: [],
})
