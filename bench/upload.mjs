/**
 * A large CSV uploaded by `curl -F`, by our client alone, and by the whole runner (`fettle run`: check, upload, poll, report),
 * in turn in the same run: MB/s of the upload itself, the ratio to curl, and the peak memory of each process. The receiver is a
 * bare node:http server in a process of its own that counts, discards, and walks one job. `npm run bench:upload`, after
 * `npm run build`; BENCH_BYTES names another size.
 */
import { execFile, spawn } from 'node:child_process'
import { createReadStream, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const BYTES = Number(process.env.BENCH_BYTES ?? 1_000_000_000)
const ROUNDS = 3
const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const self = fileURLToPath(import.meta.url)
const exec = promisify(execFile)

/** Counts what comes and answers as a service would that has matched every row at once. */
function receive(rows) {
  let last = 0
  let job = null
  const summary = { totalRows: rows, matched: rows, manualMatched: 0, unmatched: 0, duplicates: 0 }
  const answer = (path, method, body) => {
    if (path.endsWith('/authenticate')) return { token: 'bench' }
    if (path.endsWith('/last')) return last
    if (path.endsWith('/upload')) {
      job = { ...job, status: 'uploaded' }
      return { id: 'file', status: 'uploaded' }
    }
    if (path.endsWith('/mappings')) return []
    if (path.endsWith('/submit')) {
      job = { ...job, status: 'jobMatchingComplete', jobSummary: summary }
      return { messageId: 'bench' }
    }
    if (method === 'POST') job = { id: 'bench', name: JSON.parse(body).name, status: 'created' }
    return path.includes('jobName=') ? [job] : job
  }
  const server = createServer((request, response) => {
    const isUpload = request.url.endsWith('/upload')
    const parts = []
    let size = 0
    request.on('data', chunk => {
      size += chunk.length
      if (!isUpload) parts.push(chunk)
    })
    request.on('end', () => {
      if (isUpload) last = size
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(answer(request.url, request.method, Buffer.concat(parts).toString())))
    })
  })
  server.listen(0, '127.0.0.1', () => console.log(server.address().port))
}

const peakMb = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024

/** One upload by our client, alone in this process. */
async function sendOne(url, file) {
  const { connect } = await import('../dist/client/index.js')
  const sleep = ms => new Promise(resolve => setTimeout(resolve, ms))
  const clock = { now: Date.now, monotonic: () => performance.now(), random: Math.random, sleep }
  const client = connect({ url, username: 'bench', password: 'bench', clock })
  const { size } = await stat(file)
  const read = () => createReadStream(file, { highWaterMark: 1024 * 1024 })
  await client.authenticate()
  const startedAt = performance.now()
  await client.upload(
    'bench',
    { filename: 'bench.csv', bytes: size, hasHeader: true, open: read },
    { key: 'bench', look: async () => undefined },
  )
  console.log(JSON.stringify({ seconds: (performance.now() - startedAt) / 1000, peakMb: peakMb() }))
  await client.close()
}

async function makeCsv(file) {
  const block = Array.from({ length: 8192 }, (_, n) => `${n},"Example Trading ${n} Ltd",GB,0${1_000_000 + n},Leeds\n`).join('')
  const handle = await open(file, 'w', 0o600)
  await handle.write('id,name,country,number,town\n')
  let rows = 0
  for (let written = 0; written < BYTES; written += block.length, rows += 8192) await handle.write(block)
  await handle.close()
  return rows
}

const PIPELINE = {
  name: 'bench',
  input: 'bench.csv',
  mappings: { name: 'name', orgNumber: 'number', country: 'country' },
  poll: { every: '500ms' },
}

/** The whole runner; a preload writes its peak memory as it ends. */
async function runOne(folder, url) {
  const peak = join(folder, 'peak')
  const env = { ...process.env, FETTLE_URL: url, FETTLE_USERNAME: 'bench', FETTLE_PASSWORD: 'bench', BENCH_PEAK: peak }
  await exec(process.execPath, ['--import', self, main, 'run', 'bench.json', '--new', '-q'], { cwd: folder, env })
  const [id] = (await readdir(join(folder, 'fettle-runs')))
    .filter(name => name.includes('-bench-'))
    .sort()
    .reverse()
  const report = JSON.parse(await readFile(join(folder, 'fettle-runs', id, 'report.json'), 'utf8'))
  const { elapsedMs } = report.results[0].stages.find(stage => stage.name === 'upload')
  return { seconds: elapsedMs / 1000, peakMb: Number(await readFile(peak, 'utf8')) }
}

const firstLine = async child => {
  for await (const line of createInterface({ input: child.stdout })) return line
}

async function compare() {
  const folder = await mkdtemp(join(tmpdir(), 'fettle-bench-'))
  const file = join(folder, 'bench.csv')
  const rows = await makeCsv(file)
  await writeFile(join(folder, 'bench.json'), JSON.stringify(PIPELINE))
  const receiver = spawn(process.execPath, [self, 'receive', String(rows)], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const { size } = await stat(file)
    const url = `http://127.0.0.1:${await firstLine(receiver)}/v1`
    const upload = `${url}/dataCleaning/jobs/bench/upload`
    const speed = async seconds => {
      const arrived = await (await fetch(`${url}/last`)).json()
      if (arrived < size) throw new Error(`not everything arrived: ${arrived} of ${size}`)
      return size / 1e6 / seconds
    }
    const rounds = []
    for (let round = 0; round < ROUNDS; round++) {
      const form = ['-F', 'hasHeader=true', '-F', `jobFile=@${file}`]
      const curl = await speed(
        Number((await exec('curl', ['-sS', '-o', '/dev/null', '-w', '%{time_total}', ...form, upload])).stdout),
      )
      const sent = JSON.parse((await exec(process.execPath, [self, 'send', url, file])).stdout)
      const client = { ...sent, speed: await speed(sent.seconds) }
      const ran = await runOne(folder, url)
      rounds.push({ curl, client, runner: { ...ran, speed: await speed(ran.seconds) } })
    }
    const show = (one, curl) =>
      `${one.speed.toFixed(0)} MB/s (${(one.speed / curl).toFixed(2)} of curl, ${one.peakMb.toFixed(0)} MB)`
    for (const { curl, client, runner } of rounds)
      console.log(`curl ${curl.toFixed(0)} MB/s   client ${show(client, curl)}   fettle run ${show(runner, curl)}`)
    const median = of => rounds.map(of).sort((a, b) => a - b)[Math.floor(ROUNDS / 2)]
    const figures = {
      megabytes: Math.round(size / 1e6),
      curlMbPerSecond: Math.round(median(one => one.curl)),
      clientMbPerSecond: Math.round(median(one => one.client.speed)),
      runnerMbPerSecond: Math.round(median(one => one.runner.speed)),
      clientRatio: Number(median(one => one.client.speed / one.curl).toFixed(2)),
      runnerRatio: Number(median(one => one.runner.speed / one.curl).toFixed(2)),
      clientPeakMb: Math.round(Math.max(...rounds.map(one => one.client.peakMb))),
      runnerPeakMb: Math.round(Math.max(...rounds.map(one => one.runner.peakMb))),
    }
    console.log(
      `medians of ${ROUNDS}; aims: 0.8 of curl, under 150 MB; Node ${process.version}, ${cpus().length} cores, load ${loadavg()[0].toFixed(1)}`,
    )
    console.log(JSON.stringify(figures))
  } finally {
    receiver.kill()
    await rm(folder, { recursive: true, force: true })
  }
}

const [role, first, second] = process.argv.slice(2)
if (process.env.BENCH_PEAK !== undefined) process.on('exit', () => writePeak(process.env.BENCH_PEAK))
else if (role === 'receive') receive(Number(first))
else if (role === 'send') await sendOne(first, second)
else await compare()

function writePeak(path) {
  writeFileSync(path, String(peakMb()))
}
