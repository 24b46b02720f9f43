/**
 * Runs a command line: argv to a command, its result to an exit code, a signal to a stop. process.exitCode is set instead of calling
 * process.exit, so that pipes drain (measured: process.exit after 300,000 bytes delivered 65,536); a second signal on Windows is to end at once.
 */
import { action, EXIT, FettleError } from '../errors.ts'
import { nameOf } from './command.ts'
import { COMMANDS } from './commands/index.ts'
import { type ParsedCommand, parse } from './parse-argv.ts'
import { chooseExit } from './result/exit.ts'
import { type Io, processIo, withTrust } from './terminal/io.ts'

/** The first signal stops in order, the second kills the process (a shell reports 130): the journal is valid at any instant. */
function listenForSignals(): AbortSignal {
  const stop = new AbortController()
  const on = (name: 'SIGINT' | 'SIGTERM', code: 'FETTLE_SIGINT' | 'FETTLE_SIGTERM'): void => {
    process.on(name, () => {
      if (stop.signal.aborted) {
        // Windows has no signal to die of: the exit code would be 1, as of a failed check.
        if (process.platform === 'win32') process.exit(name === 'SIGINT' ? EXIT.sigint : EXIT.sigterm)
        process.removeAllListeners(name)
        process.kill(process.pid, name)
      }
      stop.abort(new FettleError(code))
    })
  }
  on('SIGINT', 'FETTLE_SIGINT')
  on('SIGTERM', 'FETTLE_SIGTERM')
  return stop.signal
}

/**
 * V8 optimises a WebAssembly function after 1.8 MB of executed code, which half of SQLite reaches in a run of 20 rows; its parser and its
 * interpreter, where a step counts with up to 200 kB, also reach a hundred times as much (measured: together 0.5 s of processor time
 * and 50 MB). This is about the largest value; a long run still reaches it.
 */
const TIERING_BUDGET = '--wasm-tiering-budget=2000000000'

/**
 * In a process that runs this long, old objects are collected when the heap is 1.5 times of what is alive; V8 waits until it is up to four
 * times that. docs/performance.md has the figures. A run of one row would take a twelfth more processor time.
 */
const HEAP_GROWTH = '--heap-growing-percent=50'
const LONG_MS = 1_000

/** Runs a command line and returns its exit code; never throws. */
export async function runProgram(argv: readonly string[], io: Io): Promise<number> {
  let settings: NodeJS.Timeout | undefined
  try {
    const parsed = await parse(argv, io)
    if (typeof parsed === 'number') return parsed
    // The help does not load it: it loads the streams of Node.
    const { setFlagsFromString } = await import('node:v8')
    setFlagsFromString(TIERING_BUDGET)
    settings = setTimeout(() => setFlagsFromString(HEAP_GROWTH), LONG_MS).unref()
    const { interpretSchemas } = await import('../env/interpret-schemas.ts')
    interpretSchemas()
    const body = await parsed.command.load()
    return await body.run(parsed.flags, { ...io, env: applyTrust(parsed, io) })
  } catch (failure) {
    const error = helpOfCommand(failure, argv)
    const { printError } = await import('./terminal/print-error.ts')
    const { argvValue, printFailure } = await import('./result/result.ts')
    io.err(printError(error, argv.includes('--debug'), argvValue(argv, 'runs-dir')))
    await printFailure(error, argv, io)
    return chooseExit(error)
  } finally {
    clearTimeout(settings)
  }
}

/** A flag wins over FETTLE_UNTRUSTED, which wins over the default of the command. */
function applyTrust({ command, flags }: ParsedCommand, { env }: Io): Io['env'] {
  if (flags.untrusted === true) return withTrust(env, false)
  if (flags.trusted === true) return withTrust(env, true)
  return command.isUntrusted === true && (env.FETTLE_UNTRUSTED ?? '') === '' ? withTrust(env, false) : env
}

/** A command line that is not valid is explained by the help of its command. */
function helpOfCommand(error: unknown, [first = '']: readonly string[]): unknown {
  const isPlain = FettleError.is(error) && error.code === 'FETTLE_USAGE' && error.action?.command === '--help'
  if (!isPlain || !COMMANDS.some(command => nameOf(command) === first)) return error
  return new FettleError(error.code, error.message, { hint: error.hint, action: action(first, '--help'), cause: error.cause })
}

export async function start(): Promise<void> {
  // The AWS client would print its own advice about Node versions.
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true'
  process.exitCode = await runProgram(process.argv.slice(2), processIo(listenForSignals()))
}
