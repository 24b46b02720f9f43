/**
 * The embedded service between the bad and the good: 500 slow connections (a quarter each with headers that never end, bodies
 * that never end, nothing after a first answer, and answers read at 128 bytes a second; who is closed comes again) beside 100
 * clients that each log in once and then carry a small job from create to its matches, over and over, polling every half
 * second. Prints the good requests' latency and errors, how long the slow ones outlived their limit, and the service's peak
 * memory (a slow reader is counted from its connecting, though the buffers on the way take their share of the file at full speed
 * first); then compares logins of an unknown user with wrong passwords. `npm run bench -- hostile`, after `npm run build`;
 * `-- --seconds 75 --logins 200` are the defaults, 10,000 logins the full size.
 */
import { fork } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { LIMITS } from '../build/service/limits.js'
import { makeCaller, percentile, startService } from './lib/service.mjs'

const SLOW = 500
const GOOD = 100
const RAMP_MS = 10_000
const POLL_MS = 500
const jobs = '/dataCleaning/jobs'
const self = fileURLToPath(import.meta.url)

/** Kinds of slow connections: what is sent at once, what each second, and after how long the service may end it. */
const kinds = ({ filePath, host }) => ({
  headers: { first: `GET /health HTTP/1.1\r\nHost: ${host}\r\n`, drip: 'a', limitMs: LIMITS.headersMs },
  body: {
    first: `POST /v1/authenticate HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n`,
    drip: '{',
    limitMs: LIMITS.jsonMs,
  },
  idle: { first: `GET /health HTTP/1.1\r\nHost: ${host}\r\n\r\n`, drip: '', limitMs: LIMITS.keepAliveMs },
  reader: {
    first: `GET ${filePath} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    drip: '',
    readBytes: 128,
    limitMs: LIMITS.rateMs,
  },
})

/** The process of the slow ones: keeps them all open until told to end, and tells how far each outlived its limit. */
function beSlow({ url, filePath }) {
  const { hostname, port, host } = new URL(url)
  const all = Object.entries(kinds({ filePath, host }))
  const over = Object.fromEntries(all.map(([name]) => [name, []]))
  const open = new Set()
  let ending = false
  const begin = index => {
    if (ending) return
    const [name, { first, drip, readBytes, limitMs }] = all[index % all.length]
    const socket = connect(Number(port), hostname)
    const one = { began: 0, limitMs, name, socket }
    open.add(one)
    let timer
    socket.on('error', () => {})
    socket.on('connect', () => {
      one.began = performance.now()
      socket.write(first)
      if (readBytes === undefined) socket.on('data', () => name === 'idle' && Object.assign(one, { began: performance.now() }))
      timer = setInterval(() => (readBytes === undefined ? drip !== '' && socket.write(drip) : socket.read(readBytes)), 1_000)
    })
    socket.on('close', () => {
      clearInterval(timer)
      open.delete(one)
      if (ending) return
      if (one.began > 0) over[name].push(performance.now() - one.began - limitMs)
      setTimeout(begin, 50, index)
    })
  }
  for (let index = 0; index < SLOW; index++) setTimeout(begin, (index * 5_000) / SLOW, index)
  process.on('message', () => {
    ending = true
    const now = performance.now()
    // Who is still open beyond its limit counts with its age.
    for (const { began, limitMs, name } of open) if (began > 0 && now - began > limitMs) over[name].push(now - began - limitMs)
    process.send({ over, open: open.size }, () => {
      for (const { socket } of open) socket.destroy()
      process.disconnect()
    })
  })
}

const csv = `name,country\n${readFileSync(new URL('../samples/suppliers.csv', import.meta.url), 'utf8')
  .split('\n')
  .slice(1, 21)
  .map(line => `"${line.split(',')[1]?.replaceAll('"', '')}",GB`)
  .join('\n')}\n`

/** One good client, until the deadline; `note` is told of every request. */
async function beGood(service, deadline, note) {
  const caller = makeCaller(service.url)
  const timed = async (name, work) => {
    const began = performance.now()
    const reply = await work()
    note(name, performance.now() - began, reply)
    return reply
  }
  await timed('login', () => caller.logIn(service))
  while (performance.now() < deadline) {
    const { body: job } = await timed('create', () => caller.send('POST', jobs, { name: 'bench' }))
    await timed('upload', () => caller.upload(job.id, csv))
    const mappings = [
      { mapping: 'name', value: '0' },
      { mapping: 'country', value: '1' },
    ]
    await timed('map', () => caller.send('PUT', `${jobs}/${job.id}/mappings`, { mappings }))
    await timed('submit', () => caller.send('POST', `${jobs}/${job.id}/submit`, {}))
    for (let status = ''; status !== 'jobMatchingComplete'; ) {
      await sleep(POLL_MS * (0.5 + Math.random()))
      status = (await timed('read', () => caller.send('GET', `${jobs}/${job.id}`))).body.status
    }
    await timed('list', () => caller.send('GET', `${jobs}?pageSize=10`))
    await sleep(POLL_MS * Math.random())
  }
  caller.close()
}

/** A finished job with a file too large for the buffers of a connection; gives the path of its link. */
async function makeLargeFile(service) {
  const caller = makeCaller(service.url)
  await caller.logIn(service)
  const { id } = (await caller.send('POST', jobs, { name: 'large' })).body
  await caller.upload(id, `name,text\n${`Acme,${'x'.repeat(20_000)}\n`.repeat(1_000)}`)
  await caller.send('PUT', `${jobs}/${id}/mappings`, { mappings: [{ mapping: 'name', value: '0' }] })
  await caller.send('POST', `${jobs}/${id}/submit`, {})
  const reach = async wanted => {
    while ((await caller.send('GET', `${jobs}/${id}`)).body.status !== wanted) await sleep(100)
  }
  await reach('jobMatchingComplete')
  await caller.send('POST', `${jobs}/${id}/enrich`, {})
  await reach('enrichmentComplete')
  const { pathname, search } = new URL((await caller.send('GET', `${jobs}/${id}/enrichedFile`)).body.filePath)
  caller.close()
  return pathname + search
}

async function measureLoad(folder, seconds) {
  const service = await startService(folder)
  try {
    const filePath = await makeLargeFile(service)
    const slow = fork(self, ['slow', JSON.stringify({ url: service.url, filePath })])
    await sleep(6_000)
    const times = new Map()
    const errors = []
    const deadline = performance.now() + seconds * 1_000
    const note = (name, ms, { status, body }) => {
      times.set(name, [...(times.get(name) ?? []), ms])
      if (status !== 200) errors.push(`${name}: ${status} ${JSON.stringify(body)}`)
    }
    await Promise.all(
      Array.from({ length: GOOD }, async (_, index) => {
        await sleep((index * RAMP_MS) / GOOD)
        await beGood(service, deadline, note)
      }),
    )
    const told = new Promise(resolve => slow.once('message', resolve))
    slow.send('end')
    const { over, open } = await told
    return { times, errors, over, open, peakMb: service.peakMb() }
  } finally {
    service.stop()
  }
}

/** Medians of `count` logins each, in turn, without the throttle that would end this. */
async function measureLogins(folder, count) {
  const unlimited = { sameLogins: 'unlimited', badLogins: 'unlimited', logins: 'unlimited', requestsPerSocket: 0 }
  const service = await startService(folder, unlimited)
  const caller = makeCaller(service.url)
  const times = { unknown: [], wrong: [] }
  const logins = { unknown: 'nobody', wrong: service.username }
  try {
    for (let n = 0; n < count; n++) {
      // By turns first, so that neither profits from the other.
      const order = n % 2 === 0 ? ['unknown', 'wrong'] : ['wrong', 'unknown']
      for (const kind of order) {
        const began = performance.now()
        const { status } = await caller.logIn({ username: logins[kind], password: `wrong ${n}` })
        times[kind].push(performance.now() - began)
        if (status !== 401) throw new Error(`a bad login was answered ${status}`)
      }
    }
  } finally {
    caller.close()
    service.stop()
  }
  const [unknown, wrong] = [percentile(times.unknown, 0.5), percentile(times.wrong, 0.5)]
  return { count, unknown, wrong, differ: (Math.abs(unknown - wrong) / wrong) * 100 }
}

async function main() {
  const { values } = parseArgs({
    options: { seconds: { type: 'string', default: '75' }, logins: { type: 'string', default: '200' } },
  })
  const folder = await mkdtemp(join(tmpdir(), 'fettle-bench-'))
  try {
    const { times, errors, over, open, peakMb } = await measureLoad(join(folder, 'load'), Number(values.seconds))
    const ms = value => `${value.toFixed(0)} ms`
    for (const [name, one] of [...times, ['all but login', [...times].flatMap(([of, list]) => (of === 'login' ? [] : list))]])
      console.log(
        `${name.padEnd(14)} ${String(one.length).padStart(6)} requests   p50 ${ms(percentile(one, 0.5)).padStart(8)}   p99 ${ms(percentile(one, 0.99)).padStart(8)}   max ${ms(Math.max(...one)).padStart(8)}`,
      )
    for (const error of errors.slice(0, 5)) console.log(`error: ${error}`)
    for (const [name, list] of Object.entries(over))
      console.log(`slow ${name.padEnd(9)} ${list.length} ended, at most ${ms(Math.max(...list))} beyond the limit`)
    const logins = await measureLogins(join(folder, 'logins'), Number(values.logins))
    console.log(
      `logins, ${logins.count} each: unknown user ${logins.unknown.toFixed(1)} ms, wrong password ${logins.wrong.toFixed(1)} ms (medians), ${logins.differ.toFixed(1)} % apart`,
    )
    const all = [...times.values()].flat()
    console.log(
      `aims: p99 under 250 ms, 0 errors, slow ones ended within 1,000 ms of their limit, under 512 MB, logins within 5 %; Node ${process.version}, ${cpus().length} cores, load ${loadavg()[0].toFixed(1)}`,
    )
    console.log(
      JSON.stringify({
        slow: open,
        good: GOOD,
        requests: all.length,
        p50Ms: Math.round(percentile(all, 0.5)),
        p99Ms: Math.round(percentile(all, 0.99)),
        errors: errors.length,
        beyondLimitMs: Math.round(Math.max(...over.headers, ...over.body, ...over.idle)),
        readerBeyondLimitMs: Math.round(Math.max(...over.reader)),
        peakMb: Math.round(peakMb),
        loginsApartPercent: Number(logins.differ.toFixed(1)),
      }),
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

const [role, options] = process.argv.slice(2)
if (role === 'slow') beSlow(JSON.parse(options))
else await main()
