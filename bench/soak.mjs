/**
 * The embedded service under mixed load for a while: clients that carry small jobs from create to the enriched file, that list,
 * that log in, that send what is refused, and that go away in the middle of an upload. Prints requests, answers by class, and
 * the slope of the service's memory over the second half. `npm run bench -- soak`, after `npm run build`; `-- --minutes 2` is the
 * default, 30 the full size.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { makeCaller, percentile, startService } from './lib/service.mjs'

const jobs = '/dataCleaning/jobs'
const { values } = parseArgs({ options: { minutes: { type: 'string', default: '2' } } })
const endsAt = performance.now() + Number(values.minutes) * 60_000
const csv = `name,country\n${Array.from({ length: 50 }, (_, n) => `Example Trading ${n} Ltd,GB\n`).join('')}`

const folder = await mkdtemp(join(tmpdir(), 'fettle-bench-'))
const service = await startService(folder)
const classes = new Map()
const times = []
const failures = []

/** A caller whose every answer is counted. */
const makeCounted = () =>
  makeCaller(service.url, ({ status, body }, ms, [method, path]) => {
    times.push(ms)
    const name = status === 0 ? 'broken' : `${String(status)[0]}xx`
    classes.set(name, (classes.get(name) ?? 0) + 1)
    if (status === 0 || status >= 500) failures.push(`${method} ${path}: ${status} ${JSON.stringify(body)}`)
  })

const until = async work => {
  while (performance.now() < endsAt) {
    await work()
    await sleep(200 + Math.random() * 300)
  }
}

async function carryJobs() {
  const caller = makeCounted()
  const files = makeCaller(new URL(service.url).origin)
  await caller.logIn(service)
  const reach = async (id, wanted) => {
    while ((await caller.send('GET', `${jobs}/${id}`)).body.status !== wanted) await sleep(300)
  }
  await until(async () => {
    const { id } = (await caller.send('POST', jobs, { name: 'soak' })).body
    await caller.upload(id, csv)
    await caller.send('PUT', `${jobs}/${id}/mappings`, { mappings: [{ mapping: 'name', value: '0' }] })
    await caller.send('POST', `${jobs}/${id}/submit`, {})
    await reach(id, 'jobMatchingComplete')
    await caller.send('POST', `${jobs}/${id}/enrich`, {})
    await reach(id, 'enrichmentComplete')
    const { pathname, search } = new URL((await caller.send('GET', `${jobs}/${id}/enrichedFile?fileType=json`)).body.filePath)
    await files.send('GET', pathname + search)
    await caller.send('GET', `${jobs}?pageSize=100`)
  })
  caller.close()
  files.close()
}

async function misbehave() {
  const caller = makeCounted()
  await caller.logIn(service)
  const { hostname, port } = new URL(service.url)
  await until(async () => {
    await caller.send('POST', '/authenticate', { username: `nobody ${Math.random()}`, password: 'wrong' })
    await caller.send('GET', `${jobs}/00000000-0000-4000-8000-000000000000`)
    await caller.send('POST', jobs, Buffer.from('{"name":'), { 'content-type': 'application/json' })
    await caller.send('GET', '/nothing')
    const { id } = (await caller.send('POST', jobs, { name: 'left' })).body
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    const head = `POST /v1${jobs}/${id}/upload HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${caller.token()}\r\n`
    socket.write(`${head}Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 90000\r\n\r\n--b\r\n`)
    await sleep(100)
    socket.destroy()
  })
  caller.close()
}

/** Megabytes a minute, by least squares over these [minute, MB]. */
function slope(points) {
  const mean = of => points.reduce((sum, point) => sum + of(point), 0) / points.length
  const [x, y] = [mean(([minute]) => minute), mean(([, mb]) => mb)]
  const over = points.reduce((sum, [minute, mb]) => sum + (minute - x) * (mb - y), 0)
  return over / points.reduce((sum, [minute]) => sum + (minute - x) ** 2, 0)
}

try {
  const memory = []
  const began = performance.now()
  const watch = until(async () => memory.push([(performance.now() - began) / 60_000, service.rssMb()]))
  await Promise.all([watch, ...Array.from({ length: 10 }, carryJobs), ...Array.from({ length: 3 }, misbehave)])
  for (const failure of failures.slice(0, 5)) console.log(failure)
  const half = memory.slice(Math.floor(memory.length / 2))
  console.log(
    [...classes]
      .sort()
      .map(([name, count]) => `${count} × ${name}`)
      .join(', '),
  )
  console.log(
    `aims: 0 × 5xx, under 1 MB a minute over 30 minutes; Node ${process.version}, ${cpus().length} cores, load ${loadavg()[0].toFixed(1)}`,
  )
  console.log(
    JSON.stringify({
      minutes: Number(values.minutes),
      requests: times.length,
      serverErrors: classes.get('5xx') ?? 0,
      broken: classes.get('broken') ?? 0,
      p99Ms: Math.round(percentile(times, 0.99)),
      rssMb: Math.round(service.rssMb()),
      mbPerMinute: Number(slope(half).toFixed(2)),
    }),
  )
} finally {
  service.stop()
  await rm(folder, { recursive: true, force: true })
}
