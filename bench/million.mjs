/**
 * A long list against a large register through the whole runner: the register grown from a real one (bench/lib/grow.mjs) and imported, the
 * list made of its names and of labelled queries, `fettle run` with the embedded service. Prints wall times, peak memory and what is left in
 * the run directory.
 *
 *   npm run build && npm run bench -- million --register R.csv --queries Q.csv [--companies 1000000] [--rows 1000000] [--jobs 4]
 */
import { spawn } from 'node:child_process'
import { createWriteStream, readdirSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline as piped } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { parse } from 'csv-parse/sync'
import { grow } from './lib/grow.mjs'

const { values } = parseArgs({
  options: {
    register: { type: 'string' },
    queries: { type: 'string' },
    companies: { type: 'string', default: '1000000' },
    rows: { type: 'string', default: '1000000' },
    jobs: { type: 'string', default: '4' },
  },
})
if (values.register === undefined || values.queries === undefined) {
  throw new Error('usage: npm run bench -- million --register R.csv --queries Q.csv [--companies N] [--rows N] [--jobs N]')
}
const rows = Number(values.rows)
const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const peakPreload = fileURLToPath(new URL('lib/peak.mjs', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'fettle-million-'))
const read = path => parse(readFileSync(path), { columns: true, bom: true })
const csv = cells => `${cells.map(cell => `"${String(cell).replaceAll('"', '""')}"`).join(',')}\n`
const write = (name, lines) => piped(Readable.from(lines), createWriteStream(join(folder, name)))

const base = read(values.register)
const queries = read(values.queries)
const COLUMNS = ['id', 'name', 'country', 'orgNumber', 'address1', 'town', 'postcode', 'website']
function* registerLines() {
  yield csv(COLUMNS)
  for (const company of grow(base, Number(values.companies))) yield csv(COLUMNS.map(column => company[column]))
}
/** Every second row as the register spells it, less its last word every sixth time; the others as labelled queries do. */
function* listLines() {
  yield csv(['row', 'name', 'town', 'postcode', 'country'])
  let row = 0
  for (const { name, town, postcode, country } of grow(base, rows)) {
    const query = queries[row % queries.length]
    const typed = row % 6 === 0 ? name.replace(/ \S+$/, '') : name
    yield csv(
      row % 2 === 0 ? [++row, typed, town, postcode, country] : [++row, query.name, query.town, query.postcode, query.country],
    )
  }
}

async function measured(label, args) {
  const peak = join(folder, 'peak')
  const began = performance.now()
  const child = spawn(process.execPath, ['--import', peakPreload, main, ...args], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: folder, FETTLE_DATA: join(folder, 'data'), BENCH_PEAK: peak },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const code = await new Promise(resolve => child.once('exit', (status, signal) => resolve(status ?? signal)))
  const seconds = (performance.now() - began) / 1000
  console.log(
    `${label.padEnd(34)} exit ${code}  ${seconds.toFixed(0)} s  peak ${Number(readFileSync(peak, 'utf8')).toFixed(0)} MB`,
  )
  return { code, seconds }
}

try {
  console.log(
    `${rows} rows against ${values.companies} companies, node ${process.version}, ${availableParallelism()} CPUs, load ${loadavg()[0].toFixed(1)}`,
  )
  await write('register.csv', registerLines())
  await write('list.csv', listLines())
  await measured('import of the register', ['register', 'import', 'csv', 'register.csv', '--name', 'grown', '--json'])
  await measured('import again: no change', ['register', 'import', 'csv', 'register.csv', '--name', 'grown', '--json'])
  const pipeline = name => `name: ${name}
input: ${name}.csv
mappings: { name: name, town: town, postcode: postcode, countryCode: country }
job: { split: ${Math.ceil(rows / Number(values.jobs))}, concurrency: 2 }
poll: { every: 500ms }
output: { path: out/${name}.csv, columns: ["*", general.connectId, match.outcome, match.score] }
`
  await writeFile(join(folder, 'list.yml'), pipeline('list'))
  await writeFile(join(folder, 'one.csv'), 'row,name,town,postcode,country\n1,Acme,,,\n')
  await writeFile(join(folder, 'one.yml'), pipeline('one'))
  await measured('one row: the index is built', ['run', 'one.yml', '-q'])
  await measured('one row: the index is read', ['run', 'one.yml', '-q', '--new'])
  const { code, seconds } = await measured('the list', ['run', 'list.yml', '-q'])
  const runs = join(folder, 'fettle-runs')
  const run = join(runs, readFileSync(join(runs, 'latest'), 'utf8').trim())
  const { stages } = JSON.parse(readFileSync(join(run, 'report.json'), 'utf8')).results[0]
  // Jobs pass through the stages side by side; the last one writes the outputs too.
  console.log(stages.map(({ name, elapsedMs }) => `${name} ${Math.round((elapsedMs ?? 0) / 1000)} s`).join(', '))
  const left = readdirSync(run).reduce((sum, name) => sum + statSync(join(run, name)).size, 0)
  console.log(`${Math.round(rows / seconds)} rows/s in all; ${Math.round(left / 1e6)} MB left in the run directory`)
  process.exitCode = code === 0 ? 0 : 1
} finally {
  await rm(folder, { recursive: true, force: true })
}
