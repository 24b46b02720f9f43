/**
 * What the benchmarks of the embedded service share: the built service in a process of its own over the sample register, a plain
 * HTTP caller, and percentiles. `node bench/lib/service.mjs DIR [JSON of limits]` is that process.
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

const self = fileURLToPath(import.meta.url)
const LOGIN = { username: 'bench', password: 'bench password' }

/** Starts the service in a fresh directory; `limits` are laid over its own. */
export async function startService(directory, limits = {}) {
  const child = spawn(process.execPath, [self, directory, JSON.stringify(limits)], { stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const line of createInterface({ input: child.stdout })) {
    const status = () => readFileSync(`/proc/${child.pid}/status`, 'utf8')
    return {
      url: line,
      ...LOGIN,
      peakMb: () => Number(/VmHWM:\s+(\d+)/.exec(status())[1]) / 1024,
      rssMb: () => Number(/VmRSS:\s+(\d+)/.exec(status())[1]) / 1024,
      stop: () => child.kill(),
    }
  }
  throw new Error('the service did not start')
}

/** A caller of one service, with a connection of its own that is kept; `note` is told of every answer, status 0 for none. */
export function makeCaller(url, note = () => {}) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, timeout: 60_000 })
  let token = ''
  const exchange = (method, path, body, headers = {}) =>
    new Promise((resolve, reject) => {
      const isJson = body !== undefined && !Buffer.isBuffer(body)
      const bytes = isJson ? Buffer.from(JSON.stringify(body)) : body
      const sent = request(url + path, {
        agent,
        method,
        headers: {
          ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
          ...(isJson ? { 'content-type': 'application/json' } : {}),
          ...(bytes === undefined ? {} : { 'content-length': bytes.length }),
          ...headers,
        },
      })
      sent.on('error', reject)
      sent.on('response', response => {
        const parts = []
        response.on('data', part => parts.push(part))
        response.on('error', reject)
        response.on('end', () => {
          const text = Buffer.concat(parts).toString()
          resolve({ status: response.statusCode, body: text === '' ? null : JSON.parse(text) })
        })
      })
      sent.end(bytes)
    })
  const send = async (...args) => {
    const began = performance.now()
    const reply = await exchange(...args).catch(error => ({ status: 0, body: { message: error.message } }))
    note(reply, performance.now() - began, args)
    return reply
  }
  return {
    send,
    async logIn({ username, password }) {
      const reply = await send('POST', '/authenticate', { username, password })
      token = reply.body.token ?? ''
      return reply
    },
    upload: (id, csv) =>
      send('POST', `/dataCleaning/jobs/${id}/upload`, Buffer.from(multipart(csv)), {
        'content-type': 'multipart/form-data; boundary=bench',
      }),
    token: () => token,
    close: () => agent.destroy(),
  }
}

const multipart = csv =>
  [
    '--bench\r\nContent-Disposition: form-data; name="hasHeader"\r\n\r\ntrue\r\n',
    `--bench\r\nContent-Disposition: form-data; name="jobFile"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\n${csv}\r\n`,
    '--bench--\r\n',
  ].join('')

/** The value below which this share of the values lies. */
export function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

if (process.argv[1] === self) {
  const [directory, limits = '{}'] = process.argv.slice(2)
  const { serve } = await import('../../dist/service/index.js')
  const { importRegister } = await import('../../build/service/registers/index.js')
  const registerDir = join(directory, 'registers')
  const file = fileURLToPath(new URL('../../samples/register.csv', import.meta.url))
  await importRegister({ file, name: 'sample', dir: registerDir, now: new Date() })
  const service = await serve({
    dataDir: join(directory, 'service'),
    registerDir,
    registers: ['sample'],
    users: [LOGIN],
    limits: JSON.parse(limits, (_, value) => (value === 'unlimited' ? Number.POSITIVE_INFINITY : value)),
  })
  process.on('SIGTERM', () => service.close())
  console.log(service.url)
}
