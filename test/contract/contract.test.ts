/** The contract over HTTP: runs against the embedded service, or against a service named by the environment. */
import { parse } from 'csv-parse/sync'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { JOB_STATUSES, OPERATIONS, type OperationName, parseWireDate, TAGS } from '../../src/contract/index.ts'
import { type Answer, type Call, caller } from './call.ts'
import { openTarget, type Target } from './target.ts'

const UNKNOWN = '00000000-0000-4000-8000-000000000000'
const CSV = [
  'Supplier,Country,Reg No,Note',
  'Northgate Fasteners Ltd,GB,01234567,"first, quoted"',
  'Bakery Lumiere,FR,552100554,',
  'NORTHGATE FASTENERS LIMITED,United Kingdom,01234567,again',
  'Nobody Knows Us GmbH,DE,,',
].join('\n')
const MAPPINGS = [
  { mapping: 'name', value: '0' },
  { mapping: 'country', value: '1' },
  { mapping: 'orgNumber', value: '2' },
]
const TAGS_WANTED = ['general.connectId', 'general.companyName', 'general.rowNumber', 'contact.city']

let target: Target
let call: Call

beforeAll(async () => {
  target = await openTarget()
  const { username, password } = target
  const login = await caller(target, null)('authenticate', { body: { username, password } })
  expect(login.status).toBe(200)
  call = caller(target, login.body.token)
})

afterAll(() => target?.close())

const name = (): string => `contract ${crypto.randomUUID()}`
const create = async (): Promise<string> => (await call('createJob', { body: { name: name() } })).body.id

const form = (csv = CSV, hasHeader = 'true', first: 'file' | 'field' = 'file'): FormData => {
  const data = new FormData()
  if (first === 'field') data.append('hasHeader', hasHeader)
  data.append('jobFile', new Blob([csv], { type: 'text/csv' }), 'suppliers.csv')
  if (first === 'file') data.append('hasHeader', hasHeader)
  return data
}

/** Reads the job until a status, noting each one seen; a status that ends in Error ends the wait. */
async function reach(id: string, status: string, seen: string[] = []): Promise<Answer> {
  for (;;) {
    const reply = await call('readJob', { id })
    const present: string = reply.body.status
    if (seen.at(-1) !== present) seen.push(present)
    if (present === status || present.endsWith('Error')) {
      expect(present).toBe(status)
      return reply
    }
    await target.pause()
  }
}

describe('login', () => {
  test('a wrong password is 401 with a message', async () => {
    const body = { username: target.username, password: `${target.password}?` }
    expect((await caller(target, null)('authenticate', { body })).status).toBe(401)
  })

  test.each([[{}], [{ username: 'x' }]])('the body %j is refused', async body => {
    expect([400, 401]).toContain((await caller(target, null)('authenticate', { body })).status)
  })

  test.each(Object.keys(OPERATIONS).filter(one => one !== 'authenticate') as OperationName[])(
    '%s needs a token that is ours',
    async one => {
      for (const token of [null, 'garbage', `${UNKNOWN}.a.b`]) {
        const given =
          OPERATIONS[one].request === 'multipart' ? { form: form() } : OPERATIONS[one].request === null ? {} : { body: {} }
        const names = [...OPERATIONS[one].path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
        const params = Object.fromEntries(names.map(name => [name, UNKNOWN]))
        expect((await call(one, { params, token, ...given })).status).toBe(401)
      }
    },
  )

  test('several tokens are valid at the same time', async () => {
    const { username, password } = target
    const second = await caller(target, null)('authenticate', { body: { username, password } })
    expect((await call('listJobs', { token: second.body.token })).status).toBe(200)
    expect((await call('listJobs')).status).toBe(200)
  })
})

describe('jobs', () => {
  test('create returns the record, read returns it again, the list finds it by name', async () => {
    const wanted = name()
    const created = await call('createJob', { body: { name: wanted } })
    expect(created.body).toMatchObject({ name: wanted, status: 'created', archived: false })
    if (!target.isRemote) expect(created.body.source).toBe(target.play.source)
    expect(parseWireDate(created.body.createdAt)).toBeGreaterThan(0)
    const read = await call('readJob', { id: created.body.id })
    expect(read.body).toMatchObject({ id: created.body.id, name: wanted, status: 'created' })
    expect(read.body.modifiedAT ?? read.body.modifiedAt).toBeDefined()
    const list = await call('listJobs', { query: { jobName: wanted } })
    expect(list.body.map((one: { id: string }) => one.id)).toContain(created.body.id)
  })

  test('the list is paged, and no job is on two pages', async () => {
    for (let n = 0; n < 4; n++) await create()
    const pages = await Promise.all(['1', '2'].map(page => call('listJobs', { query: { page, pageSize: '2' } })))
    const ids = pages.flatMap(page => page.body.map((one: { id: string }) => one.id))
    expect(ids).toHaveLength(4)
    expect(new Set(ids).size).toBe(4)
  })

  test.each([[{}], [{ name: '' }], [{ name: 7 }]])('create with %j is 400', async body => {
    expect((await call('createJob', { body })).status).toBe(400)
  })

  test('an unknown id is 404 everywhere', async () => {
    const given: [OperationName, object][] = [
      ['readJob', {}],
      ['upload', { form: form() }],
      ['setMappings', { body: { mappings: MAPPINGS } }],
      ['submit', { body: {} }],
      ['setEnrichments', { body: { enrichments: [{ enrichment: 'general.connectId' }] } }],
      ['enrich', { body: {} }],
      ['enrichedFile', { query: { fileType: 'csv' } }],
      ['archive', { body: {} }],
    ]
    for (const [one, more] of given) expect((await call(one, { id: UNKNOWN, ...more })).status).toBe(404)
  })

  test('archive marks the job and keeps its status', async () => {
    const id = await create()
    expect((await call('archive', { id, body: {} })).body).toMatchObject({ id, status: 'created', archived: true })
    expect((await call('readJob', { id })).body.archived).toBe(true)
  })
})

describe('upload and mappings', () => {
  test.each(['file', 'field'] as const)('the file is accepted with the %s first', async first => {
    const id = await create()
    const { body } = await call('upload', { id, form: form(CSV, 'true', first) })
    expect(body).toMatchObject({ sourceFilename: 'suppliers.csv', hasHeader: true, status: 'uploaded' })
    expect(body.id).not.toBe(id)
    expect((await reach(id, 'uploaded')).body.id).toBe(id)
  })

  test('without its file an upload is 400', async () => {
    const data = new FormData()
    data.append('hasHeader', 'true')
    expect((await call('upload', { id: await create(), form: data })).status).toBe(400)
  })

  test('mappings are echoed as a bare list, replaced by the next, and make the job ready', async () => {
    const id = await create()
    await call('upload', { id, form: form() })
    expect((await call('setMappings', { id, body: { mappings: MAPPINGS } })).body).toEqual(MAPPINGS)
    const fewer = MAPPINGS.slice(0, 1)
    expect((await call('setMappings', { id, body: { mappings: fewer } })).body).toEqual(fewer)
    await reach(id, 'ready')
  })

  test('invalid mappings are 400', async () => {
    const id = await create()
    expect((await call('setMappings', { id, body: { mappings: MAPPINGS } })).status).toBe(400)
    await call('upload', { id, form: form() })
    expect((await call('setMappings', { id, body: { mappings: [{ mapping: 'noSuchName', value: '0' }] } })).status).toBe(400)
    expect((await call('setMappings', { id, body: {} })).status).toBe(400)
  })
})

describe('the statuses of a job', () => {
  test('from created to the enriched file, forwards only, every row accounted for', async () => {
    const id = await create()
    const seen: string[] = []
    expect((await call('submit', { id, body: {} })).status).toBe(400)
    await call('upload', { id, form: form() })
    await call('setMappings', { id, body: { mappings: MAPPINGS } })
    await reach(id, 'ready', seen)
    const early = await call('enrichedFile', { id, query: { fileType: 'csv' } })
    expect([400, 404]).toContain(early.status)

    expect((await call('submit', { id, body: {} })).status).toBe(200)
    const matched = await reach(id, 'jobMatchingComplete', seen)
    expect((await call('submit', { id, body: {} })).status).toBe(400)
    expect((await call('upload', { id, form: form() })).status).toBe(400)

    const enrichments = TAGS_WANTED.map(enrichment => ({ enrichment }))
    expect((await call('setEnrichments', { id, body: { enrichments } })).body).toMatchObject({ enrichments })
    const odd = [{ enrichment: 'general.noSuchTag' }]
    expect((await call('setEnrichments', { id, body: { enrichments: odd } })).status).toBe(400)
    expect((await call('enrich', { id, body: {} })).status).toBe(200)
    const done = await reach(id, 'enrichmentComplete', seen)

    // The service's own order of the statuses; those of errors and portfolios are not on this road.
    const known = JOB_STATUSES.filter(one => !/Error$|Portfolio/.test(one))
    const order = seen.map(one => known.indexOf(one as never))
    expect(order).not.toContain(-1)
    expect(order).toEqual([...order].sort((a, b) => a - b))

    const summary = done.body.jobSummary ?? matched.body.jobSummary
    expect(summary.totalRows).toBe(4)
    const parts = summary.matched + summary.manualMatched + summary.unmatched
    expect([parts, parts + summary.duplicates]).toContain(4)
    // How many match is the register's affair; the embedded service's own counts are told exactly below.
    expect(['basic', 'basicPlus', 'standard']).toContain(done.body.jobEnrichmentSettings.creditType)

    const link = await call('enrichedFile', { id, query: { fileType: 'csv' } })
    const file = await fetch(new URL(link.body.filePath, target.url))
    expect(file.status).toBe(200)
    const [header = [], ...rows] = parse(await file.text(), { bom: true }) as string[][]
    expect(header.slice(0, 4)).toEqual(['Supplier', 'Country', 'Reg No', 'Note'])
    for (const tag of TAGS_WANTED) expect(header).toContain(tag)
    expect(rows.map(row => row.slice(0, 4))).toEqual((parse(CSV) as string[][]).slice(1))
    if (target.isRemote) return

    const column = (of: string): string[] => rows.map(row => row[header.indexOf(of)] ?? '')
    expect(column('general.connectId')).toEqual(['GB-X-01234567', 'FR-X-552100554', 'GB-X-01234567', ''])
    expect(column('general.rowNumber')).toEqual(['1', '2', '3', '4'])
    expect(header.some(name => name.startsWith('match.'))).toBe(target.play.matchColumns)
    if (target.play.matchColumns) {
      expect(column('match.outcome')).toEqual(['matched', 'matched', 'duplicate', 'unmatched'])
      for (const score of column('match.score')) expect(score).toMatch(/^(0\.\d{3}|1\.000)$/)
    }
    expect(summary).toMatchObject({ matched: 2, manualMatched: 0, unmatched: 1, duplicates: 1 })
    expect(seen).toContain('matched')
  })

  test('enrich before jobMatchingComplete does not start', async context => {
    if (target.isRemote) context.skip('whether 200 or 400 is answered is not documented')
    const id = await create()
    await call('upload', { id, form: form() })
    const refused = await call('enrich', { id, body: {} })
    expect(refused.status).toBe(400)
    expect(refused.body.details).toBe('status is uploaded; needed is jobMatchingComplete')
  })
})

test('the smallest product has the tags that this suite requests', () => {
  for (const tag of TAGS_WANTED) expect(TAGS.basic).toContain(tag)
})
