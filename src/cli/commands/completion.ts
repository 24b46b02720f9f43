/** Completion scripts made from the table of commands: names, flags, choices and run ids. They are static: a key press starts no Node. */
import { EXIT } from '../../errors.ts'
import { PIPELINE_ENDINGS } from '../../pipeline/index.ts'
import { type Body, type Command, nameOf, type Option } from '../command.ts'
import { needText } from '../options/read.ts'

export type Shell = 'bash' | 'zsh' | 'fish'

const COMMON: readonly Option[] = [
  { name: 'help', alias: 'h', type: 'switch', describe: 'Show help' },
  { name: 'debug', type: 'switch', describe: 'Show stack traces' },
]

const readFlag = ({ name, alias, type, choices, suggestions, describe: about }: Option) => {
  const takes = type === 'switch' ? ('nothing' as const) : (choices ?? suggestions ?? ('text' as const))
  return { name, short: alias?.length === 1 ? alias : null, about, takes }
}

type Entry = ReturnType<typeof readEntry>

function readEntry(command: Command) {
  const { positionals = [], options, summary: about } = command
  const words = positionals.flatMap(({ choices = [] }) => choices)
  const named = (wanted: string): boolean => positionals.some(({ name }) => name === wanted)
  const kind = named('run') ? ('runs' as const) : named('pipeline') ? ('pipelines' as const) : ('files' as const)
  // The positional: one of several words, a run id, a pipeline file, or any file.
  const takes = words.length > 0 ? words : kind
  return { name: nameOf(command), about, takes, flags: [...options, ...COMMON].map(readFlag) }
}

export const completionFor = (shell: Shell, commands: readonly Command[]): string =>
  ({ bash, zsh, fish })[shell](commands.map(readEntry))

/** The table is an argument, since it contains this command itself. */
export const bodyFor = (commands: readonly Command[]): Body => ({
  async run(flags, io) {
    io.out(completionFor(needText(flags, 'shell') as Shell, commands))
    return EXIT.ok
  },
})

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
/** Files that have a pipeline's ending; where none matches, the shell offers all files. */
const PIPELINES = `ls -d "$word"*{${PIPELINE_ENDINGS.join(',')}} 2>/dev/null`
/** Ids look like 20260101T000000Z-name-abcdef. */
const RUNS = 'ls fettle-runs 2>/dev/null | grep -E "^[0-9]{8}T"'

const listWords = (takes: 'pipelines' | 'runs' | readonly string[]): string =>
  takes === 'runs' ? `$(${RUNS})` : takes === 'pipelines' ? `$(${PIPELINES})` : quoted(takes.join(' '))

function bash(entries: readonly Entry[]): string {
  const values = entries.flatMap(({ name, flags }) =>
    flags.flatMap(flag => {
      const cases = [`${name}:--${flag.name}`, ...(flag.short === null ? [] : [`${name}:-${flag.short}`])].join('|')
      if (flag.takes === 'nothing') return []
      const words =
        flag.takes === 'text' ? 'return' : `COMPREPLY=($(compgen -W ${quoted(flag.takes.join(' '))} -- "$word")); return`
      return [`    ${cases}) ${words} ;;`]
    }),
  )
  const flags = entries.map(
    ({ name, flags }) => `      ${name}) words=${quoted(flags.map(flag => `--${flag.name}`).join(' '))} ;;`,
  )
  const plain = entries.flatMap(({ name, takes }) => (takes === 'files' ? [] : [`      ${name}) words=${listWords(takes)} ;;`]))
  return `# fettle completion bash > ~/.local/share/bash-completion/completions/fettle
_fettle() {
  local word=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} command=\${COMP_WORDS[1]} words=
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    COMPREPLY=($(compgen -W ${quoted(`${entries.map(({ name }) => name).join(' ')} --help --version`)} -- "$word"))
    return
  fi
  case $command:$before in
${values.join('\n')}
  esac
  if [[ $word == -* ]]; then
    case $command in
${flags.join('\n')}
    esac
  else
    case $command in
${plain.join('\n')}
    esac
  fi
  [[ -n $words ]] && COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _fettle fettle
`
}

function zsh(entries: readonly Entry[]): string {
  const text = (words: string): string => words.replace(/[[\]:\\]/g, '\\$&')
  const spec = ({ name, short, about, takes }: ReturnType<typeof readFlag>): string[] => {
    const value = takes === 'nothing' ? '' : takes === 'text' ? `:${name}:_files` : `:${name}:(${takes.join(' ')})`
    const names = [`--${name}`, ...(short === null ? [] : [`-${short}`])]
    return names.map(flag => quoted(`*${flag}[${text(about)}]${value}`))
  }
  const cases = entries.map(({ name, flags, takes }) => {
    const plain =
      takes === 'files'
        ? '*:file:_files'
        : takes === 'pipelines'
          ? '*:pipeline:_files -g "*.fettle.(yml|yaml|json)"'
          : takes === 'runs'
            ? `*:run:(\${(f)"$(${RUNS})"})`
            : `*:what:(${takes.join(' ')})`
    const last = takes === 'runs' ? `"${plain.replaceAll('"', '\\"')}"` : quoted(plain)
    return `    ${name}) _arguments ${[...flags.flatMap(spec), last].join(' ')} ;;`
  })
  return `#compdef fettle
# fettle completion zsh > "\${fpath[1]}/_fettle", or in .zshrc: source <(fettle completion zsh)
_fettle() {
  if ((CURRENT == 2)); then
    local -a commands=(${entries.map(({ name, about }) => quoted(`${name}:${about}`)).join(' ')})
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  ((CURRENT--))
  case $command in
${cases.join('\n')}
  esac
}
if [[ $funcstack[1] == _fettle ]]; then _fettle "$@"; else compdef _fettle fettle; fi
`
}

function fish(entries: readonly Entry[]): string {
  const lines = entries.flatMap(({ name, about, flags, takes }) => {
    const seen = `complete -c fettle -n '__fish_seen_subcommand_from ${name}'`
    const plain =
      takes === 'files'
        ? []
        : takes === 'pipelines'
          ? [`${seen} -k -a ${quoted('(__fish_complete_suffix .fettle.yml)')}`]
          : [`${seen} -f -a ${takes === 'runs' ? quoted(`(${RUNS})`) : quoted(takes.join(' '))}`]
    return [
      `complete -c fettle -f -n __fish_use_subcommand -a ${name} -d ${quoted(about)}`,
      ...plain,
      ...flags.map(flag => {
        const value = flag.takes === 'nothing' ? '' : flag.takes === 'text' ? ' -r' : ` -x -a ${quoted(flag.takes.join(' '))}`
        return `${seen} -l ${flag.name}${flag.short === null ? '' : ` -s ${flag.short}`}${value} -d ${quoted(flag.about)}`
      }),
    ]
  })
  return `# fettle completion fish > ~/.config/fish/completions/fettle.fish\n${lines.join('\n')}\n`
}
