/**
 * Speed and memory of the matching engine at any size, on a register grown from a real one: rows a second on one core (by processor
 * time too, since other work may share the machine), resident memory, and what the slowest row took.
 *
 *   npm run build && node --expose-gc bench/scale.mjs --register R.csv --queries Q.csv [--companies 1000000] [--rows 20000] [--json]
 */
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { parse } from 'csv-parse/sync'
import { match, startIndex, viewIndex } from '../dist/service/matching/index.js'
import { grow } from './grow.mjs'

const { values } = parseArgs({
  options: {
    register: { type: 'string' },
    queries: { type: 'string' },
    companies: { type: 'string', default: '0' },
    rows: { type: 'string', default: '20000' },
    ignore: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
  },
})
const read = path => parse(readFileSync(path), { columns: true, bom: true })
const several = text => text.split('|').filter(name => name !== '')
const seconds = (from, to = performance.now()) => (to - from) / 1000
const megabytes = () => process.memoryUsage.rss() / 1024 / 1024

/** In a function of its own, so that nothing of the register but its index stays. */
function build() {
  const companies = read(values.register).map(row => ({
    ...row,
    connectId: `${row.country || 'XX'}-X-${row.orgNumber || row.id}`,
    tradingNames: several(row.tradingNames),
    previousNames: several(row.previousNames),
  }))
  const builder = startIndex()
  for (const company of grow(companies, Number(values.companies) || companies.length)) builder.add(company)
  return builder.finish()
}

const asked = ['name', 'address1', 'town', 'postcode', 'country', 'orgNumber'].filter(
  column => !values.ignore.split(',').includes(column),
)
const queries = read(values.queries).map(row =>
  Object.fromEntries(asked.filter(column => row[column] !== '').map(column => [column, row[column]])),
)

const began = performance.now()
const image = build()
const buildSeconds = seconds(began)
const index = viewIndex(image)
globalThis.gc?.()
const rows = Math.max(queries.length, Number(values.rows))
for (const query of queries) match(index, query)

let slowest = 0
const cpu = process.cpuUsage()
const started = performance.now()
for (let row = 0; row < rows; row++) {
  const from = performance.now()
  match(index, queries[row % queries.length])
  slowest = Math.max(slowest, performance.now() - from)
}
const wall = seconds(started)
const { user, system } = process.cpuUsage(cpu)
globalThis.gc?.()
const result = {
  companies: index.companies.length,
  rowsPerSecond: Math.round(rows / wall),
  rowsPerCpuSecond: Math.round((rows / (user + system)) * 1e6),
  slowestMs: Number(slowest.toFixed(1)),
  buildSeconds: Number(buildSeconds.toFixed(1)),
  indexMb: Math.round(image.memory.byteLength / 1024 / 1024),
  memoryMb: Math.round(megabytes()),
}
if (process.env.COLUMNS_TOO !== undefined) {
  const sizes = Object.entries(image.places).map(([name, { kind, length }]) => [
    name,
    (length * (Number(kind.slice(1)) / 8)) / 2 ** 20,
  ])
  for (const [name, size] of sizes.sort((a, b) => b[1] - a[1]).slice(0, 30)) console.log(name.padEnd(26), size.toFixed(1))
}
console.log(
  Object.entries(result)
    .map(([name, value]) => `${name} ${value}`)
    .join(', '),
)
if (values.json) console.log(JSON.stringify(result))
