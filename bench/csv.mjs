/**
 * How fast tables are read and sent, beside others on the same file in the same run, in turn: `npm run bench -- csv`, after `npm run
 * build`. Without arguments 1,000,000 rows, 10 MB and 100 MB; `--full` adds 1 and 5 GB; numbers are other sizes in megabytes, other
 * words parts of the names of those to be measured alone (`-- 5000 fettle curl`).
 * Prints the fastest and the median time of each; speeds, ratios and promises go by the fastest, which other work disturbs least.
 */
import { rmSync } from 'node:fs'
import { mkdtemp, rm, statfs } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { contenders, TABLE } from './lib/csv-contenders.mjs'
import { number, promises, show } from './lib/csv-figures.mjs'
import { writeTable } from './lib/csv-tables.mjs'
import { startReceiver } from './lib/receiver.mjs'
import { median } from './lib/timed.mjs'

const named = process.argv.slice(2).filter(one => /^\d+$/.test(one))
const megabytes = named.length > 0 ? named.map(Number) : process.argv.includes('--full') ? [10, 100, 1_000, 5_000] : [10, 100]
const only = process.argv.slice(2).filter(one => !/^(\d+|--full)$/.test(one))
const SIZES = [...(named.length > 0 ? [] : [{ rows: 1_000_000 }]), ...megabytes.map(size => ({ bytes: size * 1e6 }))]
const roundsFor = bytes => (bytes < 3e8 ? 5 : bytes < 3e9 ? 3 : 1)

/** One contender over all rounds. */
function summary(name, bytes, rounds) {
  const of = key => rounds.map(one => one[key]).filter(value => value !== undefined && value !== null)
  const fastest = Math.min(...of('seconds'))
  const counts = new Set(of('rows'))
  if (counts.size > 1) throw new Error(`${name} counts differently each time: ${[...counts].join(', ')}`)
  return {
    name,
    seconds: fastest,
    median: rounds[0].median === undefined ? median(of('seconds')) : median(of('median')),
    mbPerSecond: bytes / 1e6 / fastest,
    peakMb: of('peakMb').length === 0 ? null : Math.max(...of('peakMb')),
    rows: rounds[0].rows ?? null,
    lines: rounds[0].lines ?? null,
    uploadMbPerSecond: of('upload').length === 0 ? null : bytes / 1e6 / Math.min(...of('upload')),
  }
}

async function measure(folder, size) {
  const path = join(folder, TABLE)
  const { rows, bytes } = await writeTable(path, size)
  const receiver = await startReceiver(rows, false)
  try {
    const { all, absent } = await contenders(folder, receiver, only)
    const rounds = all.map(() => [])
    for (let round = 0; round < roundsFor(bytes); round++) for (const [at, one] of all.entries()) rounds[at].push(await one.run())
    const figures = all.map(({ name }, at) => summary(name, bytes, rounds[at]))
    return { rows, bytes, rounds: roundsFor(bytes), figures, absent }
  } finally {
    receiver.stop()
    await rm(path)
  }
}

const room = await statfs(tmpdir())
const needed = Math.max(...SIZES.map(({ bytes = 2e8 }) => bytes)) * 1.05
if (room.bavail * room.bsize < needed) {
  console.error(
    `${tmpdir()} has not the ${number(needed / 1e6)} MB free that the largest table needs; TMPDIR names another place`,
  )
  process.exitCode = 1
} else {
  await measureAll()
}

async function measureAll() {
  const folder = await mkdtemp(join(tmpdir(), 'fettle-bench-'))
  process.once('SIGINT', () => {
    rmSync(folder, { recursive: true, force: true })
    // The handler is gone by now: the signal ends the process, as whoever sent it expects.
    process.kill(process.pid, 'SIGINT')
  })
  try {
    console.log(
      `${new Date().toISOString()}, Node ${process.version}, ${cpus()[0]?.model}, ${cpus().length} cores, load ${loadavg()[0].toFixed(1)}`,
    )
    const tables = []
    for (const size of SIZES) {
      tables.push(await measure(folder, size))
      show(tables.at(-1))
    }
    const told = promises(tables)
    console.log('')
    for (const { promise, measured, holds } of told)
      console.log(`${holds === null ? '?' : holds ? 'holds' : 'FAILS'}: ${promise}: ${measured}`)
    console.log(JSON.stringify({ tables, promises: told }))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
