/**
 * Decisions a second of one table over the same rows, in memory and from a file, beside json-rules-engine and ZEN. The peers are installed into
 * a temporary folder, or left out with a message.
 *
 *   npm run build && npm run bench -- decide [--rows 1000000] [--peer-rows 100000]
 */
import { spawnSync } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline as piped } from 'node:stream/promises'
import { parseArgs } from 'node:util'
import { Decider } from '../build/decide/decide.js'
import { AS_FOUND, inspect } from '../build/input/table/inspect.js'
import { decideFile } from '../build/results/decide-file.js'

const { values } = parseArgs({
  options: { rows: { type: 'string', default: '1000000' }, 'peer-rows': { type: 'string', default: '100000' } },
})
const rows = Number(values.rows)
const peerRows = Math.min(rows, Number(values['peer-rows']))
const folder = await mkdtemp(join(tmpdir(), 'fettle-decide-'))

/** Forty rules over six columns: two bounds on each of them, by band. */
const BANDS = ['A', 'B', 'C', 'D', 'E']
const DECISIONS = ['accept', 'refer', 'decline']
const RULES = Array.from({ length: 40 }, (_, at) => ({
  name: `rule ${at + 1}`,
  band: BANDS[at % BANDS.length],
  above: 100 * at,
  below: 100 * at + 60,
  decision: DECISIONS[at % 3],
}))
const table = {
  fields: { order: { type: 'number', unit: 'GBP' }, score: { type: 'number' } },
  rules: RULES.map(({ name, band, above, below, decision }) => ({
    name,
    when: { band, order: { '>': above, '<': below } },
    decision,
    because: 'by band and order',
  })),
  otherwise: 'accept',
}
table.rules.push({ name: 'score', when: { score: { '<': 5 } }, decision: 'refer', because: 'the score is low' })

let seed = 7
const draw = most => {
  seed = (seed * 1103515245 + 12345) % 2147483648
  return seed % most
}
const HEADER = ['id', 'band', 'order', 'score', 'country', 'name']
const makeRow = at => [`R${at}`, BANDS[draw(5)], String(draw(6000)), String(draw(100)), 'GB', `Company number ${at} Ltd`]
const list = Array.from({ length: rows }, (_, at) => makeRow(at))

const rate = (count, ms) => `${Math.round((count / ms) * 1000).toLocaleString('en')} decisions/s`
const print = (name, text) => console.log(`${name.padEnd(34)} ${text}`)
const countOf = found => DECISIONS.map(name => `${name} ${found[name] ?? 0}`).join(', ')
console.log(`${rows} rows, ${table.rules.length} rules; load ${loadavg()[0].toFixed(1)}`)

function ours(most) {
  const decider = new Decider(table, '2026-01-01')
  const places = decider.fields.map(name => HEADER.indexOf(name))
  const cells = []
  const found = {}
  const began = performance.now()
  for (let at = 0; at < most; at++) {
    for (let field = 0; field < places.length; field++) cells[field] = list[at][places[field]]
    const { decision } = decider.decide(cells)
    found[decision] = (found[decision] ?? 0) + 1
  }
  return { ms: performance.now() - began, found }
}
ours(Math.min(rows, 20_000))
const inMemory = ours(rows)
print('fettle, in memory, with reasons', `${rate(rows, inMemory.ms)}  ${countOf(inMemory.found)}`)

const path = join(folder, 'list.csv')
await piped(
  Readable.from(
    (function* () {
      yield `${HEADER.join(',')}\n`
      for (const row of list) yield `${row.join(',')}\n`
    })(),
  ),
  createWriteStream(path),
)
const { facts } = await inspect({ ...AS_FOUND, path })
for (const output of [null, { path: join(folder, 'out.csv'), format: 'csv' }]) {
  const began = performance.now()
  await decideFile(facts, { table, path: 'table', asOf: '2026-01-01', root: folder, output })
  print(`fettle, file${output === null ? '' : ' to file'}`, rate(rows, performance.now() - began))
}

/** Decides about a file in a process of its own; the most memory that it took, in MB. */
function peakMemory(file) {
  const script = `
    const { AS_FOUND, inspect } = await import(${JSON.stringify(new URL('../build/input/table/inspect.js', import.meta.url).href)})
    const { decideFile } = await import(${JSON.stringify(new URL('../build/results/decide-file.js', import.meta.url).href)})
    const [path, output, table] = process.argv.slice(1)
    const { facts } = await inspect({ ...AS_FOUND, path })
    const settings = { table: JSON.parse(table), path: 'table', asOf: '2026-01-01', root: '/', output: { path: output, format: 'csv' } }
    await decideFile(facts, settings)
    console.log(process.resourceUsage().maxRSS)`
  const args = ['--input-type=module', '-e', script, file, `${file}.out`, JSON.stringify(table)]
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (stderr !== '') throw new Error(stderr)
  return Math.round(Number(stdout) / 1024)
}
const tenth = join(folder, 'tenth.csv')
await writeFile(tenth, [HEADER, ...list.slice(0, rows / 10)].map(row => `${row.join(',')}\n`).join(''))
print('memory, file to file', `${peakMemory(tenth)} MB for ${Math.floor(rows / 10)} rows, ${peakMemory(path)} MB for ${rows}`)

/** The module of a package in the temporary folder; null where it cannot be installed. */
function install(name) {
  const { status } = spawnSync('npm', ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', folder, name], {
    stdio: 'ignore',
    timeout: 120_000,
  })
  try {
    return status === 0 ? createRequire(join(folder, 'package.json'))(name) : null
  } catch {
    return null
  }
}

const facts0 = ([, band, order, score]) => ({ band, order: Number(order), score: Number(score) })

async function jsonRulesEngine(module) {
  const engine = new module.Engine()
  for (const [at, { name, band, above, below, decision }] of RULES.entries())
    engine.addRule({
      conditions: {
        all: [
          { fact: 'band', operator: 'equal', value: band },
          { fact: 'order', operator: 'greaterThan', value: above },
          { fact: 'order', operator: 'lessThan', value: below },
        ],
      },
      event: { type: decision, params: { name } },
      priority: 1000 - at,
      onSuccess: () => engine.stop(),
    })
  engine.addRule({
    conditions: { all: [{ fact: 'score', operator: 'lessThan', value: 5 }] },
    event: { type: 'refer', params: { name: 'score' } },
    priority: 1,
  })
  return async row => (await engine.run(facts0(row))).events[0]?.type ?? 'accept'
}

async function zen(module) {
  const input = ['band', 'order', 'score'].map(field => ({ id: field, name: field, field }))
  const rules = [
    ...RULES.map(({ band, above, below, decision }, at) => ({
      ...{ _id: `r${at}`, band: `"${band}"`, order: `(${above}..${below})`, score: '', decision: `"${decision}"` },
    })),
    { _id: 'score', band: '', order: '', score: '< 5', decision: '"refer"' },
    { _id: 'else', band: '', order: '', score: '', decision: '"accept"' },
  ]
  const content = {
    nodes: [
      { id: 'in', name: 'in', type: 'inputNode' },
      {
        ...{ id: 'table', name: 'table', type: 'decisionTableNode' },
        content: { hitPolicy: 'first', inputs: input, outputs: [{ id: 'decision', name: 'decision', field: 'decision' }], rules },
      },
      { id: 'out', name: 'out', type: 'outputNode' },
    ],
    edges: [
      { id: 'a', sourceId: 'in', targetId: 'table', type: 'edge' },
      { id: 'b', sourceId: 'table', targetId: 'out', type: 'edge' },
    ],
  }
  const decision = new module.ZenEngine().createDecision(Buffer.from(JSON.stringify(content)))
  return async row => (await decision.evaluate(facts0(row))).result.decision
}

for (const [name, make] of Object.entries({ 'json-rules-engine': jsonRulesEngine, '@gorules/zen-engine': zen })) {
  const module = install(name)
  if (module === null) {
    print(name, 'left out: it cannot be installed here')
    continue
  }
  const decide = await make(module)
  const found = {}
  const began = performance.now()
  for (let at = 0; at < peerRows; at++) {
    const decision = await decide(list[at])
    found[decision] = (found[decision] ?? 0) + 1
  }
  const ms = performance.now() - began
  const same = countOf(found) === countOf(ours(peerRows).found) ? 'the same decisions' : `other decisions: ${countOf(found)}`
  print(`${name}, ${peerRows} rows`, `${rate(peerRows, ms)}  ${same}`)
}
await rm(folder, { recursive: true })
