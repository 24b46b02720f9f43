/** A command as a record: what help, completion and the parser read, and a body that is loaded when the command is called. */
import type { Option } from './options/option.ts'
import type { Io } from './terminal/io.ts'

export type Flags = Readonly<Record<string, unknown>>

export interface Body {
  /** Returns the exit code, or throws. */
  run(flags: Flags, io: Io): Promise<number>
}

export interface Command {
  /** Name and positionals: `check <pipeline..>`. */
  readonly usage: string
  readonly summary: string
  /** In the order of the usage. */
  readonly positionals?: readonly Option[]
  readonly options: readonly Option[]
  /** Looks at a pipeline before it is trusted: FETTLE_UNTRUSTED is 1 by default. */
  readonly isUntrusted?: true
  readonly conflicts?: Readonly<Record<string, readonly string[]>>
  readonly implies?: Readonly<Record<string, string>>
  readonly examples: readonly (readonly [line: string, purpose: string])[]
  readonly load: () => Promise<Body>
}

export const nameOf = ({ usage }: Command): string => usage.split(' ')[0] ?? ''
