/**
 * Uploads a large CSV with `curl -F`, with our client, and with form-data piped through undici, which is what the client's own
 * body (src/client/multipart.ts) stands in for. All in the same run, in turn, with the peak memory of each process. The
 * receiver is a bare node:http server in a process of its own that counts and discards. `npm run bench:upload`, after
 * `npm run build`; `BENCH_DIST` names another build, `BENCH_BYTES` another size.
 */
import { execFile, spawn } from 'node:child_process'
import { createReadStream, readFileSync } from 'node:fs'
import { mkdtemp, open, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'

const BYTES = Number(process.env.BENCH_BYTES ?? 1_000_000_000)
const ROUNDS = 3
const DIST = process.env.BENCH_DIST ?? fileURLToPath(new URL('../dist', import.meta.url))
const self = fileURLToPath(import.meta.url)
const MiB = 1024 * 1024

/** Answers every upload with a file record, a login with a token, and says how much of the last body came. */
function receive() {
  let last = 0
  const server = createServer((request, response) => {
    let size = 0
    request.on('data', chunk => {
      size += chunk.length
    })
    request.on('end', () => {
      response.setHeader('content-type', 'application/json')
      if (request.url.endsWith('/authenticate')) return response.end('{"token":"bench"}')
      if (request.url === '/last') return response.end(String(last))
      last = size
      response.end('{"id":"file","status":"uploaded"}')
    })
  })
  server.listen(0, '127.0.0.1', () => console.log(server.address().port))
}

const openFile = file => createReadStream(file, { highWaterMark: MiB })

const peakKb = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1])

/** Times one upload, alone in this process: prints seconds and peak resident memory in kB. */
async function time(work) {
  const start = performance.now()
  await work()
  const seconds = (performance.now() - start) / 1000
  console.log(JSON.stringify({ seconds, peakKb: peakKb() }))
}

/** By our client. */
async function sendOne(url, file) {
  const { connect } = await import(pathToFileURL(join(DIST, 'client/index.js')).href)
  const clock = {
    now: Date.now,
    monotonic: () => performance.now(),
    random: Math.random,
    sleep: ms => new Promise(resolve => setTimeout(resolve, ms)),
  }
  const client = connect({ url, username: 'bench', password: 'bench', clock })
  const { size } = await stat(file)
  const upload = { filename: 'bench.csv', bytes: size, hasHeader: true, open: () => openFile(file) }
  await client.authenticate()
  await time(() => client.upload('job', upload, { key: 'bench', look: async () => undefined }))
  await client.close()
}

/** By form-data as a stream. */
async function pipeOne(url, file) {
  const [{ request }, { default: FormData }] = await Promise.all([import('undici'), import('form-data')])
  const { size } = await stat(file)
  const form = new FormData()
  form.append('hasHeader', 'true')
  form.append('jobFile', openFile(file), { filename: 'bench.csv', knownLength: size })
  const headers = { ...form.getHeaders(), 'content-length': String(form.getLengthSync()) }
  await time(async () => {
    const { body } = await request(`${url}/x`, { method: 'POST', headers, body: form })
    await body.dump()
  })
}

async function makeCsv(file) {
  const rows = Array.from({ length: 8192 }, (_, n) => `${n},"Example Trading ${n} Ltd",GB,0${1_000_000 + n},Leeds\n`).join('')
  const block = Buffer.from(rows)
  const handle = await open(file, 'w', 0o600)
  await handle.write('id,name,country,number,town\n')
  for (let written = 0; written < BYTES; written += block.length) await handle.write(block)
  await handle.close()
}

const firstLine = async child => {
  for await (const line of createInterface({ input: child.stdout })) return line
}

async function compare() {
  const run = promisify(execFile)
  const folder = await mkdtemp(join(tmpdir(), 'fettle-bench-'))
  const receiver = spawn(process.execPath, [self, 'receive'], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const file = join(folder, 'bench.csv')
    await makeCsv(file)
    const { size } = await stat(file)
    const origin = `http://127.0.0.1:${await firstLine(receiver)}`
    const speed = seconds => size / 1e6 / seconds
    const arrived = async () => Number(await (await fetch(`${origin}/last`)).text())
    const rounds = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const args = [
        '-sS',
        '-o',
        '/dev/null',
        '-w',
        '%{time_total}',
        '-F',
        'hasHeader=true',
        '-F',
        `jobFile=@${file}`,
        `${origin}/v1/x`,
      ]
      const curl = speed(Number((await run('curl', args)).stdout))
      const curlBytes = await arrived()
      const child = async role => {
        const told = JSON.parse((await run(process.execPath, [self, role, `${origin}/v1`, file])).stdout)
        const bytes = await arrived()
        if (bytes < size) throw new Error(`not everything arrived (${role}): ${bytes} of ${size}`)
        return { speed: speed(told.seconds), peakMb: told.peakKb / 1024 }
      }
      if (curlBytes < size) throw new Error(`not everything arrived (curl): ${curlBytes} of ${size}`)
      rounds.push({ curl, ours: await child('send'), piped: await child('pipe') })
    }
    const show = ({ speed, peakMb }, curl) =>
      `${speed.toFixed(0)} MB/s (${(speed / curl).toFixed(2)} of curl, ${peakMb.toFixed(0)} MB)`
    for (const { curl, ours, piped } of rounds)
      console.log(`curl ${curl.toFixed(0)} MB/s   fettle ${show(ours, curl)}   form-data piped ${show(piped, curl)}`)
    const mean = of => rounds.reduce((total, one) => total + of(one), 0) / rounds.length
    const curl = mean(one => one.curl)
    console.log(
      `mean of ${ROUNDS}: fettle ${(mean(one => one.ours.speed) / curl).toFixed(2)} of curl (aim 0.8), form-data piped ${(mean(one => one.piped.speed) / curl).toFixed(2)}`,
    )
    const load = loadavg().map(one => one.toFixed(1))
    console.log(
      `peak RSS ${Math.max(...rounds.map(one => one.ours.peakMb)).toFixed(0)} MB (aim under 150); Node ${process.version}, ${cpus().length} cores, load ${load.join(' ')}`,
    )
  } finally {
    receiver.kill()
    await rm(folder, { recursive: true, force: true })
  }
}

const [role, url, file] = process.argv.slice(2)
if (role === 'receive') receive()
else if (role === 'send') await sendOne(url, file)
else if (role === 'pipe') await pipeOne(url, file)
else await compare()
