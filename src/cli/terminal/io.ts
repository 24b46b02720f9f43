/**
 * The terminal as commands see it: where results and talk go, whether somebody watches, and the stop signal. The only holder of
 * process.stdin, process.stdout and process.stderr; a closed pipe ends the talk, not the work.
 */
import type { Readable } from 'node:stream'
import type { Env } from '../../app/index.ts'
import { EXIT } from '../../errors.ts'

/** What a command is given. */
export interface Io {
  readonly env: Env
  readonly cwd: string
  /** What is piped in; asked for only by who reads it. */
  readonly stdin: () => Readable & { readonly isTTY?: boolean }
  /** Results: one write, one line end. */
  out(text: string): void
  /** Everything else. */
  say(text: string): void
  /** Raw bytes to the talk stream, for a line that is drawn over. */
  draw(text: string): void
  readonly isTerminal: boolean
  readonly columns: () => number
  readonly rows: () => number
  /** Results may be piped away from a terminal that still sees the talk. */
  readonly colour: { readonly out: boolean; readonly say: boolean }
  /** Aborted with a FettleError by SIGINT or SIGTERM. */
  readonly signal: AbortSignal
}

/** Colour on a terminal unless NO_COLOR; FORCE_COLOR forces it, or as 0 forbids it (no-color.org, force-color.org). */
function wantsColour(env: Env, isTerminal: boolean): boolean {
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false
  const force = env.FORCE_COLOR ?? ''
  return force === '' ? isTerminal : force !== '0' && force !== 'false'
}

/** After a run; the same command again would start another one. */
const STDOUT_HINT = 'Check the free space. After a run, fettle resume prints its result again and starts no new run.'

/**
 * The real terminal. A reader that went away (EPIPE) is not a failure: the rest is said to nobody, the exit code stays. Results
 * that a full disk refused are.
 */
export function processIo(signal: AbortSignal): Io {
  const { stdout, stderr, env } = process
  const isWatched = (stream: NodeJS.WriteStream): boolean => stream.isTTY === true && (env.CI ?? '') === '' && env.TERM !== 'dumb'
  const write = (stream: NodeJS.WriteStream, text: string): void => {
    if (stream.writable) stream.write(text)
  }
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
    say: text => write(stderr, text.endsWith('\n') ? text : `${text}\n`),
    draw: text => write(stderr, text),
    isTerminal: isWatched(stderr),
    // A pseudo-terminal may call itself 0 wide.
    columns: () => stderr.columns || 80,
    rows: () => stderr.rows || 24,
    colour: { out: wantsColour(env, isWatched(stdout)), say: wantsColour(env, isWatched(stderr)) },
    signal,
  }
}
