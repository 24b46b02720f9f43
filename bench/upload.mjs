/**
 * Uploads a large CSV with `curl -F` and with our client in the same run and prints both, with the client's peak memory. The
 * receiver is a bare node:http server in a process of its own that counts and discards. `npm run bench:upload`, after
 * `npm run build`; `BENCH_DIST` names another build, `BENCH_BYTES` another size.
 */
import { execFile, spawn } from 'node:child_process'
import { createReadStream, readFileSync } from 'node:fs'
import { mkdtemp, open, rm, stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
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

/** One upload by our client, alone in this process: prints seconds and peak resident memory in kB. */
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
  const upload = {
    filename: 'bench.csv',
    bytes: size,
    hasHeader: true,
    open: () => createReadStream(file, { highWaterMark: MiB }),
  }
  await client.authenticate()
  const start = performance.now()
  await client.upload('job', upload, { key: 'bench', look: async () => undefined })
  const seconds = (performance.now() - start) / 1000
  await client.close()
  const peak = /VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))
  console.log(JSON.stringify({ seconds, peakKb: Number(peak[1]) }))
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
      const ours = JSON.parse((await run(process.execPath, [self, 'send', `${origin}/v1`, file])).stdout)
      const ourBytes = await arrived()
      if (curlBytes < size || ourBytes < size)
        throw new Error(`not everything arrived: curl ${curlBytes}, ours ${ourBytes} of ${size}`)
      rounds.push({ curl, ours: speed(ours.seconds), peakMb: ours.peakKb / 1024 })
    }
    for (const { curl, ours, peakMb } of rounds)
      console.log(
        `curl ${curl.toFixed(0)} MB/s   fettle ${ours.toFixed(0)} MB/s   ratio ${(ours / curl).toFixed(2)}   peak RSS ${peakMb.toFixed(0)} MB`,
      )
    const sum = key => rounds.reduce((total, one) => total + one[key], 0) / rounds.length
    const ratio = sum('ours') / sum('curl')
    console.log(
      `mean: curl ${sum('curl').toFixed(0)} MB/s, fettle ${sum('ours').toFixed(0)} MB/s, ratio ${ratio.toFixed(2)} (aim 0.8)`,
    )
    console.log(`peak RSS ${Math.max(...rounds.map(one => one.peakMb)).toFixed(0)} MB (aim under 150), Node ${process.version}`)
  } finally {
    receiver.kill()
    await rm(folder, { recursive: true, force: true })
  }
}

const [role, url, file] = process.argv.slice(2)
if (role === 'receive') receive()
else if (role === 'send') await sendOne(url, file)
else await compare()
