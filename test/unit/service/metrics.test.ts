/** Metrics, health, the request log and trace context. */
import { expect, test } from 'vitest'
import { type Family, metricsText, plainMetricsText } from '../../../src/service/health/metrics.ts'
import { readTraceparent } from '../../../src/service/http/trace.ts'
import { type Parsed, parsed } from '../report/openmetrics-parser.ts'
import { logIn, send, startService } from './kit.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'

test('metrics: requests and their durations, jobs by status, the process; nothing of users or companies', async () => {
  const service = await startService({ users: [{ username: 'canary-user', password: 'p' }] })
  const caller = await logIn(service)
  await caller.create('canary-job')
  await caller.create('canary-job')
  await send(new URL('/nothing/canary-path', service.url).href)
  const { headers, body } = await send(new URL('/metrics', service.url).href)
  expect(headers.get('content-type')).toBe('application/openmetrics-text; version=1.0.0; charset=utf-8')
  expect(body).not.toContain('canary')
  expect(body.endsWith('\n# EOF\n')).toBe(true)

  const families = parsed(body)
  const find = (name: string): Parsed => families.find(family => family.name === name) ?? expect.unreachable(name)
  const requests = find('fettle_http_requests_total').metrics
  expect(requests).toContainEqual({ value: '2', labels: { method: 'POST', route: '/v1/dataCleaning/jobs', status: '200' } })
  expect(requests.some(one => one.labels?.route === 'unknown' && one.labels.status === '404')).toBe(true)
  expect(find('fettle_jobs').metrics).toEqual([{ value: '2', labels: { status: 'created' } }])
  expect(find('fettle_http_request_duration_seconds').type).toBe('HISTOGRAM')
  expect(Number(find('process_resident_memory_bytes').metrics[0]?.value)).toBeGreaterThan(1e6)
})

test('the buckets of a histogram add up and end at +Inf', async () => {
  const service = await startService()
  for (let n = 0; n < 3; n++) await send(new URL('/health', service.url).href)
  const { body } = await send(new URL('/metrics', service.url).href)
  const buckets = [...body.matchAll(/^fettle_http_request_duration_seconds_bucket\{route="\/health",le="([^"]+)"\} (\d+)$/gm)]
  const counts = buckets.map(([, , count]) => Number(count))
  expect(counts).toEqual([...counts].sort((a, b) => a - b))
  expect(buckets.map(([, le]) => le).at(-1)).toBe('+Inf')
  const count = Number(/_count\{route="\/health"\} (\d+)/.exec(body)?.[1])
  expect([counts.at(-1), count]).toEqual([3, 3])
})

test('escapes texts as OpenMetrics requires', () => {
  const family: Family = { name: 'a', type: 'gauge', help: 'b\n"c"\\', samples: [[{ d: 'e"\n\\' }, 1]] }
  expect(metricsText([family])).toBe('# TYPE a gauge\n# HELP a b\\n\\"c\\"\\\\\na{d="e\\"\\n\\\\"} 1\n# EOF\n')
})

test('the text format of Prometheus names families as their samples', () => {
  const families: Family[] = [
    { name: 'a', type: 'info', help: 'b\n"c"\\', samples: [[{ d: 'e' }, 1]] },
    { name: 'f_seconds', type: 'counter', unit: 'seconds', help: 'g', samples: [[{}, 2]] },
  ]
  expect(plainMetricsText(families)).toBe(
    '# HELP a_info b\\n"c"\\\\\n# TYPE a_info gauge\na_info{d="e"} 1\n# HELP f_seconds_total g\n# TYPE f_seconds_total counter\nf_seconds_total 2\n',
  )
})

test('metrics are in the format that the reader prefers', async () => {
  const url = new URL('/metrics', (await startService()).url).href
  const [OPEN, PLAIN] = ['application/openmetrics-text; version=1.0.0; charset=utf-8', 'text/plain; version=0.0.4; charset=utf-8']
  const cases = [
    ['*/*', OPEN],
    ['application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;q=0.5', OPEN],
    ['text/plain', PLAIN],
    ['Text/*;q=0.4, application/openmetrics-text;q=0.2', PLAIN],
    ['text/plain;q=0', OPEN],
    ['text/plain;q=none', OPEN],
  ] as const
  for (const [Accept, type] of cases) {
    const { headers, body } = await send(url, 'GET', undefined, { Accept })
    expect([headers.get('content-type'), headers.get('vary'), body.endsWith('# EOF\n')], Accept).toEqual([
      type,
      'Accept',
      type === OPEN,
    ])
  }
})

test('the log and the answer of a request have its correlationId and its trace', async () => {
  const log: string[] = []
  const service = await startService({ log: line => void log.push(line) })
  const url = new URL('/health', service.url).href
  const { headers } = await send(url, 'GET', undefined, { traceparent: `00-${TRACE}-${PARENT}-01` })
  const told = /^00-([0-9a-f]{32})-([0-9a-f]{16})-01$/.exec(headers.get('traceresponse') ?? '')
  expect(told?.[1]).toBe(TRACE)
  expect((await send(url)).headers.get('traceresponse')).toBeNull()
  const lines = log.map(line => JSON.parse(line)).filter(line => line.route === '/health')
  expect(lines[0]).toMatchObject({
    correlationId: headers.get('x-correlation-id'),
    traceId: TRACE,
    parentId: PARENT,
    spanId: told?.[2],
    status: 200,
    ms: expect.any(Number),
  })
  expect(lines[1]).not.toHaveProperty('traceId')
})

test.each([
  ['the plain form', `00-${TRACE}-${PARENT}-00`, true],
  ['a later version', `01-${TRACE}-${PARENT}-00`, true],
  ['a later version with more', `cc-${TRACE}-${PARENT}-01-more`, true],
  ['more in version 00', `00-${TRACE}-${PARENT}-01-more`, false],
  ['more without a dash', `01-${TRACE}-${PARENT}-01more`, false],
  ['version ff', `ff-${TRACE}-${PARENT}-01`, false],
  ['capitals', `00-${TRACE.toUpperCase()}-${PARENT}-01`, false],
  ['a trace of zeros', `00-${'0'.repeat(32)}-${PARENT}-01`, false],
  ['a parent of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`, false],
  ['too short', `00-${TRACE.slice(1)}-${PARENT}-01`, false],
  ['two headers in one', `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`, false],
  ['nothing', '', false],
])('traceparent: %s', (_, header, isOne) => {
  expect(readTraceparent(header) !== null).toBe(isOne)
})
