/**
 * The terminal as commands see it: where results and talk go, whether somebody watches, and the stop signal. The only holder of
 * process.stdout and process.stderr; a closed pipe ends the talk, not the work.
 */
import type { Env } from '../compose.ts'

/** What a command is given. */
export interface Io {
  readonly env: Env
  readonly cwd: string
  /** Results: one write, one line end. */
  out(text: string): void
  /** Everything else. */
  say(text: string): void
  /** Raw bytes to the talk stream, for a line that is drawn over. */
  draw(text: string): void
  readonly isTerminal: boolean
  readonly columns: () => number
  readonly colour: boolean
  /** Aborted with a FettleError by SIGINT or SIGTERM. */
  readonly signal: AbortSignal
}

/** Colour on a terminal unless NO_COLOR; FORCE_COLOR forces it (no-color.org, force-color.org). */
function wantsColour(env: Env, isTerminal: boolean): boolean {
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false
  const force = env.FORCE_COLOR
  if (force !== undefined && force !== '0' && force !== 'false') return true
  return isTerminal && env.TERM !== 'dumb'
}

/** The real terminal. A reader that went away (EPIPE) is not a failure: the rest is said to nobody, the exit code stays. */
export function processIo(signal: AbortSignal): Io {
  const { stdout, stderr, env } = process
  for (const stream of [stdout, stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
  const isTerminal = stderr.isTTY === true && (env.CI ?? '') === '' && env.TERM !== 'dumb'
  const write = (stream: NodeJS.WriteStream, text: string): void => {
    if (stream.writable) stream.write(text)
  }
  return {
    env,
    cwd: process.cwd(),
    out: text => write(stdout, text.endsWith('\n') ? text : `${text}\n`),
    say: text => write(stderr, text.endsWith('\n') ? text : `${text}\n`),
    draw: text => write(stderr, text),
    isTerminal,
    columns: () => stderr.columns ?? 80,
    colour: wantsColour(env, isTerminal),
    signal,
  }
}
