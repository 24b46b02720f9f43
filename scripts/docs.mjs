/**
 * Writes docs/errors.md from the table of codes, the tables of docs/data.md from those of inputs and outputs, docs/report-json.md from the
 * schema of report.json, and the flags of every command into docs/command-line.md; with --check fails when one is not current. Needs
 * `npm run build` first.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { COMMANDS } from '../build/cli/commands/index.js'
import { ERRORS, EXIT } from '../build/errors.js'
import { shellCommand } from '../build/shell-command.js'
import { commandsDoc } from './command-doc.mjs'
import { dataBlocks } from './data-doc.mjs'
import { reportDoc } from './report-doc.mjs'

const withCommand = (hint, action) => (action === null ? hint : `${hint.replace(/\.$/, '')}: \`${shellCommand(action)}\``)

const listOf = isOf =>
  Object.entries(ERRORS)
    .filter(([, one]) => isOf(one))
    .map(([name, { text, hint, action }]) => `- \`${name}\`: ${text} ${withCommand(hint, action)}`)
    .join('\n')
const families = Object.entries(EXIT).filter(([kind]) => Object.values(ERRORS).some(one => one.kind === kind))
const errors = `# Error codes

Generated from the table of codes; \`fettle explain CODE\` prints the same. Codes are stable. Exit codes:
[command-line.md](command-line.md#exit-codes); errors in a program: [library.md](library.md#errors).
${families
  .map(
    ([kind, code]) => `
## ${kind}: exit ${code}

${listOf(one => one.kind === kind && !one.isNotice)}
`,
  )
  .join('')}
## Notes and warnings

No command ends with one of these; with \`--strict\` a run that has a warning exits with 1.

${listOf(one => one.isNotice)}
`

const path = name => new URL(`../docs/${name}`, import.meta.url)
const current = name => (existsSync(path(name)) ? readFileSync(path(name), 'utf8') : '')

/** A page whose blocks, each between `<!-- name -->` and `<!-- /name -->`, are generated. */
const filled = (name, blocks) =>
  Object.entries(blocks).reduce((page, [block, text]) => {
    const [start, end] = [`<!-- ${block} -->\n`, `<!-- /${block} -->`]
    return `${page.slice(0, page.indexOf(start) + start.length)}${text}\n${page.slice(page.indexOf(end))}`
  }, current(name))

for (const [name, text] of [
  ['data.md', filled('data.md', dataBlocks())],
  ['errors.md', errors],
  ['report-json.md', reportDoc()],
  ['command-line.md', filled('command-line.md', { commands: commandsDoc(COMMANDS) })],
]) {
  if (!process.argv.includes('--check')) writeFileSync(path(name), text)
  else if (current(name) !== text) {
    console.error(`docs/${name} is not current: run node scripts/docs.mjs`)
    process.exitCode = 1
  }
}
