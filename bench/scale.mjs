/**
 * Speed and memory of the matching engine at any size, on a register grown from a real one (bench/lib/grow.mjs): the index built, written
 * and read back by a fresh process, which measures rows a second on one core (by processor time too, since other work may share the
 * machine), resident memory, the slowest row, and with --threads the rows a second of one, two … threads.
 *
 *   npm run build && npm run bench -- scale --register R.csv --queries Q.csv [--companies 1000000] [--rows 20000] [--threads 2] [--json]
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import { parse } from 'csv-parse/sync'
import { Threads } from '../build/service/data-cleaning/processing/threads.js'
import { IndexBuilder, match, viewIndex } from '../build/service/matching/index.js'
import { ALONE } from '../build/service/matching/weights.js'
import { loadIndex, storeIndex } from '../build/service/registers/stored-index.js'
import { grow } from './lib/grow.mjs'
import { peakMb } from './lib/peak.mjs'

const { values } = parseArgs({
  options: {
    register: { type: 'string' },
    queries: { type: 'string' },
    companies: { type: 'string', default: '0' },
    rows: { type: 'string', default: '20000' },
    ignore: { type: 'string', default: 'orgNumber' },
    threads: { type: 'string', default: '0' },
    index: { type: 'string' },
    json: { type: 'boolean', default: false },
  },
})
if (values.register === undefined || values.queries === undefined) {
  throw new Error(
    'usage: npm run bench -- scale --register R.csv --queries Q.csv [--companies N] [--rows N] [--threads N] [--json]',
  )
}
const read = path => parse(readFileSync(path), { columns: true, bom: true })
const several = text => text.split('|').filter(name => name !== '')
const since = from => (performance.now() - from) / 1000
const cpuSeconds = ({ user, system }) => (user + system) / 1e6
/** So many companies are grown before they are added: what growing costs is no part of a build, and is measured apart. */
const GROWN_AT_ONCE = 1000
const megabytes = bytes => Math.round(bytes / 1024 / 1024)

/** The next `most` of a generator. */
function firstOf(generator, most) {
  const some = []
  while (some.length < most) {
    const { value, done } = generator.next()
    if (done) break
    some.push(value)
  }
  return some
}

/** Builds the index of the grown register and writes it. */
async function build(path) {
  const companies = read(values.register).map(row => ({
    ...row,
    connectId: `${row.country || 'XX'}-X-${row.orgNumber || row.id}`,
    tradingNames: several(row.tradingNames),
    previousNames: several(row.previousNames),
  }))
  const began = performance.now()
  const builder = new IndexBuilder()
  const count = Number(values.companies) || companies.length
  const cpuBefore = process.cpuUsage()
  let grown = 0
  let added = 0
  await storeIndex(path, { digest: 'bench', snapshotDate: null, companies: count }, async store => {
    const register = grow(companies, count)
    for (;;) {
      const cpu = process.cpuUsage()
      const some = firstOf(register, GROWN_AT_ONCE)
      grown += cpuSeconds(process.cpuUsage(cpu))
      if (some.length === 0) break
      for (const company of some) {
        builder.add(company)
        const piece = builder.spill()
        if (piece !== null) await store(...piece)
      }
    }
    added = since(began)
    for (const column of builder.finish()) await store(...column)
  })
  const built = cpuSeconds(process.cpuUsage(cpuBefore)) - grown
  console.log(
    `${count} companies: added in ${added.toFixed(1)} s, built and written in ${since(began).toFixed(1)} s; processor time ` +
      `${built.toFixed(1)} s, and ${grown.toFixed(1)} s to grow the register; peak ${peakMb().toFixed(0)} MB`,
  )
}

function queriesOf() {
  const columns = ['name', 'address1', 'town', 'postcode', 'country', 'orgNumber'].filter(
    column => !values.ignore.split(',').includes(column),
  )
  return read(values.queries).map(row =>
    Object.fromEntries(columns.filter(column => row[column] !== '').map(column => [column, row[column]])),
  )
}

/** Rows a second of so many threads. */
async function threaded(image, queries, rows, count) {
  const script = fileURLToPath(new URL('../build/service/data-cleaning/processing/match-thread.js', import.meta.url))
  const threads = new Threads(count, () => new Worker(script, { workerData: { memory: image.memory, places: image.places } }))
  const stream = async function* (most) {
    for (let row = 0; row < most; row++) yield queries[row % queries.length]
  }
  const drain = async most => {
    for await (const _ of threads.stream(stream(most), ALONE));
  }
  await drain(queries.length * count)
  const from = performance.now()
  await drain(rows)
  const speed = rows / since(from)
  await threads.close()
  return Math.round(speed)
}

async function measure(path) {
  const queries = queriesOf()
  const empty = process.memoryUsage.rss()
  const loading = performance.now()
  const image = await loadIndex(path, 'bench')
  await image.pages.loadAll()
  const index = viewIndex(image)
  match(index, queries[0])
  const loadSeconds = since(loading)
  const rows = Math.max(queries.length, Number(values.rows))
  for (const query of queries) match(index, query)
  let slowest = 0
  const cpu = process.cpuUsage()
  const from = performance.now()
  for (let row = 0; row < rows; row++) {
    const began = performance.now()
    match(index, queries[row % queries.length])
    slowest = Math.max(slowest, performance.now() - began)
  }
  const wall = since(from)
  const { user, system } = process.cpuUsage(cpu)
  const resident = process.memoryUsage.rss()
  const speeds = {}
  for (let count = 1; count <= Number(values.threads); count++) speeds[count] = await threaded(image, queries, rows, count)
  const result = {
    companies: index.companies.length,
    rowsPerSecond: Math.round(rows / wall),
    rowsPerCpuSecond: Math.round((rows / (user + system)) * 1e6),
    slowestMs: Number(slowest.toFixed(1)),
    loadSeconds: Number(loadSeconds.toFixed(2)),
    indexMb: megabytes(image.memory.byteLength),
    memoryMb: megabytes(resident),
    memoryMbBefore: megabytes(empty),
    ...(values.threads === '0' ? {} : { rowsPerSecondOfThreads: speeds }),
  }
  console.log(`node ${process.version}, ${availableParallelism()} CPUs, load ${loadavg()[0].toFixed(1)}`)
  for (const [name, value] of Object.entries(result)) console.log(`${name.padEnd(24)}${JSON.stringify(value)}`)
  if (values.json) console.log(JSON.stringify(result))
}

if (values.index === undefined) {
  const folder = mkdtempSync(join(tmpdir(), 'fettle-scale-'))
  try {
    const index = join(folder, 'bench.index')
    await build(index)
    // A fresh process: what building left behind is no part of the memory.
    const { status } = spawnSync(process.execPath, [...process.argv.slice(1), '--index', index], { stdio: 'inherit' })
    process.exitCode = status ?? 1
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
} else await measure(values.index)
