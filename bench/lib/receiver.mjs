/**
 * What the benchmarks of transfers send to and fetch from: a bare node:http server in a process of its own that counts and
 * hashes what goes up, walks one job, and gives a CSV of the sent rows with their answers. `POST /plan` has it break transfers.
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const self = fileURLToPath(import.meta.url)

/** Starts a receiver for a list of so many rows; `isHashing` false leaves the receiver as fast as it can be. */
export async function startReceiver(rows, isHashing = true) {
  const child = spawn(process.execPath, [self, String(rows), String(isHashing)], { stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const line of createInterface({ input: child.stdout })) {
    const origin = `http://127.0.0.1:${line}`
    return {
      url: `${origin}/v1`,
      /** `{reset: [shares]}` breaks one upload each; `{cut: [{at, framing}]}` one download each. */
      plan: plan => fetch(`${origin}/plan`, { method: 'POST', body: JSON.stringify(plan) }),
      /** `{bytes, sha256, creates, uploads, downloads, fileBytes}` since the last plan. */
      seen: async () => (await fetch(`${origin}/seen`)).json(),
      stop: () => child.kill(),
    }
  }
  throw new Error('the receiver did not start')
}

const HEADER = 'id,name,country,number,town'
// The same lines up, and with their answers down.
const BLOCK = 8192
const lines = end =>
  Buffer.from(
    Array.from({ length: BLOCK }, (_, n) => `${n},"Example Trading ${n} Ltd",GB,0${1_000_000 + n},Leeds${end(n)}\n`).join(''),
  )

/** Writes a list of at least so many bytes; gives its rows. */
export async function makeCsv(file, bytes) {
  const block = lines(() => '')
  const handle = await open(file, 'w', 0o600)
  await handle.write(`${HEADER}\n`)
  let rows = 0
  for (let written = 0; written < bytes; written += block.length, rows += BLOCK) await handle.write(block)
  await handle.close()
  return rows
}

function serve(rows, isHashing) {
  const answered = lines(n => `,GB-X-${n},matched,0.98`)
  const head = Buffer.from(`${HEADER},general.connectId,match.outcome,match.score\n`)
  const fileBytes = head.length + (rows / BLOCK) * answered.length
  const summary = { totalRows: rows, matched: rows, manualMatched: 0, unmatched: 0, duplicates: 0 }
  let plan = {}
  let seen = {}
  let job = null

  const answer = (path, method, body) => {
    if (path.endsWith('/authenticate')) return { token: 'bench' }
    if (path === '/seen') return { ...seen, fileBytes }
    if (path === '/plan') {
      plan = JSON.parse(body)
      seen = { creates: 0, uploads: 0, downloads: 0 }
      return {}
    }
    if (path.endsWith('/upload')) job = { ...job, status: 'uploaded' }
    if (path.endsWith('/upload')) return { id: 'file', status: 'uploaded' }
    if (path.endsWith('/mappings')) return []
    if (path.endsWith('/submit')) job = { ...job, status: 'jobMatchingComplete', jobSummary: summary }
    if (path.endsWith('/submit')) return { messageId: 'bench' }
    if (path.endsWith('/enrichments')) return JSON.parse(body)
    if (path.endsWith('/enrich')) job = { ...job, status: 'enrichmentComplete' }
    if (path.endsWith('/enrich')) return [{}]
    if (path.includes('/enrichedFile')) return { correlationId: 'bench', filePath: '/file' }
    if (method === 'POST') job = { id: 'bench', name: JSON.parse(body).name, status: 'created' }
    if (method === 'POST') seen.creates = (seen.creates ?? 0) + 1
    return path.includes('jobName=') ? [job].filter(one => one !== null) : job
  }

  /** Hashes the file part alone, the last one: what stands before and after it is known by its head and the boundary. */
  const takeUpload = (request, done) => {
    const breakAt = plan.reset?.shift()
    const hash = createHash('sha256')
    const length = Number(request.headers['content-length'])
    const tail = Buffer.byteLength(`\r\n--${/boundary=(.+)$/.exec(request.headers['content-type'])[1]}--\r\n`)
    let size = 0
    let early = Buffer.alloc(0)
    const take = (chunk, from) => hash.update(chunk.subarray(0, Math.max(0, length - tail - from)))
    request.on('error', () => {})
    request.on('data', chunk => {
      size += chunk.length
      if (breakAt !== undefined && size >= breakAt * length) request.socket.resetAndDestroy()
      if (!isHashing) return
      if (early === null) return take(chunk, size - chunk.length)
      early = Buffer.concat([early, chunk])
      const at = early.indexOf('\r\n\r\n', Math.max(0, early.indexOf('name="jobFile"')))
      if (!early.includes('name="jobFile"') || at === -1) return
      take(early.subarray(at + 4), at + 4)
      early = null
    })
    request.on('end', () => {
      seen = { ...seen, bytes: size, sha256: hash.digest('hex'), uploads: (seen.uploads ?? 0) + 1 }
      done()
    })
  }

  const giveFile = response => {
    seen.downloads = (seen.downloads ?? 0) + 1
    const cut = plan.cut?.shift()
    const end = cut === undefined ? fileBytes : Math.floor(fileBytes * cut.at)
    response.setHeader('content-type', 'text/csv')
    if (cut?.framing === 'close') response.useChunkedEncodingByDefault = false
    if (cut?.framing === 'close') response.setHeader('connection', 'close')
    else if (cut?.framing !== 'chunked') response.setHeader('content-length', fileBytes)
    let sent = 0
    const more = () => {
      while (sent < end) {
        const part = sent === 0 ? head : answered
        const left = end - sent
        sent += Math.min(part.length, left)
        const goesOn = response.write(part.length > left ? part.subarray(0, left) : part)
        if (!goesOn && sent < end) return response.once('drain', more)
      }
      if (cut === undefined || cut.framing === 'close') response.end()
      // What was written has to leave before the connection goes.
      else response.write('', () => response.socket.end())
    }
    more()
  }

  const server = createServer((request, response) => {
    const path = request.url
    const tell = parts => {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(answer(path, request.method, Buffer.concat(parts).toString())))
    }
    if (path.endsWith('/upload')) return takeUpload(request, () => tell([]))
    if (path === '/file') return giveFile(response)
    const parts = []
    request.on('data', chunk => parts.push(chunk))
    request.on('end', () => tell(parts))
  })
  server.listen(0, '127.0.0.1', () => console.log(server.address().port))
}

if (process.argv[1] === self) serve(Number(process.argv[2]), process.argv[3] === 'true')
