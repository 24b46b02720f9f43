#!/usr/bin/env node
/**
 * The command line: argv to a command, its result to an exit code, a signal to a stop. It sets process.exitCode and lets the
 * process end by itself, so that pipes drain (measured: process.exit after 300,000 bytes delivered 65,536).
 */
import yargs from 'yargs'
import { EXIT, FettleError } from '../errors.ts'
import { COMMANDS, type Command, type Flags } from './commands.ts'
import { exitOf } from './exit.ts'
import { type Io, processIo } from './io.ts'

interface Called {
  readonly command: Command
  readonly flags: Flags
}

/** Parses argv; null when help or the version was printed instead. Throws FETTLE_USAGE. */
async function parse(argv: readonly string[], io: Io): Promise<Called | null> {
  refuseSecrets(argv)
  let called: Called | null = null
  let problem: string | null = null
  const parser = yargs([...argv])
    .scriptName('fettle')
    .usage(
      'fettle <command>\n\n  fettle run pipelines/suppliers.yml      carry out a pipeline\n  fettle check pipelines/suppliers.yml    check it without sending anything',
    )
    .parserConfiguration({ 'camel-case-expansion': false, 'parse-positional-numbers': false, 'strip-aliased': true })
    .option('debug', { type: 'boolean', global: true, describe: 'Show stack traces' })
    .strict()
    .demandCommand(1, 'which command?')
    .help()
    .alias('help', 'h')
    .version(false)
    .option('version', { type: 'boolean', global: false, describe: 'Show the version' })
    .wrap(Math.min(io.columns(), 110))
    .exitProcess(false)
    .fail((message, error) => {
      if (FettleError.is(error)) throw error
      problem ??= message ?? String(error)
    })
  for (const command of COMMANDS)
    parser.command({
      command: command.usage,
      describe: command.summary,
      builder: command.flags,
      handler: flags => {
        called = { command, flags: flags as Flags }
      },
    })
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    const { thisTool } = await import('../compose/tool.ts')
    io.out(thisTool().version)
    return null
  }
  let printed = ''
  await parser.parseAsync([...argv], {}, (_error, _argv, output) => {
    printed = output
  })
  if (problem === null && called === null) {
    if (argv.length === 0) io.say(await parser.getHelp())
    else io.out(printed)
    if (argv.length === 0) throw new FettleError('FETTLE_USAGE', 'no command was given')
    return null
  }
  if (problem !== null) throw await usageError(problem, argv)
  return called
}

/** A password on the command line is visible to every user of the machine: it is refused, and not repeated. */
function refuseSecrets(argv: readonly string[]): void {
  const flag = argv.find(word => /^--?(password|token|secret)(=|$)/i.test(word))
  if (flag !== undefined)
    throw new FettleError(
      'FETTLE_USAGE',
      `${flag.split('=')[0]} is not a flag: other users could read it from the process list`,
      {
        hint: 'Set FETTLE_PASSWORD, or FETTLE_PASSWORD_FILE.',
      },
    )
}

/** yargs' sentence, said once, with the nearest command or flag. */
async function usageError(problem: string, argv: readonly string[]): Promise<FettleError> {
  const { nearest } = await import('../compose.ts')
  const [, word] = /^Unknown (?:argument|command)s?: ([^,]+)/.exec(problem) ?? []
  if (word === undefined) return new FettleError('FETTLE_USAGE', problem.trim().replaceAll('\n', ' '))
  const names = COMMANDS.map(command => command.usage.split(' ')[0] ?? '')
  const isCommand = argv[0] === word
  const found = nearest(word, isCommand ? names : await flagNames(argv[0] ?? ''))
  const what = isCommand ? `unknown command "${word}"` : `unknown flag or argument "${word}"`
  const hint = found === null ? {} : { hint: `Did you mean ${isCommand ? '' : '--'}${found}?` }
  return new FettleError('FETTLE_USAGE', what, hint)
}

async function flagNames(name: string): Promise<string[]> {
  const command = COMMANDS.find(one => one.usage.split(' ')[0] === name)
  if (command === undefined) return []
  const { getOptions } = command.flags(yargs()) as unknown as { getOptions(): { key: Record<string, boolean> } }
  return Object.keys(getOptions().key)
}

/** First signal: stop in order. Second: end at once with the same code; the journal is whole at any instant. */
function listenForSignals(): AbortSignal {
  const stop = new AbortController()
  const on = (name: 'SIGINT' | 'SIGTERM', code: 'FETTLE_SIGINT' | 'FETTLE_SIGTERM'): void => {
    process.on(name, () => {
      if (stop.signal.aborted) {
        process.removeAllListeners(name)
        process.kill(process.pid, 'SIGKILL')
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
    return exitOf(error)
  }
}

process.exitCode = await main(process.argv.slice(2))
