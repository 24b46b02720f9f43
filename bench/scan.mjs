// How fast an input is looked at, beside csv-parse on the same file: node bench/scan.mjs [megabytes]
// Everything is on in ours: SHA-256, UTF-8, structure, counts. Run `npm run build` first.
import { createReadStream, createWriteStream, mkdtempSync, rmSync, statSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { pipeline } from 'node:stream/promises'
import { parse } from 'csv-parse'
import { inspect } from '../dist/input/index.js'

const megabytes = Number(process.argv[2] ?? 200)
const folder = mkdtempSync(join(tmpdir(), 'fettle-bench-'))
const path = join(folder, 'input.csv')

function* rows() {
  yield 'id,Company Name,Reg No,Address,Town,Postcode,Country,Phone,Mail,Status\n'
  let written = 0
  for (let n = 1; written < megabytes * 1e6; ) {
    let batch = ''
    for (const end = n + 5000; n < end; n++) {
      const name = n % 4 === 0 ? `"Acme ""Best"" Trading ${n}, Ltd"` : `Müller Söhne ${n} GmbH`
      const address = n % 33 === 0 ? '"1 High Street\nFlat 2"' : `${n % 200} High Street`
      batch += `${n},${name},0${1_000_000 + n},${address},Köln,SW1A ${n % 10}AA,GB,+44 20 7946 0${n % 1000},info${n}@example.com,active\n`
    }
    written += Buffer.byteLength(batch)
    yield batch
  }
}

async function timed(name, work) {
  const start = performance.now()
  const cpuBefore = process.cpuUsage()
  const count = await work()
  const seconds = (performance.now() - start) / 1000
  const { user, system } = process.cpuUsage(cpuBefore)
  const size = statSync(path).size / 1e6
  const speed = size / seconds
  // On a machine that does other work as well, this is the figure to compare.
  const perCpu = size / ((user + system) / 1e6)
  const memory = process.memoryUsage().rss / 1e6
  console.log(
    `${name.padEnd(32)} ${speed.toFixed(0).padStart(6)} MB/s  ${perCpu.toFixed(0).padStart(5)} MB per CPU second  ${count} rows  ${seconds.toFixed(2)} s  RSS ${memory.toFixed(0)} MB`,
  )
  return count
}

/** The columns a pipeline would map: empty cells counted in all, and what goes with a key, a number and a country. */
const WATCHED = [
  { index: 0, of: ['keys'] },
  { index: 1, of: [] },
  { index: 2, of: ['numbers'] },
  { index: 3, of: [] },
  { index: 4, of: [] },
  { index: 5, of: [] },
  { index: 6, of: ['values'] },
]

async function ours(watched) {
  const options = { path, encoding: 'auto', delimiter: 'auto', header: true, quotes: 'strict' }
  const { facts, issues } = await inspect(options, { watch: () => watched })
  if (facts === null || issues.length > 0) throw new Error(`the generated file has issues: ${JSON.stringify(issues)}`)
  return facts.rows
}

async function peer() {
  let count = 0
  for await (const _ of createReadStream(path, { highWaterMark: 1_048_576 }).pipe(parse())) count++
  return count - 1
}

try {
  await pipeline(rows, createWriteStream(path))
  console.log(
    `${new Date().toISOString()}  Node ${process.version}  ${cpus()[0]?.model}  ${(statSync(path).size / 1e6).toFixed(0)} MB`,
  )
  const counts = [
    await timed('fettle inspect', () => ours([])),
    await timed('fettle inspect, again', () => ours([])),
    await timed('… and six mapped columns', () => ours(WATCHED.slice(1))),
    await timed('… and a key besides', () => ours(WATCHED)),
    await timed('csv-parse, counting only', peer),
  ]
  if (new Set(counts).size !== 1) throw new Error(`the counts differ: ${counts.join(', ')}`)
} finally {
  rmSync(folder, { recursive: true })
}
