/** The methods made from the table of operations: inputs, typed replies, lists over their pages. */
import fc from 'fast-check'
import { describe, expect, expectTypeOf, test } from 'vitest'
import { listPages } from '../../../src/client/api/pages.ts'
import { type JobRecord, OPERATIONS, type Operation } from '../../../src/contract/index.ts'
import { clientOf, fault, JOBS, reset, serveScript } from './kit.ts'

const job = (id: string, more: object = {}): object => ({ id, name: `job ${id}`, status: 'created', ...more })

describe('a method of every operation', () => {
  test('is there, and lists can be gone through', async () => {
    const { api } = clientOf(await serveScript({}))
    for (const [name, { pages }] of Object.entries(OPERATIONS) as [string, Operation][]) {
      if (name === 'authenticate') continue
      expect(typeof Reflect.get(api, name), name).toBe('function')
      expect('all' in Reflect.get(api, name), name).toBe(pages !== undefined)
    }
    expect('authenticate' in api).toBe(false)
  })

  test('fills in the path, writes the query as text and sends the body', async () => {
    const server = await serveScript({
      [`GET ${JOBS}`]: [{ json: [job('1')] }],
      [`PUT ${JOBS}/a%2Fb/mappings`]: [{ json: [{ mapping: 'name', value: '0', extra: 1 }] }],
    })
    const { api } = clientOf(server)
    const jobs = await api.listJobs({ query: { page: 2, archived: false, countries: 'GB', jobName: 'ä & b' } })
    expect(jobs).toEqual([job('1')])
    expectTypeOf(jobs).toEqualTypeOf<JobRecord[]>()
    expect(Object.fromEntries(server.of(`GET ${JOBS}`)[0]!.query)).toEqual({
      page: '2',
      archived: 'false',
      countries: 'GB',
      jobName: 'ä & b',
    })
    // Unknown fields of an answer are kept.
    const mapped = await api.setMappings({ id: 'a/b', body: { mappings: [{ mapping: 'name', value: '0' }] } })
    expect(mapped).toEqual([{ mapping: 'name', value: '0', extra: 1 }])
    expect(JSON.parse(server.of(`PUT ${JOBS}/a%2Fb/mappings`)[0]!.body.toString())).toEqual({
      mappings: [{ mapping: 'name', value: '0' }],
    })
  })

  test('returns status and headers with the reply, from a single request', async () => {
    const server = await serveScript({ [`GET ${JOBS}/7`]: [{ json: job('7'), headers: { 'x-correlation-id': 'c7' } }] })
    const answer = clientOf(server).api.readJob({ id: '7' })
    const { data, status, correlationId, header } = await answer.withResponse()
    expect([data.id, status, correlationId, header('content-type'), header('x-none')]).toEqual([
      '7',
      200,
      'c7',
      'application/json',
      null,
    ])
    expect(await answer).toBe(data)
    expect(server.of(`GET ${JOBS}/7`)).toHaveLength(1)
  })

  test('repeats what may be repeated, and nothing that may have happened', async () => {
    const server = await serveScript({
      [`GET ${JOBS}/7`]: [reset, { json: job('7') }],
      [`POST ${JOBS}`]: [reset, { json: job('8') }],
    })
    const { api } = clientOf(server)
    expect((await api.readJob({ id: '7' })).id).toBe('7')
    await expect(api.createJob({ body: { name: 'a' } }, { idempotencyKey: 'key-1' })).rejects.toMatchObject({
      code: 'FETTLE_UNANSWERED',
      unanswered: true,
    })
    expect(server.of(`POST ${JOBS}`).map(({ headers }) => headers['idempotency-key'])).toEqual(['key-1'])
  })

  test('throws an error with its kind to every waiting caller', async () => {
    const server = await serveScript({ [`GET ${JOBS}/7`]: [fault(404)] })
    const answer = clientOf(server).api.readJob({ id: '7' })
    await expect(answer).rejects.toMatchObject({ kind: 'rejected', status: 404, correlationId: 'c-404' })
    await expect(answer.withResponse()).rejects.toMatchObject({ code: 'FETTLE_NOT_FOUND' })
  })

  test('what does not fit the interface is not sent', async () => {
    const server = await serveScript({})
    const { api } = clientOf(server)
    // @ts-expect-error an id is needed
    await expect(api.readJob({ id: undefined }, {})).rejects.toThrow()
    // @ts-expect-error there is no such mapping
    const wrong = api.setMappings({ id: '1', body: { mappings: [{ mapping: 'nane', value: '0' }] } })
    await expect(wrong).rejects.toMatchObject({ code: 'FETTLE_USAGE' })
    await expect(api.listJobs({ query: { page: 0 } })).rejects.toMatchObject({ code: 'FETTLE_USAGE' })
    expect(server.seen).toEqual([])
  })

  test('only the largest sizes that the interface states are checked', async () => {
    const server = await serveScript({ [`GET ${JOBS}`]: [{ json: [] }] })
    const { api } = clientOf(server)
    expect(await api.listJobs({ query: { pageSize: 5_000 } })).toEqual([])
    const body = { name: 'x'.repeat(201), threshold: 80, datasets: ['SAN'] } as const
    await expect(api.createBusinessSearch({ body: { ...body, datasets: ['SAN'] } })).rejects.toMatchObject({
      code: 'FETTLE_USAGE',
    })
    expect(server.seen.map(({ query }) => query.get('pageSize'))).toContain('5000')
    expect(server.seen.some(({ path }) => path.includes('searches'))).toBe(false)
  })

  test('a form takes its file and its fields', async () => {
    const server = await serveScript({ [`POST ${JOBS}/7/upload`]: [{ json: { id: 'f' } }] })
    const bytes = Buffer.from('name\nAcme\n')
    const file = {
      filename: 'a.csv',
      bytes: bytes.length,
      async *open() {
        yield bytes
      },
    }
    expect(await clientOf(server).api.upload({ id: '7', file, fields: { hasHeader: 'true' } })).toEqual({ id: 'f' })
    const sent = server.of(`POST ${JOBS}/7/upload`)[0]!.body.toString()
    expect(sent).toMatch(/name="hasHeader"\r\n\r\ntrue\r\n[\s\S]*name="jobFile"; filename="a\.csv"[\s\S]*name\nAcme\n/)
  })
})

describe('a list', () => {
  test('is gone through page by page, or taken up to a limit', async () => {
    const pages = [[job('1'), job('2')], [job('3'), job('4')], [job('5')]]
    const server = await serveScript({ [`GET ${JOBS}`]: pages.map(json => ({ json })) })
    const { api } = clientOf(server)
    const ids: string[] = []
    for await (const one of api.listJobs.all({ query: { pageSize: 2 } })) ids.push(one.id)
    expect(ids).toEqual(['1', '2', '3', '4', '5'])
    expect(server.of(`GET ${JOBS}`).map(({ query }) => query.get('page'))).toEqual(['1', '2', '3'])
  })

  test('no more pages are asked for than the limit needs', async () => {
    const server = await serveScript({ [`GET ${JOBS}`]: [{ json: [job('1'), job('2')] }] })
    expect(await clientOf(server).api.listJobs.all().toArray({ limit: 2 })).toHaveLength(2)
    expect(server.of(`GET ${JOBS}`)).toHaveLength(1)
  })

  /** A service that has `count` items and answers in one of the ways of contract §2.3; asked beyond the end it answers empty. */
  const service = (how: 'bare' | 'total' | 'paging', count: number, most: number, first: 0 | 1) => {
    let asked = 0
    const ask = async ({ page, pageSize }: Readonly<Record<string, unknown>>): Promise<unknown> => {
      asked++
      const size = Math.min(Number(pageSize ?? most), most)
      const from = (Number(page) - first) * size
      const items = Array.from({ length: Math.max(0, Math.min(size, count - from)) }, (_, n) => from + n)
      const next = from + size < count ? Number(page) + 1 : null
      if (how === 'bare') return items
      return how === 'total' ? { items, totalSize: count } : { data: { portfolios: items }, paging: { next, last: 9 } }
    }
    return { ask, asked: () => asked }
  }
  const ITEMS = { bare: null, total: 'items', paging: 'data.portfolios' } as const

  test('returns all items in order for every kind of paging and any page size', async () => {
    const how = fc.constantFrom('bare' as const, 'total' as const, 'paging' as const)
    const base = fc.constantFrom(0 as const, 1 as const)
    const numbers = [fc.nat(40), fc.integer({ min: 1, max: 9 }), fc.option(fc.integer({ min: 1, max: 12 }))] as const
    await fc.assert(
      fc.asyncProperty(how, base, ...numbers, async (way, first, count, most, pageSize) => {
        const { ask, asked } = service(way, count, most, first)
        const found: unknown[] = []
        const pages = listPages({ first, items: ITEMS[way] }, pageSize === null ? {} : { pageSize }, ask)
        for await (const one of pages) found.push(one)
        expect(found).toEqual(Array.from({ length: count }, (_, n) => n))
        expect(asked()).toBeLessThanOrEqual(Math.ceil(count / Math.min(pageSize ?? most, most)) + 1)
      }),
    )
  })

  test('that gives the same page again and again has an end', async () => {
    const pages = listPages({ first: 1, items: null }, {}, async () => [1, 2, 3])
    expect(await pages.toArray({ limit: 100 })).toEqual([1, 2, 3])
  })

  test('that gives the same page again, though more should follow, is not the whole list', async () => {
    const items = Array.from({ length: 100 }, (_, id) => ({ id }))
    const pages = listPages({ first: 0, items: 'items' }, {}, async () => ({ items, totalSize: 500 }))
    await expect(pages.toArray({ limit: 1_000 })).rejects.toMatchObject({
      code: 'FETTLE_CONTRACT',
      message: expect.stringContaining('page 1 of the list is the page before'),
    })
  })
})
