/**
 * A large CSV uploaded by `curl -F`, by our client alone, and by the whole runner (`fettle run`: check, upload, poll, report),
 * in turn in the same run: MB/s of the upload itself, the ratio to curl, and the peak memory of each process. The receiver is a
 * bare node:http server in a process of its own that counts, discards, and walks one job. `npm run bench -- upload`, after
 * `npm run build`; BENCH_BYTES names another size.
 */
import { execFile } from 'node:child_process'
import { createReadStream } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { peakMb } from './lib/peak.mjs'
import { makeCsv, startReceiver } from './lib/receiver.mjs'

const BYTES = Number(process.env.BENCH_BYTES ?? 1_000_000_000)
const ROUNDS = 3
const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const self = fileURLToPath(import.meta.url)
const peakPreload = fileURLToPath(new URL('lib/peak.mjs', import.meta.url))
const exec = promisify(execFile)

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
  await exec(process.execPath, ['--import', peakPreload, main, 'run', 'bench.json', '--new', '-q'], { cwd: folder, env })
  const [id] = (await readdir(join(folder, 'fettle-runs')))
    .filter(name => name.includes('-bench-'))
    .sort()
    .reverse()
  const report = JSON.parse(await readFile(join(folder, 'fettle-runs', id, 'report.json'), 'utf8'))
  const { elapsedMs } = report.results[0].stages.find(stage => stage.name === 'upload')
  return { seconds: elapsedMs / 1000, peakMb: Number(await readFile(peak, 'utf8')) }
}

async function compare() {
  const folder = await mkdtemp(join(tmpdir(), 'fettle-bench-'))
  const file = join(folder, 'bench.csv')
  const rows = await makeCsv(file, BYTES)
  await writeFile(join(folder, 'bench.json'), JSON.stringify(PIPELINE))
  const receiver = await startReceiver(rows, false)
  try {
    const { size } = await stat(file)
    const { url } = receiver
    const upload = `${url}/dataCleaning/jobs/bench/upload`
    const speed = async seconds => {
      const arrived = (await receiver.seen()).bytes
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
    receiver.stop()
    await rm(folder, { recursive: true, force: true })
  }
}

const [role, url, file] = process.argv.slice(2)
if (role === 'send') await sendOne(url, file)
else await compare()
