/**
 * A large list read from an object elsewhere and written to another, by our wire alone: MB/s and the peak memory of the process, by
 * https and by S3 in parts, against a bare node:http server in a process of its own that discards what it is sent. It shows that no
 * file is ever held in memory. `npm run bench -- objects`, after `npm run build`; BENCH_BYTES names another size.
 */
import { execFile, fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { cpus, loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { peakMb } from './lib/peak.mjs'

const BYTES = Number(process.env.BENCH_BYTES ?? 1_000_000_000)
const self = fileURLToPath(import.meta.url)
const PIECE = Buffer.alloc(1024 * 1024, 'Company Name,Reg No,Country\n')

function* pieces(bytes) {
  for (let left = bytes; left > 0; left -= PIECE.length) yield PIECE.subarray(0, Math.min(left, PIECE.length))
}

/** Serves one object of BYTES, and takes anything, in parts too. */
function serve() {
  const server = createServer(async (request, response) => {
    if (request.method === 'GET') {
      response.writeHead(200, { 'content-length': BYTES, etag: '"bench"' })
      for (const piece of pieces(BYTES)) if (!response.write(piece)) await new Promise(resolve => response.once('drain', resolve))
      return response.end()
    }
    for await (const _ of request);
    const { searchParams } = new URL(request.url, 'http://bench')
    if (request.method === 'PUT') return response.writeHead(200, { etag: '"part"' }).end()
    const name = searchParams.has('uploads') ? 'InitiateMultipartUploadResult' : 'CompleteMultipartUploadResult'
    response.writeHead(200, { 'content-type': 'application/xml' })
    response.end(`<${name}><UploadId>1</UploadId><ETag>"all"</ETag></${name}>`)
  })
  server.listen(0, '127.0.0.1', () => process.send(server.address().port))
}

/** One transfer, alone in this process. */
async function transfer(kind, doing, port) {
  const { createObjects } = await import('../build/client/storage/objects.js')
  const { realClock } = await import('../build/client/clock.js')
  const endpoint = `http://127.0.0.1:${port}`
  const s3 = () => ({ region: 'us-east-1', accessKeyId: 'bench', secretAccessKey: 'bench', sessionToken: null, endpoint })
  const objects = createObjects({ clock: realClock, attempts: 1, s3 })
  const place =
    kind === 's3'
      ? { kind, bucket: 'bench', key: 'a.csv', shown: 's3://bench/a.csv' }
      : { kind, url: `${endpoint}/a.csv`, shown: `${endpoint}/a.csv` }
  const startedAt = performance.now()
  if (doing === 'write') {
    const open = () =>
      (async function* () {
        yield* pieces(BYTES)
      })()
    await objects.write(place, { bytes: BYTES, sha256: '', type: 'text/csv', open })
  } else {
    const hash = createHash('sha256')
    for await (const piece of objects.read(place)) hash.update(piece)
  }
  const seconds = (performance.now() - startedAt) / 1000
  await objects.close()
  console.log(JSON.stringify({ megabytesPerSecond: Math.round(BYTES / 1e6 / seconds), peakMb: Math.round(peakMb()) }))
}

const [, , role, kind, doing, port] = process.argv
if (role === 'serve') serve()
else if (role === 'transfer') await transfer(kind, doing, port)
else {
  const server = fork(self, ['serve'])
  const at = await new Promise(resolve => server.once('message', resolve))
  console.log(`${new Date().toISOString()}  Node ${process.versions.node}  ${cpus()[0].model}  load ${loadavg()[0].toFixed(1)}`)
  console.log(`${BYTES / 1e6} MB`)
  for (const kind of ['https', 's3'])
    for (const doing of ['read', 'write']) {
      const { stdout } = await promisify(execFile)(process.execPath, [self, 'transfer', kind, doing, String(at)])
      console.log(`${kind.padEnd(6)} ${doing.padEnd(6)} ${stdout.trim()}`)
    }
  server.kill()
}
