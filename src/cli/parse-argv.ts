/** argv -> the command and its flags. Unknown commands and flags are reported here with the nearest name, before yargs parses them. */

import yargs, { type Argv, type Options } from 'yargs'
import { defined } from '../defined.ts'
import { EXIT, type FettleError } from '../errors.ts'
import { type Command, type Flags, nameOf, type Option, usageError } from './command.ts'
import { COMMANDS } from './commands/index.ts'
import type { Io } from './terminal/io.ts'

export type ParsedCommand = { readonly command: Command; readonly flags: Flags }

const COMMON = ['debug', 'help', 'h']

/** Parses argv; an exit code when help or the version was printed instead. Throws FETTLE_USAGE. */
export async function parse(words: readonly string[], io: Io): Promise<ParsedCommand | number> {
  const argv = withoutSeparator(words)
  rejectSecrets(argv)
  const [wish, ...others] = argv.filter(word => word !== '--json')
  if (others.length === 0 && (wish === '--version' || wish === '-V') && argv.length <= 2) {
    const { bundledPackages, packageInfo } = await import('../env/package-info.ts')
    const { name, version } = packageInfo()
    const bundled = () => Object.fromEntries(bundledPackages().map(one => [one.name, one.version]))
    io.out(argv.length === 1 ? version : JSON.stringify({ name, version, node: process.version, bundled: bundled() }))
    return EXIT.ok
  }
  await rejectUnknown(argv)
  let parsed: ParsedCommand | null = null
  const problems: string[] = []
  const parser = createParser(argv, io, problems, found => {
    parsed = found
  })
  let printed = ''
  await parser.parseAsync([...argv], {}, (_error, _argv, output) => {
    printed = output
  })
  if (argv.length === 0) {
    io.err(await parser.getHelp())
    return EXIT.usage
  }
  if (problems.length > 0) throw usageError(formatProblems(problems, argv), findHint(problems[0]!, argv))
  if (parsed !== null) return requireNeeds(parsed)
  io.out(printed)
  return EXIT.ok
}

/** Words after `--` are files even with a leading dash: yargs fills no positional from them, but reads `./-file` as one. */
function withoutSeparator(words: readonly string[]): string[] {
  const end = words.indexOf('--')
  if (end === -1) return [...words]
  return [...words.slice(0, end), ...words.slice(end + 1).map(word => (word.startsWith('-') ? `./${word}` : word))]
}

/** yargs lays out the help of what it is given on every call (measured: 30 ms), so it is given texts only when help is wanted. */
const wantsHelp = (argv: readonly string[]): boolean => argv.length === 0 || argv.some(word => /^(?:--help|-[^-]*h)/.test(word))

function createParser(argv: readonly string[], io: Io, problems: string[], onCommand: (parsed: ParsedCommand) => void): Argv {
  const parser = yargs()
    .scriptName('fettle')
    // The texts of yargs must be English in every locale, as ours are.
    .locale('en')
    .usage(
      'fettle <command>\n\n  fettle clean companies.csv    match and enrich your list\n  fettle init companies.csv     write a pipeline file for it, to run every night',
    )
    .parserConfiguration({ 'camel-case-expansion': false, 'parse-positional-numbers': false, 'strip-aliased': true })
    .option('debug', { type: 'boolean', global: true, describe: 'Show stack traces' })
    .strict()
    .demandCommand(1)
    .version(false)
    .option('version', { type: 'boolean', global: false, describe: 'Show the version' })
    .wrap(Math.min(io.columns(), 110))
    .exitProcess(false)
    .fail((message, error) => {
      problems.push(message ?? String(error))
    })
  const isHelp = wantsHelp(argv)
  if (isHelp) parser.help().alias('help', 'h')
  else parser.help(false)
  for (const command of isHelp ? COMMANDS : COMMANDS.filter(known => nameOf(known) === argv[0]))
    parser.command({
      command: command.usage,
      describe: command.summary,
      builder: argv => declare(argv, command, !isHelp, isHelp ? {} : io.env),
      handler: flags => onCommand({ command, flags: flags as Flags }),
    })
  return parser
}

function declare(argv: Argv, command: Command, hidden = false, env: Io['env'] = {}): Argv {
  const { positionals = [], options, conflicts = {}, implies = {}, examples } = command
  for (const option of positionals) argv.positional(option.name, { ...defineOption(option), hidden })
  for (const option of options) argv.option(option.name, { ...defineOption(option, env), ...defineValues(option), hidden })
  if (!hidden) for (const [line, purpose] of examples) argv.example(line, purpose)
  return argv.conflicts(conflicts).implies(implies)
}

const defineOption = (
  { type = 'text', alias, choices, default: preset, variable = '', isRequired, describe }: Option,
  env: Io['env'] = {},
) =>
  defined({
    describe,
    alias,
    default: preset === undefined ? undefined : env[variable] || preset,
    demandOption: isRequired === true,
    array: type === 'list',
    choices,
    type: choices !== undefined ? undefined : type === 'switch' ? ('boolean' as const) : ('string' as const),
  })

const defineValues = ({ type, values = 1 }: Option): Options =>
  type === 'switch' ? {} : defined({ requiresArg: true, nargs: type === 'list' ? values : undefined })

/** The help of a command in `width` columns, for the documents. */
export const helpOf = (command: Command, width: number): Promise<string> =>
  declare(yargs().scriptName('fettle').usage(`fettle ${command.usage}\n\n${command.summary}`), command)
    .locale('en')
    .help(false)
    .version(false)
    .wrap(width)
    .getHelp()

/** Every user of the machine can read a command line: a password in it is rejected, and not repeated. */
function rejectSecrets(argv: readonly string[]): void {
  const flag = argv.find(word => /^--?(password|token|secret)(=|$)/i.test(word))
  if (flag !== undefined)
    throw usageError(
      `${flag.split('=')[0]} is not a flag: other users could read it from the process list`,
      'Set FETTLE_PASSWORD, or FETTLE_PASSWORD_FILE.',
    )
}

async function rejectUnknown(argv: readonly string[]): Promise<void> {
  const [first] = argv
  if (first === undefined || first.startsWith('-')) return
  const command = COMMANDS.find(known => nameOf(known) === first)
  if (command === undefined) throw await unknown(`unknown command "${first}"`, first, COMMANDS.map(nameOf), '')
  // yargs reads it as an empty word.
  const dash = argv.findIndex((word, index) => word === '-' && !argv[index - 1]?.startsWith('--'))
  if (argv[dash - 1] === '-o')
    throw usageError('-o -: an output is a file', first === 'init' ? 'Write --output - for stdout.' : 'Name the file.')
  if (dash !== -1) throw usageError(`${first} does not read stdin: - is not a name`, 'Name a file or a run.')
  const options = [...(command.positionals ?? []), ...command.options]
  const known = options.flatMap(({ name, alias }) => [name, alias ?? name])
  for (const word of argv.slice(1)) {
    const [, dashes = '', text] = /^(--(?:no-)?|-)([a-z][^=]*)/i.exec(word) ?? []
    if (text === undefined) continue
    const isLong = dashes !== '-'
    const flag = isLong ? text : [...text].find(letter => !known.includes(letter) && !COMMON.includes(letter))
    if (flag === undefined || known.includes(flag) || COMMON.includes(flag)) continue
    const meant = isLong ? flag : findLongName(flag)
    const other = options.find(({ otherNames }) => otherNames?.includes(meant))?.name ?? meant
    throw await unknown(`${first} has no flag ${isLong ? '--' : '-'}${flag}`, other, known, '--')
  }
}

/** The flag that a letter abbreviates at any command. */
const findLongName = (letter: string): string =>
  COMMANDS.flatMap(({ options }) => options).find(({ alias }) => alias === letter)?.name ?? ''

async function unknown(what: string, word: string, names: readonly string[], prefix: string): Promise<FettleError> {
  const { nearest } = await import('../pipeline/index.ts')
  const found = nearest(word, names)
  return usageError(what, found === null ? undefined : `Did you mean ${prefix}${found}?`)
}

const NOT_ENOUGH = /^Not enough non-option arguments: got (\d+)/

/** All that is missing, else the first problem: its message of yargs on one line, with words for its arrows. */
function formatProblems(problems: readonly string[], argv: readonly string[]): string {
  const command = COMMANDS.find(known => nameOf(known) === argv[0])
  const missing = problems.flatMap(problem => {
    const [, given] = NOT_ENOUGH.exec(problem) ?? []
    const places = given === undefined ? [] : (command?.positionals ?? []).slice(Number(given))
    const [, names] = /^Missing required arguments?: (.+)$/.exec(problem) ?? []
    return [...places.flatMap(({ name, isRequired }) => (isRequired ? [name] : [])), ...(names?.split(', ') ?? [])]
  })
  if (command !== undefined && missing.length > 0) return formatMissing(missing, command)
  const [problem = ''] = problems
  if (/^(?:Implications failed|Missing dependent arguments):/.test(problem))
    return [...problem.matchAll(/(?<!\S)(\S+) -> (\S+)/g)].map(([, flag, needed]) => `--${flag} needs --${needed}`).join('; ')
  const [, name, given, choices] = /^Invalid values:\s+Argument: (\S+), Given: "(.*)", Choices: (.*)$/.exec(problem) ?? []
  if (name !== undefined) return `${name}: expected one of ${choices}, found "${given}"`
  return problem.trim().replace(/\s+/g, ' ')
}

/** Positionals with the usage of the command, a single one with its description. */
function formatMissing(names: readonly string[], { usage, positionals = [] }: Command): string {
  const places = positionals.filter(({ name }) => names.includes(name))
  const shown = [...new Set(names)].map(name => (places.some(place => place.name === name) ? `<${name}>` : `--${name}`))
  const list = [shown.slice(0, -1).join(', '), shown.at(-1)].filter(Boolean).join(' and ')
  const what = shown.length === 1 ? `${list} is missing` : `${list} are missing`
  const [place] = places
  if (place === undefined) return what
  return `${what}${shown.length === 1 ? ` (${place.describe})` : ''}: fettle ${usage}`
}

/** Throws FETTLE_USAGE with all that the action lacks. */
function requireNeeds(parsed: ParsedCommand): ParsedCommand {
  const { command, flags } = parsed
  const words = (command.positionals ?? []).flatMap(({ name }) => (typeof flags[name] === 'string' ? [flags[name]] : []))
  const needs = words.flatMap((_, at) => command.needs?.[words.slice(0, at + 1).join(' ')] ?? [])
  const missing = needs.filter(name => (flags[name] ?? null) === null)
  if (missing.length > 0) throw usageError(formatMissing(missing, command))
  return parsed
}

/** `--select` chooses among pipelines that are named. */
const findHint = (problem: string, argv: readonly string[]): string | undefined =>
  NOT_ENOUGH.test(problem) && argv.some(word => /^--select(?:=|$)/.test(word))
    ? `--select chooses among pipelines. Pass their folder, too: fettle ${argv[0]} . --select tag:nightly`
    : undefined
