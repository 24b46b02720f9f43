/**
 * The embedded service under load, as its users start it: `fettle serve` over a register grown from a real one (bench/lib/grow.mjs) and the
 * made-up screening list. First the time from the command to the first answer, with the index made and with the index read; then
 * requests a second, latencies and errors of job reads, matches and AML searches by autocannon, beside a bare fastify route that
 * answers as many bytes as a job has, and the service's memory. Generator and service share the machine.
 *
 *   npm run build && npm run bench -- load --register R.csv [--companies 100000] [--seconds 10] [--connections 10] [--restart-only]
 */
import { spawn } from 'node:child_process'
import { createWriteStream, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import autocannon from 'autocannon'
import { parse } from 'csv-parse/sync'
import { LIMITS } from '../build/service/limits.js'
import { grow } from './lib/grow.mjs'
import { makeCaller } from './lib/service.mjs'

const { values } = parseArgs({
  options: {
    register: { type: 'string' },
    companies: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '10' },
    connections: { type: 'string', default: '10' },
    'restart-only': { type: 'boolean', default: false },
  },
})
if (values.register === undefined) throw new Error('usage: npm run bench -- load --register R.csv [--companies N] [--seconds N]')
const main = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const sample = fileURLToPath(new URL('../samples/screening.csv', import.meta.url))
const folder = await mkdtemp(join(tmpdir(), 'fettle-load-'))
const LOGIN = { username: 'load', password: 'a password for the load' }
const env = {
  PATH: process.env.PATH,
  HOME: folder,
  FETTLE_DATA: join(folder, 'data'),
  FETTLE_USERNAME: LOGIN.username,
  FETTLE_PASSWORD: LOGIN.password,
}
const csv = cells => `${cells.map(cell => `"${String(cell ?? '').replaceAll('"', '""')}"`).join(',')}\n`
const COLUMNS = ['id', 'name', 'country', 'orgNumber', 'address1', 'town', 'postcode', 'website']
const base = parse(readFileSync(values.register), { columns: true, bom: true })

function* registerLines() {
  yield csv(COLUMNS)
  for (const company of grow(base, Number(values.companies))) yield csv(COLUMNS.map(column => company[column]))
}

async function command(...args) {
  const child = spawn(process.execPath, [main, ...args], { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] })
  const code = await new Promise(resolve => child.once('exit', resolve))
  if (code !== 0) throw new Error(`fettle ${args.join(' ')}: exit ${code}`)
}

/** Starts `fettle serve`; `seconds` is the time to its first match. */
async function serve() {
  const began = performance.now()
  const child = spawn(process.execPath, [main, 'serve', '--port', '0', '--data-dir', join(folder, 'service')], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  for await (const line of createInterface({ input: child.stdout })) {
    const [, url] = /listening on (\S+)/.exec(line) ?? []
    if (url === undefined) continue
    const caller = makeCaller(url)
    await caller.logIn(LOGIN)
    const headers = { authorization: `Bearer ${caller.token()}` }
    caller.close()
    const first = await fetch(`${url}/companies/match?matchThreshold=893&country=GB&name=Acme`, { headers })
    if (first.status !== 200) throw new Error(`the first match: ${first.status} ${await first.text()}`)
    const seconds = (performance.now() - began) / 1000
    const status = () => readFileSync(`/proc/${child.pid}/status`, 'utf8')
    const memoryMb = field => Math.round(Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status())[1]) / 1024)
    const stop = async () => {
      child.kill('SIGTERM')
      await new Promise(resolve => child.once('exit', resolve))
    }
    return { url, headers, seconds, memoryMb, stop }
  }
  throw new Error('the service did not start')
}

/** A fastify route that does nothing, in a process of its own. */
async function bareRoute(bytes) {
  const program = `import fastify from 'fastify'
const app = fastify()
const body = { text: 'x'.repeat(${bytes}) }
app.get('/bare', async () => body)
console.log(await app.listen({ port: 0, host: '127.0.0.1' }))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const url of createInterface({ input: child.stdout })) return { url, stop: () => child.kill() }
  throw new Error('the bare route did not start')
}

async function fire(label, url, requests, headers = {}) {
  const told = await autocannon({
    url,
    connections: Number(values.connections),
    duration: Number(values.seconds),
    // The service closes a connection after so many requests and says so; the generator does not listen.
    reconnectRate: LIMITS.requestsPerSocket - 1,
    headers,
    requests,
  })
  const { requests: rate, latency, errors, timeouts, non2xx } = told
  console.log(
    `${label.padEnd(22)} ${String(Math.round(rate.average)).padStart(6)} requests/s   p50 ${latency.p50} ms   p99 ${latency.p99} ms   ${errors + timeouts + non2xx} errors of ${rate.total}`,
  )
  return errors + timeouts + non2xx
}

let wrong = 0
try {
  console.log(
    `${values.companies} companies, ${values.connections} connections, ${values.seconds} s each, node ${process.version}, ${availableParallelism()} CPUs, load ${loadavg()[0].toFixed(1)}`,
  )
  await pipeline(Readable.from(registerLines()), createWriteStream(join(folder, 'register.csv')))
  await command('register', 'import', 'csv', 'register.csv', '--name', 'grown', '--json')
  await command('screening', 'import', 'csv', sample, '--json')
  const made = await serve()
  console.log(`first answer, index made  ${made.seconds.toFixed(1)} s, ${made.memoryMb('VmRSS')} MB`)
  await made.stop()
  const service = await serve()
  console.log(`first answer, index read  ${service.seconds.toFixed(1)} s, ${service.memoryMb('VmRSS')} MB`)
  if (!values['restart-only']) {
    const json = { ...service.headers, 'content-type': 'application/json' }
    const job = await (
      await fetch(`${service.url}/dataCleaning/jobs`, { method: 'POST', headers: json, body: '{"name":"load"}' })
    ).json()
    const names = [...grow(base, 2_000)].map(({ name, country }) => ({ name: name.slice(0, 200), country: country || 'GB' }))
    const bare = await bareRoute(JSON.stringify(job).length)
    wrong += await fire('bare fastify route', bare.url, [{ path: '/bare' }])
    bare.stop()
    wrong += await fire('job read', service.url, [{ path: `/v1/dataCleaning/jobs/${job.id}` }], service.headers)
    const matches = names.map(({ name, country }) => ({
      path: `/v1/companies/match?${new URLSearchParams({ matchThreshold: '893', country, name })}`,
    }))
    wrong += await fire('match', service.url, matches, service.headers)
    const searches = names.map(({ name }) => ({
      method: 'POST',
      path: '/v1/compliance/kyc-protect/searches/businesses',
      body: JSON.stringify({ name, threshold: 85, datasets: ['SAN', 'AM'] }),
    }))
    wrong += await fire('AML search', service.url, searches, json)
    console.log(`memory of the service     ${service.memoryMb('VmHWM')} MB at the peak`)
  }
  await service.stop()
} finally {
  await rm(folder, { recursive: true, force: true })
}
process.exitCode = wrong === 0 ? 0 : 1
