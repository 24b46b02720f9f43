/** Makes the section of commands in docs/command-line.md: flags that several commands share once, then what each command has besides. Its examples are in its help. */

/** Columns of a code block that no page has to scroll. */
const WIDTH = 110

/** A flag that this many commands have, with the same description, is described once. */
const SHARED = 2

/** Shared flags that commands have together; a command that has all of them names the group. */
const GROUPS = {
  'list flags': ['delimiter', 'encoding', 'header', 'map', 'sheet', 'skip-head', 'skip-tail'],
  'pipeline flags': [
    'input',
    'limit',
    'output',
    'output-root',
    'register',
    'sample',
    'select',
    'service',
    'shard',
    'target',
    'var',
  ],
  'run flags': ['json', 'quiet', 'reporter', 'result-file', 'runs-dir', 'skip-code', 'strict', 'timeout', 'verbose'],
}

const flag = ({ name, alias }) =>
  [alias, name]
    .map(text => (text === undefined ? '' : `${text.length > 1 ? '--' : '-'}${text}`))
    .filter(text => text !== '')
    .join(', ')

const describe = ({ describe: text, choices, default: value, isRequired }) =>
  [
    text,
    choices === undefined ? '' : `(${choices.join(', ')})`,
    value === undefined || text.includes('default') ? '' : `[default: ${value}]`,
    isRequired ? '[required]' : '',
  ]
    .filter(part => part !== '')
    .join(' ')

/** Two columns, the second wrapped. */
function columns(rows) {
  const width = Math.min(Math.max(...rows.map(([left]) => left.length)) + 2, 60)
  return rows
    .flatMap(([left, right]) => {
      const lines = ['']
      for (const word of right.split(' ')) {
        const line = lines.at(-1)
        if (line !== '' && width + line.length + word.length + 1 > WIDTH) lines.push(word)
        else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
      }
      return lines.map((line, at) => `${(at === 0 ? left : '').padEnd(width)}${line}`)
    })
    .join('\n')
}

const block = text => `\`\`\`text\n${text}\n\`\`\``

/** The description of `[run]`, which many commands take: described once. */
const RUN = 'Run id, its first characters, or a pipeline name; default: the latest run'

export function commandsDoc(commands) {
  const uses = new Map()
  const key = option => `${flag(option)} ${describe(option)}`
  for (const option of commands.flatMap(({ options }) => options))
    uses.set(key(option), { option, count: (uses.get(key(option))?.count ?? 0) + 1 })
  // A name is shared with one meaning: the most frequent.
  const shared = new Map()
  for (const { option, count } of [...uses.values()].sort((a, b) => b.count - a.count))
    if (count >= SHARED && !shared.has(option.name)) shared.set(option.name, option)
  const isShared = option => shared.has(option.name) && key(shared.get(option.name)) === key(option)
  const sections = commands.map(({ usage, positionals = [], options }) => {
    const [name, ...places] = usage.replaceAll('..', '…').split(' ')
    const own = [
      ...positionals.flatMap(({ isRequired, ...option }, at) =>
        describe(option) === RUN ? [] : [[places[at] ?? option.name, describe(option)]],
      ),
      ...options.filter(option => !isShared(option)).map(option => [flag(option), describe(option)]),
    ]
    const names = new Set(options.filter(isShared).map(option => option.name))
    const groups = Object.entries(GROUPS).filter(([, flags]) => flags.every(one => names.has(one)))
    for (const one of groups.flatMap(([, flags]) => flags)) names.delete(one)
    const others = [...groups.map(([group]) => `${group},`), ...[...names].map(one => `--${one}`)].join(' ').replace(/,$/, '')
    return [`### fettle ${name}`, block(columns([...own, ...(others === '' ? [] : [['shared', others]])]))].join('\n\n')
  })
  const grouped = Object.values(GROUPS).flat()
  const blocks = Object.entries({ ...GROUPS, 'further flags': [...shared.keys()].filter(name => !grouped.includes(name)).sort() })
  const tables = blocks.map(([group, flags]) => {
    const rows = flags.map(name => [flag(shared.get(name)), describe(shared.get(name))])
    return `${group[0].toUpperCase()}${group.slice(1)}:\n\n${block(columns(rows))}`
  })
  return `\n### Shared flags\n\nThe last line of a command, \`shared\`, names groups and flags of this section. \`[run]\` is a run id, its\nfirst characters, or a pipeline name; default: the latest run.\n\n${tables.join('\n\n')}\n\n${sections.join('\n\n')}\n`
}
