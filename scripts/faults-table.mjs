/**
 * Writes docs/faults.md: what was observed of every fault at every stage when the conformance suite was run just now. A test of
 * the suite compares the file with each later run.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const { stages, faults, cells, policies } = JSON.parse(readFileSync(join(root, 'test/system/faults/conformance.json'), 'utf8'))
const rows = mkdtempSync(join(tmpdir(), 'fettle-rows-'))
const suite = ['test/system/faults/wire.test.ts', 'test/system/faults/process.test.ts']
const { status } = spawnSync(process.execPath, [join(root, 'test/system/faults/run.mjs'), ...suite], {
  cwd: root,
  stdio: 'inherit',
  env: { ...process.env, FAULTS_ROWS: rows },
})
const seen = new Set(readdirSync(rows))
const missing = Object.keys(faults).filter(fault => !seen.has(fault))
if (missing.length > 0) {
  console.error(`nothing was observed of ${missing.join(' ')}: docs/faults.md is left as it was`)
  process.exitCode = 1
} else {
  const table = Object.keys(faults).map(fault => readFileSync(join(rows, fault), 'utf8'))
  writeFileSync(join(root, 'docs/faults.md'), page(table))
  process.exitCode = status ?? 1
}
rmSync(rows, { recursive: true, force: true })

function page(table) {
  const live = Object.values(faults).flatMap(({ row }) => row.filter(policy => policy !== '·')).length
  const noted = cells.filter(({ note }) => note !== undefined)
  const notes = [...grouped(noted)]
  return `# What happens when something goes wrong

Written by \`node scripts/faults-table.mjs\` from what a run of \`npm run test:faults\` observed; that suite fails when this page
is not what it observes. The cells themselves, with what is done and what must come of it, are data:
[test/system/faults/conformance.json](../test/system/faults/conformance.json).

${cells.length} cells cover ${live} places where one of ${table.length} faults can meet one of ${stages.length} stages. An entry is the policy of the place
and then the exit code of the run, and after \`▸\` that of its resume once the fault is over; \`12×0\` stands for twelve variants of the fault that ended so,
\`75+0\` for a second start with 75 beside a first with 0, \`·\` for what cannot occur. Whatever the code: one remote job, one
submission, one enrichment, every row accounted for, nothing half-written, and where the last code is 0 the output of an
undisturbed run, byte for byte.

| fault | ${stages.join(' | ')} |
|---|${stages.map(() => '---|').join('')}
${table.join('\n')}

## What was decided

The policies of the places:

${Object.entries(policies)
  .map(([policy, text]) => `- **${policy}** ${text}`)
  .join('\n')}

Where more is to be said than the policy:

${notes.map(([note, of]) => `- ${places(of)}: ${note}`).join('\n')}
`
}

function grouped(noted) {
  const groups = new Map()
  for (const cell of noted) groups.set(cell.note, [...(groups.get(cell.note) ?? []), cell])
  return groups
}

/** Fault and stages, each once. */
function places(of) {
  const byFault = new Map()
  for (const { fault, stage } of of) byFault.set(fault, new Set([...(byFault.get(fault) ?? []), stage]))
  return [...byFault]
    .map(([fault, found]) => `**${fault}** ${found.size === stages.length ? 'everywhere' : [...found].join(', ')}`)
    .join('; ')
}
