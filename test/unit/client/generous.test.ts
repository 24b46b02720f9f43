/** Answers are read generously: optional fields that are null, missing, of another type or unknown never lose an answer. */
import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type ConnectOptions, connect, createShared } from '../../../src/client/index.ts'
import * as contract from '../../../src/contract/index.ts'
import { COMPANY_SCHEMAS } from '../../contract/schemas/companies.ts'
import { runs } from '../../support/runs.ts'
import { createVirtualClock, serveScript, uploadOf } from './kit.ts'

const { OPERATIONS } = contract
type Name = Exclude<contract.OperationName, 'authenticate'>
type Path = readonly (string | number)[]
type Json = Record<string | number, unknown>

const FOLDER = new URL('../../contract/schemas/valid/', import.meta.url)
const FILES = readdirSync(FOLDER)
const SCHEMAS: Readonly<Record<string, unknown>> = {
  ...contract,
  ...COMPANY_SCHEMAS,
  jobList: OPERATIONS.listJobs.reply,
  jobsQuery: OPERATIONS.listJobs.query,
  ...{ fileQuery: OPERATIONS.enrichedFile.query, searchesQuery: OPERATIONS.listBusinessSearches.query },
  hitsQuery: OPERATIONS.listBusinessHits.query,
  runDecisionQuery: OPERATIONS.runDecision.query,
}

/** The valid examples of a schema. */
function examplesOf(schema: unknown): unknown[] {
  const name = Object.keys(SCHEMAS).find(key => SCHEMAS[key] === schema)
  return FILES.filter(file => file.split('.')[0] === name).map(file => JSON.parse(readFileSync(new URL(file, FOLDER), 'utf8')))
}

const at = (root: unknown, path: Path): unknown => path.reduce<unknown>((inner, key) => (inner as Json | null)?.[key], root)

function put(root: unknown, path: Path, value: unknown): void {
  const parent = at(root, path.slice(0, -1)) as Json
  const key = path.at(-1)!
  if (value === undefined) delete parent[key]
  else parent[key] = value
}

function* fieldsIn(value: unknown, path: Path = []): Generator<Path> {
  if (typeof value !== 'object' || value === null) return
  for (const key of Object.keys(value)) {
    const inner = [...path, Array.isArray(value) ? Number(key) : key]
    if (!Array.isArray(value)) yield inner
    yield* fieldsIn((value as Json)[key], inner)
  }
}

/** A field that need not be there, and what may stand in its place. */
interface Field {
  readonly path: Path
  readonly value: unknown
  /** A value that no one can read there; undefined where anything is accepted. */
  readonly wrong: unknown
  /** The same value in a neighbouring type; undefined where there is none. */
  readonly neighbour: unknown
}

function optionalFields(schema: contract.Operation['reply'], valid: unknown): Field[] {
  const answer = structuredClone(valid)
  return [...fieldsIn(valid)].flatMap(path => {
    const value = at(valid, path)
    const accepts = (other: unknown): boolean => {
      put(answer, path, other)
      const { success } = schema!.safeParse(answer)
      put(answer, path, value)
      return success
    }
    if (!accepts(undefined)) return []
    const wrong = typeof value === 'object' && value !== null && !Array.isArray(value) ? 'odd' : { odd: 1 }
    const neighbour = typeof value === 'number' ? String(value) : typeof value === 'boolean' ? Number(value) : undefined
    const refused = (one: unknown): unknown => (one === undefined || accepts(one) ? undefined : one)
    return [{ path, value, wrong: refused(wrong), neighbour: refused(neighbour) }]
  })
}

const withoutNulls = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), function (this: unknown, _, one) {
    return one === null && !Array.isArray(this) ? undefined : one
  })

/** Calls any operation with its first examples as input. */
const NAMES = (Object.keys(OPERATIONS) as Name[]).filter(name => (name as string) !== 'authenticate' && OPERATIONS[name].reply)

const INPUTS = new Map<Name, object>()

function inputOf(name: Name): object {
  const known = INPUTS.get(name)
  if (known !== undefined) return known
  const { path, query, request }: contract.Operation = OPERATIONS[name]
  const params = Object.fromEntries([...path.matchAll(/\{(\w+)\}/g)].map(([, word]) => [word, 'a1']))
  const input = {
    ...params,
    ...(query === null ? {} : { query: examplesOf(query)[0] ?? {} }),
    ...(request === 'multipart' ? { file: uploadOf(Buffer.from('a\n')).file, fields: { hasHeader: 'true' } } : {}),
    ...(request === null || request === 'multipart' ? {} : { body: examplesOf(request)[0] ?? {} }),
  }
  INPUTS.set(name, input)
  return input
}

async function openAnswering() {
  const answer: { json: unknown; status: number } = { json: {}, status: 200 }
  const dropped: string[] = []
  const play = (_: unknown, response: import('node:http').ServerResponse): void => {
    const { status, json } = answer
    response.writeHead(status, { 'content-type': 'application/json' }).end(status === 204 ? '' : JSON.stringify(json))
  }
  const routes = NAMES.map(name => `${OPERATIONS[name].method} ${contract.pathOf(OPERATIONS[name], ALL_A1)}`)
  const server = await serveScript(Object.fromEntries(routes.map(route => [route, [play]])))
  const clock = createVirtualClock()
  const shared = createShared(clock)
  const call = async (name: Name, json: unknown, status = 200): Promise<unknown> => {
    Object.assign(answer, { json, status })
    dropped.length = 0
    // A client reports what it leaves out once.
    const onDropped: ConnectOptions['onDropped'] = ({ operation, path }) => dropped.push(`${operation} ${path}`)
    const client = connect({ url: server.url, username: 'user', password: 'canary-password', clock, shared, onDropped })
    const method = client.api[name] as unknown as (input: object) => Promise<unknown>
    return method(inputOf(name)).finally(() => client.close())
  }
  return { call, dropped }
}

const ALL_A1 = new Proxy({}, { get: () => 'a1' }) as Record<string, string>

describe('every operation', () => {
  const mutations = ['null', 'missing', 'wrong', 'neighbour'] as const

  test('returns the same for any values of the optional fields of its answer', async () => {
    const { call, dropped } = await openAnswering()
    let cases = 0
    for (const name of NAMES)
      for (const valid of examplesOf(OPERATIONS[name].reply)) {
        const fields = optionalFields(OPERATIONS[name].reply, valid)
        const objects = [[], ...[...fieldsIn(valid)]].filter(path => {
          const value = at(valid, path)
          return typeof value === 'object' && value !== null && !Array.isArray(value)
        })
        const mutation = fc.record({ field: fc.constantFrom(...fields, null), how: fc.constantFrom(...mutations) })
        const drawn = fc.record({
          changes: fc.array(mutation, { minLength: 1, maxLength: 12 }),
          unknown: fc.subarray(objects, { maxLength: Math.min(3, objects.length) }),
        })
        const property = fc.asyncProperty(drawn, async ({ changes, unknown }) => {
          const sent = structuredClone(valid)
          const expected = structuredClone(valid)
          const left = new Set<string>()
          const done: Path[] = []
          for (const { field, how } of changes) {
            if (field === null) continue
            const { path } = field
            // One change to a field, and none within another.
            if (
              done.some(one => one.every((key, depth) => key === path[depth]) || path.every((key, depth) => key === one[depth]))
            )
              continue
            const other = how === 'wrong' || how === 'neighbour' ? field[how] : how === 'null' ? null : undefined
            if (other === undefined && how !== 'missing') continue
            done.push(path)
            put(sent, path, other)
            if (how !== 'neighbour') put(expected, path, undefined)
            if (how === 'wrong')
              left.add(`${name} ${path.map((key, n) => (typeof key === 'number' ? '[]' : n === 0 ? key : `.${key}`)).join('')}`)
          }
          for (const path of unknown) {
            if (done.some(one => one.every((key, depth) => key === path[depth]))) continue
            for (const one of [sent, expected]) put(one, [...path, 'neverHeardOf'], { deep: [null] })
          }
          cases += 1
          expect(withoutNulls(await call(name, sent))).toEqual(withoutNulls(expected))
          expect(new Set(dropped)).toEqual(left)
        })
        await fc.assert(property, { numRuns: runs(2, 100) })
      }
    expect(cases).toBeGreaterThan(200)
  }, 600_000)
})

/** The items of the valid examples of a list, with the path of each. */
const LISTS = NAMES.flatMap(name => {
  const { pages, reply }: contract.Operation = OPERATIONS[name]
  if (pages === undefined) return []
  const to: Path = pages.items?.split('.') ?? []
  return examplesOf(reply).flatMap(valid => {
    const items = at(valid, to)
    return Array.isArray(items) && items.length > 0 ? [{ name, reply, valid, to, complete: pages.complete === true }] : []
  })
})

const pathText = (path: Path): string =>
  path.map((key, n) => (typeof key === 'number' ? '[]' : n === 0 ? key : `.${key}`)).join('')

describe('a part that is required', () => {
  test('is read from a number that is text, wherever it is in an answer', async () => {
    const { call, dropped } = await openAnswering()
    let cases = 0
    for (const name of NAMES)
      for (const valid of examplesOf(OPERATIONS[name].reply)) {
        const sent = structuredClone(valid)
        for (const path of fieldsIn(valid)) {
          const value = at(valid, path)
          put(sent, path, typeof value === 'number' ? String(value) : value)
          // A text may stay a text.
          if (typeof value === 'number' && OPERATIONS[name].reply!.safeParse(sent).success) put(sent, path, value)
          else if (typeof value === 'number') cases += 1
        }
        const answer = await call(name, sent)
        for (const path of fieldsIn(valid))
          if (typeof at(valid, path) === 'number')
            expect(Number(at(answer, path)), `${name} ${pathText(path)}`).toBe(at(valid, path))
        expect(dropped).toEqual([])
      }
    expect(cases).toBeGreaterThan(50)
  })

  test('of one item never loses the page: the item is kept without it, or left out without its id, and named', async () => {
    const { call, dropped } = await openAnswering()
    let cases = 0
    for (const { name, reply, valid, to, complete } of LISTS) {
      const [item] = at(valid, to) as Json[]
      const required = Object.keys(item!).filter(key => {
        const sent = structuredClone(valid)
        put(sent, [...to, 0, key], undefined)
        return !reply!.safeParse(sent).success
      })
      for (const key of required)
        for (const odd of [null, undefined, typeof item![key] === 'object' ? 7 : { odd: 1 }]) {
          const sent = structuredClone(valid)
          const items = at(sent, to) as Json[]
          items.push(structuredClone(item!))
          const expected = structuredClone(sent)
          put(sent, [...to, 0, key], odd)
          const isId = /^id$|Id$/.test(key)
          cases += 1
          if (isId && complete) {
            await expect(call(name, sent), `${name} ${key}`).rejects.toMatchObject({ code: 'FETTLE_CONTRACT' })
            continue
          }
          if (isId) (at(expected, to) as Json[]).shift()
          else put(expected, [...to, 0, key], undefined)
          expect(withoutNulls(await call(name, sent)), `${name} ${key}`).toEqual(withoutNulls(expected))
          expect(dropped).toContain(`${name} ${pathText([...to, 0, key])}`)
        }
    }
    expect(cases).toBeGreaterThan(50)
  })

  test('an item that is not a record is left out and named, except where what is not in the list would be made again', async () => {
    const { call, dropped } = await openAnswering()
    for (const { name, valid, to, complete } of LISTS)
      for (const odd of [null, 7, 'text']) {
        const sent = structuredClone(valid)
        ;(at(sent, to) as unknown[]).splice(0, 0, odd)
        if (complete) await expect(call(name, sent)).rejects.toMatchObject({ code: 'FETTLE_CONTRACT' })
        else {
          expect(withoutNulls(await call(name, sent))).toEqual(withoutNulls(valid))
          expect(dropped).toEqual([`${name} ${pathText([...to, 0])}`])
        }
      }
    expect(NAMES.filter(name => (OPERATIONS[name] as contract.Operation).pages?.complete)).toEqual([
      ...['listJobs', 'listBusinessSearches', 'listIndividualSearches', 'listSchedules', 'listScheduleAlerts', 'listPortfolios'],
    ])
  })
})

describe('the client', () => {
  const job = { id: 'a1', name: 'n', status: 'matched' }
  const search = { id: 's', name: 'N', threshold: 85, datasets: ['SAN'], status: 'new' }
  const hit = { id: 'h', hitScore: 90, decision: 'undecided' }
  const notice = {
    company: { id: 'c', portfolioId: 1 },
    eventId: 1,
    notificationEventId: 2,
    eventDate: '2025-01-01',
    ruleCode: 101,
  }
  const notices = (more: object) => ({ totalCount: 1, data: [{ ...notice, ...more }] })
  const rule = { isActive: 1, ruleCode: 101 }
  const report = (more: object) => ({ correlationId: 'c', report: more })
  const PROFILE = 'amlResults'

  test.each<[string, Name, unknown, unknown, string[]]>([
    ['isProcessed 0', 'listNotificationEvents', notices({ isProcessed: 0 }), notices({ isProcessed: false }), []],
    ['isProcessed "true"', 'listNotificationEvents', notices({ isProcessed: 'true' }), notices({ isProcessed: true }), []],
    ['isProcessed null', 'listNotificationEvents', notices({ isProcessed: null }), notices({}), []],
    ['isProcessed absent', 'listNotificationEvents', notices({}), notices({}), []],
    ['ruleName null', 'listNotificationEvents', notices({ ruleName: null }), notices({}), []],
    [
      'a rule without names',
      'listEventRules',
      [{ ...rule, name: null, ruleType: null, ruleTypeName: '' }],
      [{ ...rule, ruleTypeName: '' }],
      [],
    ],
    ['a rule with a number for a name', 'listEventRules', [{ ...rule, name: 7 }], [{ ...rule, name: '7' }], []],
    [
      'a count null',
      'readJob',
      { ...job, jobSummary: { matched: null, totalRows: 2 } },
      { ...job, jobSummary: { totalRows: 2 } },
      [],
    ],
    ['a count as text', 'readJob', { ...job, jobSummary: { matched: '12' } }, { ...job, jobSummary: { matched: 12 } }, []],
    [
      'a count of words',
      'readJob',
      { ...job, jobSummary: { matched: 'some' } },
      { ...job, jobSummary: {} },
      ['jobSummary.matched'],
    ],
    [
      'a count below zero',
      'readJob',
      { ...job, jobSummary: { matched: -1 } },
      { ...job, jobSummary: {} },
      ['jobSummary.matched'],
    ],
    ['source null', 'readJob', { ...job, source: null }, job, []],
    ['a numeric portfolioId', 'readJob', { ...job, portfolioId: 5 }, { ...job, portfolioId: '5' }, []],
    ['a numeric id', 'readJob', { ...job, id: 51234 }, { ...job, id: '51234' }, []],
    ['archived 0', 'readJob', { ...job, archived: 0 }, { ...job, archived: false }, []],
    [
      'creditType null',
      'readJob',
      { ...job, jobEnrichmentSettings: { creditType: null } },
      { ...job, jobEnrichmentSettings: {} },
      [],
    ],
    ['createdBy null', 'readBusinessSearch', { ...search, createdBy: null, createdById: null }, search, []],
    ['createdById as text', 'readBusinessSearch', { ...search, createdById: '17' }, { ...search, createdById: 17 }, []],
    ['hit counts null', 'createBusinessSearch', { ...search, totalHitCount: null, undecidedHitsCount: null }, search, []],
    ['a section null', 'readReport', report({ creditScore: null, directors: null }), report({}), []],
    ['a section a text', 'readReport', report({ creditScore: 'n/a' }), report({}), ['report.creditScore']],
    ['an empty list for a section', 'readReport', report({ companySummary: [] }), report({}), []],
    [
      'null within a section',
      'readReport',
      report({ companySummary: { mainActivity: null, country: 'GB' } }),
      report({ companySummary: { country: 'GB' } }),
      [],
    ],
    [
      'a month',
      'readIndividualHit',
      { ...hit, datesOfBirth: ['1970-05', '1970'] },
      { ...hit, datesOfBirth: ['1970-05', '1970'] },
      [],
    ],
    [
      'a time of day',
      'readIndividualHit',
      { ...hit, datesOfDeath: ['1970-05-04T00:00:00Z'] },
      { ...hit, datesOfDeath: ['1970-05-04T00:00:00Z'] },
      [],
    ],
    [
      'null among dates',
      'readIndividualHit',
      { ...hit, datesOfBirth: [null, '1970-05'] },
      { ...hit, datesOfBirth: ['1970-05'] },
      [],
    ],
    ['a lone text for a list', 'readIndividualHit', { ...hit, countries: 'GB' }, { ...hit, countries: ['GB'] }, []],
    [
      'a result without a value',
      'readIndividualHit',
      { ...hit, [PROFILE]: { INS: [{ value: null }], SAN: [] } },
      { ...hit, [PROFILE]: { INS: [{}] } },
      [],
    ],
    [
      'an alias that is a number',
      'readIndividualHit',
      { ...hit, aliases: [7, { type: 'a' }] },
      { ...hit, aliases: [{ type: 'a' }] },
      ['aliases[]'],
    ],
    [
      'a match without an id',
      'matchCompanies',
      { totalMatches: 1, matchedCompanies: [{ id: null, matchScoreConfidence: 900 }] },
      { totalMatches: 1, matchedCompanies: [] },
      ['matchedCompanies[].id'],
    ],
  ])('%s', async (_, name, sent, expected, left) => {
    const { call, dropped } = await openAnswering()
    expect(withoutNulls(await call(name, sent))).toEqual(expected)
    expect(dropped).toEqual(left.map(path => `${name} ${path}`))
  })

  test('keeps the answer of a request that created or cost something when its id can be read, and no other', async () => {
    const { call, dropped } = await openAnswering()
    const unreadable = { id: 's', name: { odd: 1 }, threshold: 'high', datasets: null }
    expect(await call('createBusinessSearch', unreadable)).toEqual({ id: 's' })
    expect(dropped).toEqual(['createBusinessSearch name', 'createBusinessSearch threshold'])
    expect(await call('createJob', { id: 5, status: null })).toEqual({ id: '5' })
    expect(await call('createPortfolio', { portfolioId: '9' })).toEqual({ portfolioId: 9 })
    for (const [name, answer] of [
      ['createBusinessSearch', { id: null, name: 'N' }],
      ['createBusinessSearch', { id: {} }],
      ['createJob', { id: 2 ** 60 }],
      ['createJob', []],
    ] as const)
      await expect(call(name, answer), JSON.stringify(answer)).rejects.toMatchObject({ unanswered: true })
    // A read is asked for again at no cost.
    for (const lacking of [
      { id: 'a1', name: 'n' },
      { ...job, status: 5 },
    ])
      await expect(call('readJob', lacking)).rejects.toMatchObject({ code: 'FETTLE_CONTRACT' })
  })

  test('reads 204 as an empty list, and as a write that is done', async () => {
    const { call } = await openAnswering()
    expect(await call('listCompanyNotificationEvents', null, 204)).toEqual({ totalCount: 0, data: [] })
    expect(await call('listBusinessHits', null, 204)).toEqual({ totalSize: 0, items: [] })
    for (const name of ['changeCompany', 'addCompany', 'setMappings'] as const) await call(name, null, 204)
    for (const name of ['listJobs', 'listBusinessSearches', 'readJob'] as const)
      await expect(call(name, null, 204), name).rejects.toMatchObject({ code: 'FETTLE_CONTRACT' })
    await expect(call('createBusinessSearch', null, 204)).rejects.toMatchObject({ unanswered: true })
  })

  test.each<[Name, unknown]>([
    ['addCompany', { message: null }],
    ['changeCompany', {}],
    ['removeCompany', { message: { odd: 1 } }],
    ['clearCompanies', { message: null }],
    ['deletePortfolio', null],
    ['importCompanies', { status: null }],
    ['copyCompanies', { data: null }],
  ])('%s that succeeded is done, whatever its answer %j lacks', async (name, answer) => {
    const { call } = await openAnswering()
    await call(name, answer)
  })
})
