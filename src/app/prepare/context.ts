/** What a pipeline is prepared with: values that replace its keys, and its environment. */
import type { ShardChoice } from '../../pipeline/index.ts'
import type { Env } from '../env/environment.ts'
import type { Receivers } from '../staging/receive.ts'

/** Values that replace keys of the pipeline. */
export interface Overrides {
  /** The target of the project file; its default if null. */
  readonly target: string | null
  readonly service: string | null
  /** Names of the registers that the embedded service matches against. */
  readonly register: readonly string[] | null
  readonly input: string | null
  readonly output: string | null
  /** Folders outside the project that outputs may lie in. */
  readonly outputRoots: readonly string[]
  /** Lines around the table of the input, null where the pipeline decides. */
  readonly skip: { readonly head: number | null; readonly tail: number | null }
  readonly vars: Readonly<Record<string, string>>
  readonly limit: number | null
  /** Only this part of the rows, null for all. */
  readonly shard: ShardChoice | null
}

export const NO_OVERRIDES: Overrides = {
  target: null,
  service: null,
  register: null,
  input: null,
  output: null,
  outputRoots: [],
  skip: { head: null, tail: null },
  vars: {},
  limit: null,
  shard: null,
}

export interface PrepareContext extends Receivers {
  /** The run of a scheduler: its attempts have the date of the first one. */
  readonly runKey?: string | null
  readonly env: Env
  readonly cwd: string
  /** The caller sends nothing to the service of the pipeline. */
  readonly isOffline?: boolean
}
