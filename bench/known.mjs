/**
 * A long list of which nearly all rows have an answer of an earlier run, at a remote service: time and peak memory of the run. The earlier
 * answers are written as a run would have left them.
 *
 *   npm run build && npm run bench -- known [--rows 1000000] [--new 10000]
 */
import { spawn } from 'node:child_process'
import { createWriteStream, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline as piped } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { AnswersFile, AnswersWriter } from '../build/reuse/files/answers.js'
import { keyOwner, rowKeyMaker } from '../build/reuse/files/row-key.js'
import { startService } from './lib/service.mjs'

const { values } = parseArgs({
  options: { rows: { type: 'string', default: '1000000' }, new: { type: 'string', default: '10000' } },
})
const rows = Number(values.rows)
const known = rows - Number(values.new)
const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const peakPreload = fileURLToPath(new URL('lib/peak.mjs', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'fettle-known-'))
const service = await startService(join(folder, 'service'), { rates: { all: { requests: 1000, perMs: 1000 } } })

const cellsOf = row => [`K${row}`, `Company number ${row} of the list Ltd`]
const write = (name, from, to) =>
  piped(
    Readable.from(
      (function* () {
        yield 'key,name\n'
        for (let row = from; row < to; row++) yield `${cellsOf(row).join(',')}\n`
      })(),
    ),
    createWriteStream(join(folder, name)),
  )
const pipeline = `name: nightly
input: { path: in.csv, key: key }
mappings: { name: name, countryCode: { value: GB } }
enrich: { product: basic, tags: [general.connectId, general.companyName] }
reuse: { matched: 30d, unmatched: 30d, review: 30d }
report: { rows: none }
poll: { every: 500ms, max: 500ms }
output: { path: out.csv, columns: ['*', general.connectId, general.companyName, match.outcome] }
`

async function fettle(label, args) {
  const peak = join(folder, 'peak')
  const began = performance.now()
  const child = spawn(process.execPath, ['--import', peakPreload, main, ...args], {
    cwd: folder,
    env: {
      ...{ PATH: process.env.PATH, HOME: folder, BENCH_PEAK: peak },
      ...{ FETTLE_URL: service.url, FETTLE_USERNAME: service.username, FETTLE_PASSWORD: service.password },
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const code = await new Promise(resolve => child.once('exit', (status, signal) => resolve(status ?? signal)))
  const seconds = ((performance.now() - began) / 1000).toFixed(0)
  const mb = Number(readFileSync(peak, 'utf8')).toFixed(0)
  console.log(`${label.padEnd(40)} exit ${code}  ${seconds} s  peak ${mb} MB`)
  if (code !== 0) process.exitCode = 1
}

/** The answers to all rows but the new ones, with the facts of those of a small run. */
async function writeAnswers() {
  const answers = join(folder, 'fettle-runs', 'answers')
  const [name] = readdirSync(answers, { recursive: true }).filter(one => one.endsWith('.answers'))
  const { facts } = AnswersFile.open(join(answers, name))
  const [source] = facts.sources
  const rowKey = rowKeyMaker({
    mappings: [
      { mapping: 'name', index: 1 },
      { mapping: 'countryCode', index: 2 },
    ],
  })
  const writer = new AnswersWriter(join(answers, dirname(name), 'earlier.answers'))
  for (let row = 0; row < known; row++) {
    const isFound = row % 10 !== 0
    const id = isFound ? `GB-X-${10_000_000 + row}` : ''
    const cell = {
      'general.connectId': id,
      'general.companyName': isFound ? `Company number ${row} Limited` : '',
      'match.outcome': isFound ? 'matched' : 'unmatched',
    }
    const cells = source.columns.map(column => cell[column] ?? '')
    const outcome = isFound ? 'matched' : 'unmatched'
    const upload = [...cellsOf(row), 'GB']
    await writer.add({ key: rowKey(upload), owner: keyOwner(upload[0]), row: null, source: 0, outcome, cells })
  }
  const { format: _, ...kept } = facts
  await writer.publish(kept)
}

try {
  console.log(`${rows} rows, ${known} with an earlier answer, node ${process.version}, load ${loadavg()[0].toFixed(1)}`)
  writeFileSync(join(folder, 'nightly.yml'), pipeline)
  await write('in.csv', 0, 10)
  await fettle('a run of ten rows', ['run', 'nightly.yml', '-q'])
  await writeAnswers()
  await write('in.csv', 0, rows)
  await fettle(`${rows} rows, ${values.new} sent`, ['run', 'nightly.yml', '-q'])
  await fettle('the same list again', ['run', 'nightly.yml', '-q'])
  const runs = readdirSync(join(folder, 'fettle-runs'))
    .filter(one => one.includes('-nightly-'))
    .sort()
  for (const run of runs) {
    const { results } = JSON.parse(readFileSync(join(folder, 'fettle-runs', run, 'report.json'), 'utf8'))
    const { asked, known: had, sent } = results[0].reuse
    console.log(`${run}: ${asked} asked, ${had} known, ${sent} sent`)
  }
} finally {
  service.stop()
  await rm(folder, { recursive: true, force: true })
}
