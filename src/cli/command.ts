/** A command as a value: what the table holds and what each body is given. Types only. */
import type { Argv } from 'yargs'
import type { Io } from './terminal/io.ts'

/** Parsed flags and positionals of a command, by their names as typed. */
export type Flags = Readonly<Record<string, unknown>>

/** What the body of a command must offer: it returns the exit code, or throws. */
export interface Body {
  run(flags: Flags, io: Io): Promise<number>
}

/** A command as a value. */
export interface Command {
  readonly usage: string
  readonly summary: string
  readonly flags: (argv: Argv) => Argv
  readonly load: () => Promise<Body>
}
