/** Makes the section of commands in docs/command-line.md: flags that several commands share once, then what each command has besides. */

/** Columns of a code block that no page has to scroll. */
const WIDTH = 110

/** A flag that this many commands have, with the same description, is described once. */
const SHARED = 2

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
  const sections = commands.map(({ usage, positionals = [], options, examples }) => {
    const own = [
      ...positionals.map(({ isRequired, ...option }) => [option.name, describe(option)]),
      ...options.filter(option => !isShared(option)).map(option => [flag(option), describe(option)]),
    ]
    const others = options.filter(isShared).map(flag)
    return [
      `### fettle ${usage.split(' ')[0]}`,
      block(
        [
          `fettle ${usage.replaceAll('..', '…')}`,
          ...(own.length === 0 ? [] : [columns(own)]),
          ...(others.length === 0 ? [] : [columns([['shared', others.join(' ').replaceAll(',', '')]])]),
          columns(examples.slice(0, 1)),
        ].join('\n\n'),
      ),
    ].join('\n\n')
  })
  const rows = [...shared.values()].sort((a, b) => (a.name < b.name ? -1 : 1)).map(option => [flag(option), describe(option)])
  return `\n### Shared flags\n\nEach command names below, after \`shared\`, those that it has.\n\n${block(columns(rows))}\n\n${sections.join('\n\n')}\n`
}
