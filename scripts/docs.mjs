/**
 * Writes docs/errors.md from the table of codes, docs/data.md from those of inputs and outputs, docs/report-json.md from the
 * schema of report.json, and the help of every command into docs/command-line.md; with --check fails when one is not current. Needs `npm run build` first.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { COMMANDS } from '../build/cli/commands/index.js'
import { helpOf } from '../build/cli/parse-argv.js'
import { ERRORS, EXIT } from '../build/errors.js'
import { shellCommand } from '../build/shell-command.js'
import { dataDoc } from './data-doc.mjs'
import { reportDoc } from './report-doc.mjs'

/** Columns of a code block that no page has to scroll. */
const WIDTH = 110

const withCommand = (hint, action) => (action === null ? hint : `${hint.replace(/\.$/, '')}: \`${shellCommand(action)}\``)

const escaped = text => text.replaceAll('|', '\\|')

const rowsOf = isOf =>
  Object.entries(ERRORS)
    .filter(([, one]) => isOf(one))
    .map(([name, { text, hint, action }]) => `| \`${name}\` | ${escaped(text)} | ${escaped(withCommand(hint, action))} |`)
    .join('\n')
const families = Object.entries(EXIT).filter(([kind]) => Object.values(ERRORS).some(one => one.kind === kind))
const errors = `# Error codes

Generated from the table of codes; \`fettle explain CODE\` and \`fettle explain 75\` print the same. Codes are stable: scripts may compare
them. Exit codes: [command-line.md](command-line.md#exit-codes). In a program the command of an error is its \`action\`, such as
\`{ command: 'resume', args: [runId] }\` ([library.md](library.md#errors)).
${families
  .map(
    ([kind, code]) => `
## ${kind}: exit ${code}

| code | meaning | what to do |
|---|---|---|
${rowsOf(one => one.kind === kind && !one.isNotice)}
`,
  )
  .join('')}
## Notes and warnings

No command ends with one of these; with \`--strict\` a run that has a warning exits with 1.

| code | meaning | what to do |
|---|---|---|
${rowsOf(one => one.isNotice)}
`

const BEGIN = '<!-- help: made by scripts/docs.mjs -->\n'
const END = '<!-- end of help -->'

const helps = await Promise.all(COMMANDS.map(async command => [command.usage.split(' ')[0], await helpOf(command, WIDTH)]))
const help = helps
  .map(([name, text]) => `\n### fettle ${name}\n\n\`\`\`text\n${text.replace(/[ \t]+$/gm, '').trim()}\n\`\`\`\n`)
  .join('')

const path = name => new URL(`../docs/${name}`, import.meta.url)
const current = name => (existsSync(path(name)) ? readFileSync(path(name), 'utf8') : '')

const commandLine = current('command-line.md')
const [before, rest = ''] = commandLine.split(BEGIN)
const after = rest.slice(rest.indexOf(END))

for (const [name, text] of [
  ['data.md', dataDoc()],
  ['errors.md', errors],
  ['report-json.md', reportDoc()],
  ['command-line.md', `${before}${BEGIN}${help}\n${after}`],
]) {
  if (!process.argv.includes('--check')) writeFileSync(path(name), text)
  else if (current(name) !== text) {
    console.error(`docs/${name} is not current: run node scripts/docs.mjs`)
    process.exitCode = 1
  }
}
