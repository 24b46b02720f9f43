/**
 * The command line: argv to a command, its result to an exit code, a signal to a stop. It sets process.exitCode and lets the
 * process end by itself, so that pipes drain (measured: process.exit after 300,000 bytes delivered 65,536).
 */
import { EXIT, FettleError } from '../errors.ts'
import { parse } from './parse-argv.ts'
import { exitOf } from './result/exit.ts'
import { type Io, processIo } from './terminal/io.ts'

/** First signal: stop in order. Second: end at once, by the signal itself, as a shell reports 130; the journal is whole at any instant. */
function listenForSignals(): AbortSignal {
  const stop = new AbortController()
  const on = (name: 'SIGINT' | 'SIGTERM', code: 'FETTLE_SIGINT' | 'FETTLE_SIGTERM'): void => {
    process.on(name, () => {
      if (stop.signal.aborted) {
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

/** Carries out a command line before this terminal and gives its exit code; it never throws. */
export async function runProgram(argv: readonly string[], io: Io): Promise<number> {
  try {
    const called = await parse(argv, io)
    if (called === null) return EXIT.ok
    const body = await called.command.load()
    return await body.run(called.flags, io)
  } catch (error) {
    const { printError } = await import('./terminal/print-error.ts')
    const { argvValue, printFailure } = await import('./result/result.ts')
    io.say(printError(error, argv.includes('--debug'), argvValue(argv, 'runs-dir')))
    await printFailure(error, argv, io)
    return exitOf(error)
  }
}

const AWS_ADVICE_OFF = 'AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'

/** Carries out the command line of this process. */
export async function start(): Promise<void> {
  // Which Node may be used is told by package.json; advice of Amazon's client would stand among what is ours.
  process.env[AWS_ADVICE_OFF] ??= 'true'
  process.exitCode = await runProgram(process.argv.slice(2), processIo(listenForSignals()))
}
