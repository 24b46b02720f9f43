/**
 * Large transfers that break: an upload reset at 10, 50 and 99 per cent goes up whole in the end, to one job, with the hash of
 * the file; a download of the same rows comes down in constant memory; and one cut at a random place is noticed, in each way
 * HTTP can end a body. `npm run bench -- transfer`, after `npm run build`; BENCH_BYTES names another size, SEED other places.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { makeCsv, startReceiver } from './lib/receiver.mjs'

const BYTES = Number(process.env.BENCH_BYTES ?? 1_000_000_000)
const SEED = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 31))
const PLACES = 20
const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const peakPreload = fileURLToPath(new URL('lib/peak.mjs', import.meta.url))
const exec = promisify(execFile)

async function sha256(file) {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

/** A list of a size in a fresh folder, a receiver for it, and `run` for the whole of fettle in between. */
async function prepare(bytes) {
  const folder = await mkdtemp(join(tmpdir(), 'fettle-transfer-'))
  const file = join(folder, 'list.csv')
  const receiver = await startReceiver(await makeCsv(file, bytes))
  const run = async (plan, output) => {
    await receiver.plan(plan)
    const own = { name: 'transfer', input: 'list.csv', mappings: { name: 'name', country: 'country' }, poll: { every: '500ms' } }
    await writeFile(join(folder, 'p.json'), JSON.stringify({ ...own, ...(output ? { output: 'out.csv' } : {}) }))
    const env = {
      ...process.env,
      FETTLE_URL: receiver.url,
      FETTLE_USERNAME: 'bench',
      FETTLE_PASSWORD: 'bench',
      BENCH_PEAK: join(folder, 'peak'),
    }
    const command = ['--import', peakPreload, main, 'run', 'p.json', '--new', '-q', '--json']
    const began = performance.now()
    const { code = 0, stdout, stderr } = await exec(process.execPath, command, { cwd: folder, env }).catch(error => error)
    const seconds = (performance.now() - began) / 1000
    const peakMb = Math.round(Number(await readFile(join(folder, 'peak'), 'utf8')))
    return { code, seconds, peakMb, seen: await receiver.seen(), result: JSON.parse(stdout), stderr }
  }
  const end = async () => {
    receiver.stop()
    await rm(folder, { recursive: true, force: true })
  }
  return { folder, file, run, end }
}

async function large() {
  const { folder, file, run, end } = await prepare(BYTES)
  try {
    const [size, hash] = [(await stat(file)).size, await sha256(file)]
    const broken = []
    for (const at of [0.1, 0.5, 0.99]) {
      const { code, seen, peakMb } = await run({ reset: [at] }, false)
      const isGood = code === 0 && seen.creates === 1 && seen.sha256 === hash
      broken.push({ at, isGood, jobs: seen.creates, peakMb })
      console.log(
        `${(size / 1e6).toFixed(0)} MB up, reset at ${at * 100} %: exit ${code}, ${seen.creates} job, ${seen.sha256 === hash ? 'the hash of the file' : 'ANOTHER HASH'}, ${peakMb} MB`,
      )
    }
    const { code, seconds, peakMb, seen, result } = await run({}, true)
    const written = (await stat(join(folder, 'out.csv'))).size
    console.log(
      `${(seen.fileBytes / 1e6).toFixed(0)} MB down: exit ${code}, ${result.totals?.matched} rows, ${(written / 1e6).toFixed(0)} MB written, whole run ${seconds.toFixed(0)} s, ${peakMb} MB`,
    )
    return { broken, down: { code, seconds, peakMb } }
  } finally {
    await end()
  }
}

async function cuts() {
  const { folder, run, end } = await prepare(4_000_000)
  let state = SEED
  const random = () => {
    state = (state * 1103515245 + 12345) % 2 ** 31
    return state / 2 ** 31
  }
  const noticed = {}
  try {
    const undisturbed = await run({}, true)
    if (undisturbed.code !== 0) throw new Error(undisturbed.stderr)
    const whole = await sha256(join(folder, 'out.csv'))
    for (const framing of ['length', 'chunked', 'close']) {
      noticed[framing] = 0
      for (let place = 0; place < PLACES; place++) {
        const at = random()
        const { code, seen } = await run({ cut: [{ at, framing }] }, true)
        if (code === 0 && seen.downloads === 2 && (await sha256(join(folder, 'out.csv'))) === whole) noticed[framing]++
        else console.log(`${framing}, cut at ${at}: exit ${code}, ${seen.downloads} downloads`)
      }
      console.log(`cut at ${PLACES} random places, framing ${framing}: ${noticed[framing]} noticed and fetched again`)
    }
  } finally {
    await end()
  }
  return noticed
}

console.log(`seed ${SEED}`)
const figures = { seed: SEED, cuts: await cuts(), ...(await large()) }
console.log(JSON.stringify(figures))
