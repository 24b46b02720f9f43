/**
 * argv -> the command called and its flags. What is unknown is found here first, said once and with the nearest name, since
 * yargs prints two spellings and no suggestion. It carries nothing out.
 */
import yargs, { type Argv } from 'yargs'
import { FettleError } from '../errors.ts'
import type { Command, Flags } from './command.ts'
import { EXAMPLES } from './commands/examples.ts'
import { COMMANDS } from './commands/index.ts'
import type { Io } from './terminal/io.ts'

/** A command and what it was given. */
export interface ParsedCommand {
  readonly command: Command
  readonly flags: Flags
}

const nameOf = (command: Command): string => command.usage.split(' ')[0] ?? ''

/** Flags every command takes. */
const COMMON = ['debug', 'help', 'h']

/** Parses argv; null when help or the version was printed instead. Throws FETTLE_USAGE. */
export async function parse(words: readonly string[], io: Io): Promise<ParsedCommand | null> {
  const argv = plainWords(words)
  refuseSecrets(argv)
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    const { packageInfo } = await import('../app/env/package-info.ts')
    io.out(packageInfo().version)
    return null
  }
  await refuseUnknown(argv)
  let called: ParsedCommand | null = null
  const problems: string[] = []
  const parser = build(io, problems, found => {
    called = found
  })
  let printed = ''
  await parser.parseAsync([...argv], {}, (_error, _argv, output) => {
    printed = output
  })
  if (argv.length === 0) {
    io.say(await parser.getHelp())
    throw new FettleError('FETTLE_USAGE', 'no command was given', { hint: 'Begin with: fettle check PIPELINE' })
  }
  const [problem] = problems
  if (problem !== undefined) throw new FettleError('FETTLE_USAGE', inOurWords(problem, argv))
  if (called === null) io.out(printed)
  return called
}

/** What follows `--` is a file even with a leading dash. yargs fills no positional from there, but takes `./-file` for one. */
function plainWords(words: readonly string[]): string[] {
  const end = words.indexOf('--')
  if (end === -1) return [...words]
  return [...words.slice(0, end), ...words.slice(end + 1).map(word => (word.startsWith('-') ? `./${word}` : word))]
}

function build(io: Io, problems: string[], onCall: (called: ParsedCommand) => void): Argv {
  const parser = yargs()
    .scriptName('fettle')
    // The rest of the help is English whatever the terminal speaks.
    .locale('en')
    .usage(
      'fettle <command>\n\n  fettle run pipelines/suppliers.yml      carry out a pipeline\n  fettle check pipelines/suppliers.yml    check it without sending anything',
    )
    .parserConfiguration({ 'camel-case-expansion': false, 'parse-positional-numbers': false, 'strip-aliased': true })
    .option('debug', { type: 'boolean', global: true, describe: 'Show stack traces' })
    .strict()
    .demandCommand(1)
    .help()
    .alias('help', 'h')
    .version(false)
    .option('version', { type: 'boolean', global: false, describe: 'Show the version' })
    .wrap(Math.min(io.columns(), 110))
    .exitProcess(false)
    .fail((message, error) => {
      problems.push(message ?? String(error))
    })
  for (const command of COMMANDS)
    parser.command({
      command: command.usage,
      describe: command.summary,
      builder: argv => withExamples(command.flags(argv), nameOf(command)),
      handler: flags => onCall({ command, flags: flags as Flags }),
    })
  return parser
}

const withExamples = (argv: Argv, name: string): Argv =>
  (EXAMPLES[name] ?? []).reduce((all, [line, what]) => all.example(line, what), argv)

/** The whole help of a command, in so many columns: for the documents made of it. */
export const helpOf = (command: Command, width: number): Promise<string> =>
  withExamples(
    command.flags(yargs().scriptName('fettle').usage(`fettle ${command.usage}\n\n${command.summary}`)),
    nameOf(command),
  )
    .locale('en')
    .help(false)
    .version(false)
    .wrap(width)
    .getHelp()

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

async function refuseUnknown(argv: readonly string[]): Promise<void> {
  const [first] = argv
  if (first === undefined || first.startsWith('-')) return
  const command = COMMANDS.find(one => nameOf(one) === first)
  if (command === undefined) throw await unknown(`unknown command "${first}"`, first, COMMANDS.map(nameOf), '')
  // yargs makes an empty word of it.
  if (argv.some((word, at) => word === '-' && !argv[at - 1]?.startsWith('--')))
    throw new FettleError('FETTLE_USAGE', `${first} reads nothing from stdin: - is no name`, { hint: 'Name a file or a run.' })
  const known = flagNames(command)
  for (const word of argv.slice(1)) {
    const [, flag] = /^--(?:no-)?([^=]+)/.exec(word) ?? []
    if (flag !== undefined && !known.includes(flag) && !COMMON.includes(flag))
      throw await unknown(`${first} has no flag --${flag}`, flag, known, '--')
  }
}

async function unknown(what: string, word: string, names: readonly string[], prefix: string): Promise<FettleError> {
  const { nearest } = await import('../app/light.ts')
  const found = nearest(word, names)
  return new FettleError('FETTLE_USAGE', what, found === null ? {} : { hint: `Did you mean ${prefix}${found}?` })
}

function flagNames(command: Command): string[] {
  const parser = command.flags(yargs()) as unknown as { getOptions(): { key: Record<string, boolean> } }
  return Object.keys(parser.getOptions().key)
}

/** yargs' sentence on one line; its arithmetic about positionals becomes the usage of the command. */
function inOurWords(problem: string, argv: readonly string[]): string {
  const usage = COMMANDS.find(command => nameOf(command) === argv[0])?.usage
  if (/^Not enough non-option/.test(problem) && usage !== undefined) return `something is missing: fettle ${usage}`
  return problem.trim().replace(/\s+/g, ' ')
}
