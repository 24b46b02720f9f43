#!/usr/bin/env node
/**
 * The command line: argv to a command, its result to an exit code, a signal to a stop. It sets process.exitCode and lets the
 * process end by itself, so that pipes drain (measured: process.exit after 300,000 bytes delivered 65,536).
 */
import { EXIT, FettleError } from '../errors.ts'
import { exitOf } from './exit.ts'
import { processIo } from './io.ts'
import { parse } from './parse.ts'

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

async function main(argv: readonly string[]): Promise<number> {
  const io = processIo(listenForSignals())
  const isDebug = argv.includes('--debug')
  try {
    const called = await parse(argv, io)
    if (called === null) return EXIT.ok
    const body = await called.command.load()
    return await body.run(called.flags, io)
  } catch (error) {
    const { printError } = await import('./print-error.ts')
    io.say(printError(error, isDebug))
    const { giveFailure } = await import('./result.ts')
    await giveFailure(error, argv, io)
    return exitOf(error)
  }
}

// Node's own code for an uncaught error is 1, which here means that the data did not pass.
process.on('uncaughtException', error => {
  process.stderr.write(
    `error FETTLE_BUG\n  unexpected: ${error.message}\n  hint: this is a mistake in fettle; please report it\n`,
  )
  process.once('exit', () => {
    process.exitCode = EXIT.bug
  })
})

process.exitCode = await main(process.argv.slice(2))
