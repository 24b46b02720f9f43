/** Lineage of real runs: events, addresses and ids; a receiver can neither fail nor delay a run. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { collect, type LineageEvent, merge, type Report, resume, run } from '../../../src/index.ts'
import { lineageSettings, makeUuid } from '../../../src/observe/lineage.ts'
import { type Place, place } from '../../support/place.ts'
import { faultsOf } from '../report/openlineage-schema.ts'

let here: Place
beforeEach(() => {
  here = place()
})
afterEach(() => here.leave())

interface Taken {
  readonly url: string
  readonly events: LineageEvent[]
  readonly requests: IncomingMessage[]
}

/** A service that takes events; `answer` gives a status, or null for never an answer. */
async function taker(answer: () => number | null = () => 201): Promise<Taken> {
  const events: LineageEvent[] = []
  const requests: IncomingMessage[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += piece
    requests.push(request)
    events.push(JSON.parse(body))
    const status = answer()
    if (status !== null) response.writeHead(status).end()
  })
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  here.atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, events, requests }
}

const types = ({ events }: Pick<Taken, 'events'>): string[] => events.map(({ eventType }) => eventType)

describe('by HTTP', () => {
  test('sends START and COMPLETE that match the specification, with key, parent and counts', async () => {
    const service = await taker()
    const parent = 'airflow/prod/suppliers.match/0199c8a1-7d7e-7b52-9f33-2a1c5c0f6a11'
    const report = await run(here.pipeline({ checks: { matched: { fail: '< 100%' } } }), {
      ...here.options({
        OPENLINEAGE_URL: `${service.url}/`,
        OPENLINEAGE_API_KEY: 'key of the tests',
        OPENLINEAGE_NAMESPACE: 'team',
        OPENLINEAGE_PARENT_ID: parent,
      }),
    })
    // A key with blanks is no key: nothing was sent, and nothing failed.
    expect([report.status, service.events]).toEqual(['fail', []])

    await run(here.pipeline({ checks: { matched: { fail: '< 100%' } } }), {
      ...here.options({
        OPENLINEAGE_URL: `${service.url}/`,
        OPENLINEAGE_API_KEY: 'k-1',
        OPENLINEAGE_NAMESPACE: 'team',
        OPENLINEAGE_PARENT_ID: parent,
        AIRFLOW_CTX_LOGICAL_DATE: '2026-01-01T03:00:00+01:00',
      }),
    })
    expect(types(service)).toEqual(['START', 'COMPLETE'])
    expect(service.events.flatMap(faultsOf)).toEqual([])
    expect(service.requests.map(({ url, headers }) => [url, headers.authorization])).toEqual([
      ['/api/v1/lineage', 'Bearer k-1'],
      ['/api/v1/lineage', 'Bearer k-1'],
    ])
    const [start, end] = service.events as [LineageEvent, LineageEvent]
    expect(start.run.runId).toBe(end.run.runId)
    expect(end.job).toMatchObject({ namespace: 'team', name: 'small' })
    expect(end.run.facets.parent).toMatchObject({
      run: { runId: '0199c8a1-7d7e-7b52-9f33-2a1c5c0f6a11' },
      job: { namespace: 'airflow/prod', name: 'suppliers.match' },
    })
    expect(end.run.facets.nominalTime?.nominalStartTime).toBe('2026-01-01T02:00:00.000Z')
    expect(end.inputs[0]).toMatchObject({ namespace: 'file', name: `${here.folder}/in.csv` })
    expect(end.inputs[0]?.inputFacets?.dataQualityAssertions?.assertions).toEqual([
      { assertion: 'matched not < 100%', success: false, severity: 'error' },
    ])
    expect(end.outputs[0]?.outputFacets?.outputStatistics).toMatchObject({ rowCount: 2 })
    expect(JSON.stringify(service.events)).not.toMatch(/Nobody Knows|Harrow/)
  })

  test.each<[string, () => number | null, RegExp]>([
    ['refuses', () => 500, /did not accept the event START: status 500$/],
    ['never answers', () => null, /did not accept the event \w+: (?:no response|no answer came) in time$/],
  ])('a service that %s costs one note, and no more than two seconds', async (_, answer, why) => {
    const service = await taker(answer)
    const notes: string[] = []
    const { report, overMs } = await timed(notes, { OPENLINEAGE_URL: service.url })
    expect(report.status).toBe('warn')
    expect(notes).toEqual([expect.stringMatching(why)])
    expect(overMs).toBeLessThan(2_500)
  })

  test('an unreachable receiver is a warning; a disabled one gets no request', async () => {
    const notes: string[] = []
    expect((await timed(notes, { OPENLINEAGE_URL: 'http://127.0.0.1:1' })).report.status).toBe('warn')
    expect(notes).toEqual([expect.stringContaining('the connection was not accepted')])
    const service = await taker()
    await run(here.pipeline(), { ...here.options({ OPENLINEAGE_URL: service.url, OPENLINEAGE_DISABLED: 'true' }), fresh: true })
    expect(service.events).toEqual([])
  })

  /** How long a run took after its last fact. */
  async function timed(notes: string[], env: Record<string, string>): Promise<{ report: Report; overMs: number }> {
    const running = run(here.pipeline(), { ...here.options(env), onNote: note => notes.push(note) })
    let last = performance.now()
    for await (const fact of running) if (fact.type === 'run.finished') last = performance.now()
    const report = await running
    return { report, overMs: performance.now() - last }
  }
})

describe('one run, one id', () => {
  test('a detached run: START by one command, COMPLETE by the one that collects it', async () => {
    const events: LineageEvent[] = []
    const reporters = [{ name: 'here', onLineageEvent: (event: LineageEvent) => events.push(event) }]
    const left = await run(here.pipeline(), { ...here.options(), detach: true, reporters })
    expect([left.status, types({ events })]).toEqual(['running', ['START']])
    await collect(left.metadata.runId, { ...here.options(), reporters })
    expect(types({ events })).toEqual(['START', 'RUNNING', 'COMPLETE'])
    expect(new Set(events.map(one => one.run.runId))).toEqual(new Set([makeUuid(left.metadata.runId)]))
    expect(events.flatMap(faultsOf)).toEqual([])
    // Told again, it has not run again.
    await collect(left.metadata.runId, { ...here.options(), reporters })
    expect(events).toHaveLength(3)
  })

  test('a stopped and resumed run: ABORT, then COMPLETE', async () => {
    const events: LineageEvent[] = []
    const stop = new AbortController()
    const onLineageEvent = (event: LineageEvent) => events.push(event)
    const stopper = {
      name: 'stopper',
      onLineageEvent,
      onEvent: ({ type }: { type: string }) => type === 'job.created' && stop.abort(),
    }
    await expect(run(here.pipeline(), { ...here.options(), signal: stop.signal, reporters: [stopper] })).rejects.toThrow()
    await resume(undefined, { ...here.options(), reporters: [{ name: 'here', onLineageEvent }] })
    expect(types({ events })).toEqual(['START', 'ABORT', 'RUNNING', 'COMPLETE'])
    expect(events[1]?.run.facets.errorMessage?.message).toBe('FETTLE_ABORTED: stopped by the caller')
    expect(new Set(events.map(one => one.run.runId)).size).toBe(1)
  })

  test('an empty input ends with COMPLETE', async () => {
    here.write('none.csv', 'name,country\n')
    const events: LineageEvent[] = []
    const reporters = [{ name: 'here', onLineageEvent: (event: LineageEvent) => events.push(event) }]
    await run(here.pipeline({ input: { path: 'none.csv', empty: 'skip' } }), { ...here.options(), reporters })
    expect(types({ events })).toEqual(['START', 'COMPLETE'])
    expect(events.flatMap(faultsOf)).toEqual([])
  })
})

describe('the environment', () => {
  const UUID = '0199c8a1-7d7e-7b52-9f33-2a1c5c0f6a11'
  const parent = { run: { runId: UUID }, job: { namespace: 'ns', name: 'task' } }

  test('a context sets parent and root, and overrides the two ids', () => {
    const root = { ...parent, job: { namespace: 'ns', name: 'dag' } }
    const env = { OPENLINEAGE_CONTEXT: JSON.stringify({ parent, root }), OPENLINEAGE_PARENT_ID: `a/b/${UUID}` }
    expect(lineageSettings(env)).toMatchObject({ parent: { ...parent, root }, warnings: [], namespace: 'default', http: null })
    expect(
      lineageSettings({ OPENLINEAGE_PARENT_ID: `ns/task/${UUID}`, OPENLINEAGE_ROOT_PARENT_ID: `ns/dag/${UUID}` }).parent,
    ).toEqual({
      ...parent,
      root,
    })
  })

  test.each([
    ['OPENLINEAGE_URL', 'ftp://host'],
    ['OPENLINEAGE_URL', 'nonsense'],
    ['OPENLINEAGE_URL', 'https://user:secret@host'],
    ['OPENLINEAGE_NAMESPACE', '\n'],
    ['OPENLINEAGE_CONTEXT', '{"parent":{}}'],
    ['OPENLINEAGE_CONTEXT', 'nonsense'],
    ['OPENLINEAGE_PARENT_ID', 'ns/task'],
    ['OPENLINEAGE_PARENT_ID', 'ns/task/no-uuid'],
    ['OPENLINEAGE_ROOT_PARENT_ID', 'x'],
  ])('%s=%j is left out with a warning that does not repeat it', (name, value) => {
    const { warnings, http, parent } = lineageSettings({ [name]: value })
    expect([http, parent]).toEqual([null, null])
    expect(warnings).toEqual([expect.stringMatching(new RegExp(`^${name} .+ is ignored$`))])
    expect(warnings[0]).not.toContain('secret')
  })

  test.each([
    ['http://host:5000', undefined, 'http://host:5000/api/v1/lineage'],
    ['https://host/prefix/', undefined, 'https://host/prefix/api/v1/lineage'],
    ['https://host', '/lineage?tenant=1', 'https://host/lineage?tenant=1'],
  ])('%s and %s are %s', (url, endpoint, whole) => {
    const env = { OPENLINEAGE_URL: url, ...(endpoint === undefined ? {} : { OPENLINEAGE_ENDPOINT: endpoint }) }
    expect(lineageSettings(env).http?.url.href).toBe(whole)
  })
})

test('the run that joins shards starts after them, and names their runs and jobs', async () => {
  const service = await taker()
  const options = here.options({ OPENLINEAGE_URL: service.url })
  for (const shard of ['1/2', '2/2'] as const) await run(here.pipeline(), { ...options, shard })
  const shards = service.events.filter(({ eventType }) => eventType === 'START')
  const { metadata } = await merge([here.pipeline().name], options)
  const [shardEnd, start] = service.events.slice(-3)
  expect(shardEnd!.eventTime <= start!.eventTime).toBe(true)
  expect(start).toMatchObject({ eventType: 'START', run: { runId: makeUuid(metadata.runId) } })
  expect(start?.run.facets.jobDependencies?.upstream).toEqual(
    shards.map(({ run, job }) => ({ run: { runId: run.runId }, job: { namespace: job.namespace, name: job.name } })),
  )
  expect(service.events.flatMap(faultsOf)).toEqual([])
})
