/** A command as a record: what help, completion and the parser read, and a body that is loaded when the command is called. */
import { FettleError } from '../errors.ts'
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
  /** Positionals and flags that an action needs, by its words: `import`, `users add`. */
  readonly needs?: Readonly<Record<string, readonly string[]>>
  readonly examples: readonly (readonly [line: string, purpose: string])[]
  readonly load: () => Promise<Body>
}

export const nameOf = ({ usage }: Command): string => usage.split(' ')[0] ?? ''

export interface Option {
  readonly name: string
  readonly alias?: string
  /** `list` takes one value each time it is given; the default is `text`. */
  readonly type?: 'text' | 'switch' | 'list'
  /** How many values a list takes each time; 1 if absent. */
  readonly values?: number
  readonly choices?: readonly string[]
  /** Values that completion offers; others are accepted too. */
  readonly suggestions?: readonly string[]
  readonly default?: string
  /** Environment variable that gives the default instead. */
  readonly variable?: string
  readonly isRequired?: boolean
  readonly describe: string
  /** Names of it at other commands, for the hint. */
  readonly otherNames?: readonly string[]
}

/** An error of the command line; the hint defaults to the help of the command. */
export const usageError = (message: string, hint?: string): FettleError => new FettleError('FETTLE_USAGE', message, { hint })
