/**
 * Workers on a queue. First a long list in shards against the embedded service, limited to so many requests a second, by several worker
 * processes of which some are killed in the middle: time, the highest rate by the service's own log, remote jobs, rows lost, and whether the
 * outputs are those of one run. Then 1, 2 and 4 workers against a service whose every job takes a fixed time (bench/lib/fixed-time.mjs).
 *
 *   npm run build && npm run bench -- workers [--shards 40] [--rows 25000] [--workers 4] [--kill 2] [--rate 5] [--only killed|scaling]
 *       [--job-seconds 20] [--scaling-shards 16]       rows of one shard; needs redis-server
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { parse } from 'csv-parse/sync'

const { values } = parseArgs({
  options: {
    shards: { type: 'string', default: '40' },
    rows: { type: 'string', default: '25000' },
    workers: { type: 'string', default: '4' },
    kill: { type: 'string', default: '2' },
    rate: { type: 'string', default: '5' },
    only: { type: 'string' },
    'job-seconds': { type: 'string', default: '20' },
    'scaling-shards': { type: 'string', default: '16' },
  },
})
const [shards, perShard, workers, kill, rate] = ['shards', 'rows', 'workers', 'kill', 'rate'].map(name => Number(values[name]))
const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const fixedTime = fileURLToPath(new URL('lib/fixed-time.mjs', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'fettle-workers-'))
const children = new Set()

function launch(program, args, { cwd = folder, env = {} } = {}) {
  const child = spawn(program, args, {
    cwd,
    env: { PATH: process.env.PATH, HOME: folder, FETTLE_DATA: join(folder, 'data'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.add(child)
  child.once('exit', () => children.delete(child))
  return child
}
/** Each line of a stream to `onLine`; resolves at the first that `isIt`. */
const lines = (stream, onLine, isIt = () => false) =>
  new Promise((found, ended) => {
    const reader = createInterface({ input: stream })
    reader.on('line', line => {
      onLine(line)
      if (isIt(line)) found(line)
    })
    reader.on('close', () => ended(new Error('it ended before it was ready')))
  })
const quiet = () => {}
const ready = (child, pattern, onError = quiet) => {
  void lines(child.stderr, onError).catch(quiet)
  return lines(child.stdout, quiet, line => pattern.test(line))
}

async function startRedis() {
  const probe = createServer().listen(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address()
  probe.close()
  const dir = await mkdtemp(join(folder, 'redis-'))
  const settings = ['--save', '', '--appendonly', 'yes', '--appendfsync', 'always', '--maxmemory-policy', 'noeviction']
  const child = launch('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir, ...settings])
  await ready(child, /Ready to accept connections/)
  return `redis://127.0.0.1:${port}`
}

const names = parse(readFileSync(new URL('../samples/register.csv', import.meta.url)), { columns: true, bom: true })
function* listLines(rows) {
  yield 'row,name,number,country\n'
  for (let row = 0; row < rows; row++) {
    const { name, orgNumber, country } = names[row % names.length]
    // Every third is found by its number, the others by as much of their name as is left.
    const typed = row % 3 === 1 ? `${name} ${row}` : name
    yield `${row + 1},"${typed.replaceAll('"', '""')}",${row % 3 === 0 ? orgNumber : ''},${country}\n`
  }
}
async function place(name, rows, more) {
  const cwd = join(folder, name)
  await mkdir(cwd)
  await pipeline(Readable.from(listLines(rows)), createWriteStream(join(cwd, 'list.csv')))
  await writeFile(
    join(cwd, 'p.yml'),
    `name: p\ninput: list.csv\nmappings: {name: name, orgNumber: number, country: country}\npoll: {every: 2s, max: 10s, timeout: 12h}\n${more}\n`,
  )
  return cwd
}

async function run(args, options, onLine = quiet) {
  const child = launch(process.execPath, [main, 'run', 'p.yml', '--json', ...args], options)
  let last = '{}'
  const stderr = []
  void lines(child.stdout, line => {
    last = line
  }).catch(quiet)
  void lines(child.stderr, line => {
    stderr.push(line)
    onLine(line)
  }).catch(quiet)
  const began = performance.now()
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`fettle run ${args.join(' ')}: exit ${code}\n${stderr.slice(-20).join('\n')}`)
  return { seconds: (performance.now() - began) / 1000, line: JSON.parse(last) }
}

async function digest(path) {
  const hash = createHash('sha256')
  for await (const piece of createReadStream(path)) hash.update(piece)
  return hash.digest('hex')
}

const startWorkers = (count, queue, options) =>
  Array.from({ length: count }, () => launch(process.execPath, [main, 'worker', '--queue', queue, '-v'], options))
async function stopWorkers(all) {
  for (const child of all) if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
  await Promise.all(all.map(child => (child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null)))
}

/** Most requests that began within any stretch of one second. */
function highestRate(times) {
  const sorted = times.toSorted((a, b) => a - b)
  let most = 0
  for (let from = 0, to = 0; to < sorted.length; to++) {
    while (sorted[to] - sorted[from] >= 1000) from++
    most = Math.max(most, to - from + 1)
  }
  return most
}

async function killed() {
  const rows = shards * perShard
  console.log(`${rows} rows in ${shards} shards, ${workers} workers, ${kill} of them killed, ${rate} requests/s allowed`)
  const login = { FETTLE_USERNAME: 'bench', FETTLE_PASSWORD: 'bench password' }
  const requests = []
  const service = launch(
    process.execPath,
    [main, 'serve', '--sample', '--port', '0', '--rate', `${rate}/1s`, '--data-dir', join(folder, 'service'), '--log'],
    { env: login },
  )
  const told = await ready(service, /^listening on/, line => {
    if (line.startsWith('{')) requests.push(JSON.parse(line))
  })
  const env = { ...login, FETTLE_URL: told.replace('listening on ', '') }
  const output = `service: {rate: {requests: ${rate}, per: 1s}}\njob: {split: ${perShard}, concurrency: ${workers}}\noutput: {path: out/p.csv, unmatched: out/un.csv}`
  const cwd = await place('queued', rows, output)
  const queue = await startRedis()
  const all = startWorkers(workers, queue, { cwd, env })
  let takenOver = 0
  for (const child of all) {
    void lines(child.stdout, quiet).catch(quiet)
    void lines(child.stderr, line => {
      if (/taken over after/.test(line)) takenOver++
    }).catch(quiet)
  }
  const victims = all.slice(0, kill)
  let done = 0
  const { seconds, line } = await run(['--queue', queue, '--shards', String(shards)], { cwd, env }, text => {
    if (!/^\S+ shard \d+\/\d+ is done/.test(text)) return
    done++
    // One after a quarter of the shards, the next after half of what is left, and so on.
    if (done >= Math.ceil((shards * (kill - victims.length + 1)) / (2 * kill))) victims.shift()?.kill('SIGKILL')
  })
  await stopWorkers(all)
  const limited = requests.filter(({ route }) => route !== '/v1/authenticate' && route !== '/files/:name')
  const began = limited.map(({ time, ms }) => Date.parse(time) - ms)
  const jobs = requests.filter(one => one.method === 'POST' && one.route === '/v1/dataCleaning/jobs' && one.status < 300).length
  const sum = ['matched', 'manualMatched', 'review', 'unmatched', 'duplicates', 'failed', 'skipped'].reduce(
    (total, name) => total + (line.totals[name] ?? 0),
    0,
  )
  console.log(`  queued            ${seconds.toFixed(0)} s, ${(rows / seconds).toFixed(0)} rows/s`)
  console.log(`  killed            ${kill - victims.length} workers; ${takenOver} shards taken over`)
  console.log(
    `  highest rate      ${highestRate(began)} requests in any second, ${(limited.length / seconds).toFixed(2)}/s over all; ${requests.filter(({ status }) => status === 429).length} answered 429`,
  )
  console.log(`  remote jobs       ${jobs} for ${shards} shards: ${jobs - shards} duplicates`)
  console.log(`  rows              ${line.totals.rows} told, ${rows - sum} lost`)
  const single = await place('single', rows, output)
  const one = await run(['-q'], { cwd: single, env })
  const isSame = async name => (await digest(join(cwd, name))) === (await digest(join(single, name)))
  console.log(`  one run           ${one.seconds.toFixed(0)} s, ${(rows / one.seconds).toFixed(0)} rows/s`)
  console.log(`  outputs           ${(await isSame('out/p.csv')) && (await isSame('out/un.csv')) ? 'identical' : 'DIFFERENT'}`)
  const isGood = jobs === shards && sum === rows && highestRate(began) <= rate
  if (!isGood) process.exitCode = 1
  service.kill('SIGTERM')
}

async function scaling() {
  const count = Number(values['scaling-shards'])
  const ms = Number(values['job-seconds']) * 1000
  console.log(`${count} shards against a service that takes ${ms / 1000} s a job`)
  let first = null
  for (const number of [1, 2, 4]) {
    const service = launch(process.execPath, [fixedTime, String(ms)])
    const url = await ready(service, /^http/)
    const env = { FETTLE_USERNAME: 'bench', FETTLE_PASSWORD: 'bench password', FETTLE_URL: url }
    const cwd = await place(
      `scaling-${number}`,
      count * 100,
      'service: {rate: {requests: 100, per: 1s}}\njob: {split: 100, concurrency: 8}',
    )
    const queue = await startRedis()
    const all = startWorkers(number, queue, { cwd, env })
    await Promise.all(all.map(child => lines(child.stderr, quiet, text => text.includes('waiting for shards'))))
    const { seconds, line } = await run(['--queue', queue, '--shards', String(count), '-q'], { cwd, env })
    await stopWorkers(all)
    first ??= seconds
    console.log(
      `  ${number} workers  ${seconds.toFixed(1).padStart(7)} s  ${(count / (seconds / 60)).toFixed(1).padStart(6)} jobs/min  ${(first / seconds).toFixed(2)} x  ${line.totals.matched} rows matched`,
    )
    service.kill()
  }
}

try {
  console.log(`node ${process.version}, ${availableParallelism()} CPUs, load ${loadavg()[0].toFixed(1)}`)
  if (values.only !== 'scaling') await killed()
  if (values.only !== 'killed') await scaling()
} finally {
  for (const child of children) child.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
}
