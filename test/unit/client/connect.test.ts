import { expect, test } from 'vitest'
import type { Client } from '../../../src/client/index.ts'
import type { Service } from '../../../src/run/ports.ts'
import { type Answer, clientOf, errorOf, JOBS, job, serveScript } from './kit.ts'

const LIST = `GET ${JOBS}`

test('the client fits the port of the run', async () => {
  const client: Client = clientOf(await serveScript({}))
  const service: Service = client
  expect(Object.keys(service)).toEqual(expect.arrayContaining(['createJob', 'upload', 'submit', 'enrich']))
  expect(client.takeCounts()).toEqual({ requests: 0, retries: 0, throttledMs: 0 })
})

/** Serves these jobs in pages as the contract has it. */
const paged =
  (jobs: readonly object[]): Answer =>
  (_, response, seen) => {
    const page = Number(seen.query.get('page'))
    const size = Number(seen.query.get('pageSize'))
    response.setHeader('content-type', 'application/json').end(JSON.stringify(jobs.slice((page - 1) * size, page * size)))
  }

test('jobs of exactly this name are found over pages, oldest first', async () => {
  const named = (id: string, createdAt: string, name = 'run-1') => job(id, { name, createdAt })
  const others = Array.from({ length: 120 }, (_, n) => named(`x${n}`, '2025-01-01T00:00:00', `run-1${n}`))
  const jobs = [
    named('b', '2025-02-07T14:07:10.8766667'),
    ...others,
    named('a', '2025-02-07 14:07:09'),
    named('c', '2025-02-08T00:00:00'),
  ]
  const server = await serveScript({ [LIST]: [paged(jobs)] })
  const found = await clientOf(server).findJobs('run-1')
  expect(found.map(one => one.id)).toEqual(['a', 'b', 'c'])
  expect(server.of(LIST).map(one => Object.fromEntries(one.query))).toEqual(
    [1, 2, 3].map(page => ({ jobName: 'run-1', page: `${page}`, pageSize: '50' })),
  )
})

test('a service that ignores paging is not asked for ever', async () => {
  const fifty = Array.from({ length: 50 }, (_, n) => job(`${n}`))
  const server = await serveScript({ [LIST]: [{ json: fifty }] })
  expect(await clientOf(server).findJobs('run-1')).toHaveLength(50)
  expect(server.of(LIST)).toHaveLength(2)
})

test('a list without end is off the contract', async () => {
  let next = 0
  const endless: Answer = (_, response) =>
    void response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify(Array.from({ length: 50 }, () => job(`${next++}`))))
  const server = await serveScript({ [LIST]: [endless] })
  expect(await errorOf(clientOf(server).findJobs('run-1'))).toMatchObject({ code: 'FETTLE_CONTRACT' })
})

test('nothing found is an empty list', async () => {
  expect(await clientOf(await serveScript({ [LIST]: [{ json: [] }] })).findJobs('run-1')).toEqual([])
})

test('unknown fields of an answer are kept, the other operations answer as documented', async () => {
  const server = await serveScript({
    [`GET ${JOBS}/7`]: [{ json: job('7', { surprise: { deep: [1] } }) }],
    [`POST ${JOBS}/7/archive`]: [{ json: job('7', { archived: true }) }],
    [`GET ${JOBS}/7/enrichedFile`]: [{ json: { filePath: 'https://h/f' } }],
    [`PUT ${JOBS}/7/mappings`]: [{ json: [] }],
    [`PUT ${JOBS}/7/enrichments`]: [{ json: {} }],
    [LIST]: [{ json: [job('7')] }],
  })
  const client = clientOf(server)
  expect(await client.readJob('7')).toMatchObject({ surprise: { deep: [1] } })
  expect((await client.archive('7')).archived).toBe(true)
  expect((await client.enrichedFile('7')).filePath).toBe('https://h/f')
  expect(await client.listJobs({ archived: false, pageSize: 3 })).toHaveLength(1)
  await client.setMappings('7', [{ mapping: 'name', value: '0' }])
  await client.setEnrichments('7', ['general.pattern'])
  const bodyOf = (route: string) => JSON.parse(String(server.of(route)[0]?.body))
  expect(bodyOf(`PUT ${JOBS}/7/mappings`)).toEqual({ mappings: [{ mapping: 'name', value: '0' }] })
  expect(bodyOf(`PUT ${JOBS}/7/enrichments`)).toEqual({ enrichments: [{ enrichment: 'general.pattern' }] })
  expect(bodyOf(`POST ${JOBS}/7/archive`)).toEqual({})
  expect(server.of(`POST ${JOBS}/7/archive`)[0]?.headers['content-type']).toBe('application/json')
  expect(Object.fromEntries(server.of(LIST)[0]?.query ?? [])).toEqual({ archived: 'false', pageSize: '3' })
})

test('the rate of the service is kept, retries and logins included', async () => {
  const server = await serveScript({ [`GET ${JOBS}/7`]: [{ json: job('7') }] })
  const client = clientOf(server, { rate: { requests: 2, perMs: 1000 } })
  for (let n = 0; n < 5; n++) await client.readJob('7')
  expect(client.clock.sleeps).toEqual([1000, 1000])
})
