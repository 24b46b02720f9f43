/** Standard streams, terminal size and stop signal of a command. A closed pipe discards the output and does not stop the command. */
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import type { Env } from '../../env/environment.ts'
import { EXIT } from '../../errors.ts'
import { wrapLines } from './wrap.ts'

export interface Io {
  readonly env: Env
  readonly cwd: string
  /** A function, since opening stdin keeps the process alive. */
  readonly stdin: () => Readable & { readonly isTTY?: boolean; setRawMode?(isRaw: boolean): unknown }
  /** Results, to stdout. A line end is added if missing. */
  out(text: string): void
  /** A result for people: on a terminal, long lines are broken at spaces. */
  text(text: string): void
  err(text: string): void
  draw(text: string): void
  readonly isTerminal: boolean
  readonly columns: () => number
  readonly rows: () => number
  /** Separate, since stdout may be piped while stderr is a terminal. */
  readonly colour: { readonly out: boolean; readonly err: boolean }
  readonly signal: AbortSignal
}

/** Colour on a terminal unless NO_COLOR; FORCE_COLOR forces it, or as 0 forbids it (no-color.org, force-color.org). */
function wantsColour(env: Env, isTerminal: boolean): boolean {
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false
  const force = env.FORCE_COLOR ?? ''
  return force === '' ? isTerminal : force !== '0' && force !== 'false'
}

const STDOUT_HINT = 'Check the free space. After a run, fettle resume prints its result again and starts no new run.'

/** The streams of this process. A closed reader (EPIPE) is not an error: the rest is discarded, the exit code stays. A full disk is. */
export function processIo(signal: AbortSignal): Io {
  const { stdout, stderr, env } = process
  const isWatched = (stream: NodeJS.WriteStream): boolean => stream.isTTY === true && (env.CI ?? '') === '' && env.TERM !== 'dumb'
  const write = (stream: NodeJS.WriteStream, text: string): void => {
    if (stream.writable) stream.write(text)
  }
  // A pseudo-terminal may report 0 columns.
  const columns = (): number => stderr.columns || 80
  const wrapped = (stream: NodeJS.WriteStream, text: string): string =>
    isWatched(stream) ? wrapLines(text, stream.columns || columns()) : text
  stderr.on('error', () => {})
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return
    write(stderr, `error FETTLE_OUTPUT_WRITE\n  cannot write the result to stdout: ${error.message}\n  hint: ${STDOUT_HINT}\n`)
    process.once('exit', () => {
      process.exitCode = EXIT.output
    })
  })
  return {
    env,
    cwd: process.cwd(),
    stdin: () => process.stdin,
    out: text => write(stdout, text.endsWith('\n') ? text : `${text}\n`),
    text: text => write(stdout, wrapped(stdout, text.endsWith('\n') ? text : `${text}\n`)),
    err: text => write(stderr, wrapped(stderr, text.endsWith('\n') ? text : `${text}\n`)),
    draw: text => write(stderr, text),
    isTerminal: isWatched(stderr),
    columns,
    rows: () => stderr.rows || 24,
    colour: { out: wantsColour(env, isWatched(stdout)), err: wantsColour(env, isWatched(stderr)) },
    signal,
  }
}

/** The same settings, with FETTLE_UNTRUSTED set. */
export const withTrust = (variables: Io['env'], isTrusted: boolean): Io['env'] => ({
  ...variables,
  FETTLE_UNTRUSTED: isTrusted ? '0' : '1',
})

/** Resolves when a signal stops the command. */
export async function untilStopped({ signal }: Io): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}
