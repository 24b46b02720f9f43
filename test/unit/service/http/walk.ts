/** H13, H21 to H28: jobs that are not there, calls out of turn, and values that cannot be. */
import { readdir } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { expect } from 'vitest'
import { HandClock, send } from '../kit.ts'
import { type Case, expectRefusal, jobs, one } from './world.ts'

const IDS = [
  '..%2f..%2fx',
  '%00',
  'x',
  'x'.repeat(5_000),
  '9e824d9e-0000-0000-0000-00000000000G',
  "'%20OR%201=1--",
  '%F0%9F%9C%81',
  '__proto__',
  '1',
  '-1',
  '%0d%0aX-A:%20b',
]

const LISTS = [
  'page=-1',
  'page=0',
  'page=1.5',
  'page=abc',
  'page=1&page=2',
  'page=1e9999',
  'pageSize=0',
  'pageSize=-1',
  'pageSize=1001',
  'pageSize=1000000000',
  'fromDate=yesterday',
  'fromDate=2026-13-45',
  'toDate=2026-01-01T99:99',
  'toDate=2026-02-30',
  'status=odd',
  'status=constructor',
  'countries=GBR',
  'countries=,',
  'archived=maybe',
  'userId=x',
  'userId=1.5',
]

const same = (mapping: string, value: unknown) => ({ mapping, value })

/** Mappings that cannot be, for a file of five columns. */
const MAPPINGS: readonly (readonly [string, unknown, RegExp])[] = [
  ['no array', 'x', /^mappings: /],
  ['null', null, /^mappings: /],
  ['an unknown name', [same('nam', '0')], /^mappings\[0\]\.mapping: /],
  ['a name of the language', [same('constructor', '0')], /^mappings\[0\]\.mapping: /],
  ['a number for the text', [same('name', 0)], /^mappings\[0\]\.value: /],
  ['a negative index', [same('name', '-1')], /^mappings\[0\]\.value: /],
  ['an index with leading zeros', [same('name', '1e0')], /^mappings\[0\]\.value: /],
  [
    'an index beyond the file',
    [same('town', '1'), same('name', '7')],
    /^mappings\[1\]\.value: column 7 of a file with 5 columns/,
  ],
  ['a mapping twice', [same('name', '0'), same('name', '1')], /^mappings\[1\]\.mapping: name occurs twice/],
  ['an element that is none', [null], /^mappings\[0\]: /],
  ['10,000 of them', Array.from({ length: 10_000 }, () => same('x', '0')), /and \d+ more/],
]

const PRODUCTS = [
  ['H26', 'POST', '/compliance/searches'],
  ['H26', 'POST', '/kyc-protect/compliance/searches'],
  ['H26', 'PUT', '/compliance/hits/1/decision'],
  ['H26', 'POST', '/compliance/searches/batch'],
] as const

export const walk: Case[] = [
  one('H13', 'ids that are none', async ({ ann, folder }) => {
    const before = await readdir(folder)
    for (const id of IDS) {
      for (const [method, rest] of [
        ['GET', ''],
        ['GET', '/enrichedFile'],
        ['POST', '/submit'],
      ] as const) {
        expectRefusal(await ann.call(method, `${jobs}/${id}${rest}`, method === 'POST' ? {} : undefined), 404)
      }
    }
    expect(await readdir(folder)).toEqual(before)
    return IDS.length * 3
  }),
  one('H21', 'every call in a status that forbids it names the present and the needed one', async ({ ann }) => {
    const id = await ann.create()
    const calls = {
      mappings: () => ann.call('PUT', `${jobs}/${id}/mappings`, { mappings: [] }),
      submit: () => ann.call('POST', `${jobs}/${id}/submit`, {}),
      enrich: () => ann.call('POST', `${jobs}/${id}/enrich`, {}),
      enrichments: () => ann.call('PUT', `${jobs}/${id}/enrichments`, { enrichments: [] }),
      upload: () => ann.upload(id, 'name\nAcme\n'),
    }
    const refused = async (status: string, names: (keyof typeof calls)[]): Promise<void> => {
      for (const name of names) expectRefusal(await calls[name](), 400, new RegExp(`^status is ${status}; needed is `))
    }
    await refused('created', ['mappings', 'submit', 'enrich', 'enrichments'])
    await ann.upload(id, 'name,b\nAcme,1\n')
    await refused('uploaded', ['submit', 'enrich'])
    await ann.call('PUT', `${jobs}/${id}/mappings`, { mappings: [{ mapping: 'name', value: '0' }] })
    await refused('ready', ['enrich'])
    expect((await calls.submit()).status).toBe(200)
    await refused('(matching|matched|agg\\w+|jobM\\w+)', ['submit', 'upload', 'mappings'])
    await ann.reach(id, 'jobMatchingComplete')
    expect((await calls.enrich()).status).toBe(200)
    await refused('(readyForEnriching|enrich\\w+)', ['enrich'])
    await ann.reach(id, 'enrichmentComplete')
    await refused('enrichmentComplete', ['mappings', 'submit', 'enrich', 'enrichments', 'upload'])
    return 16
  }),
  ...MAPPINGS.map(([title, mappings, details]) =>
    one('H22', title, async ({ ann }) => {
      const id = await ann.create()
      await ann.upload(id, 'a,b,c,d,e\n1,2,3,4,5\n')
      expectRefusal(await ann.call('PUT', `${jobs}/${id}/mappings`, { mappings }), 400, details)
      expect((await ann.call('GET', `${jobs}/${id}`)).body.status).toBe('uploaded')
    }),
  ),
  one('H23', 'enrich before jobMatchingComplete, unknown and doubled tags', async ({ ann }) => {
    const id = await ann.create()
    expectRefusal(await ann.call('POST', `${jobs}/${id}/enrich`, {}), 400, /^status is created; needed is jobMatchingComplete$/)
    await ann.upload(id, 'a\n1\n')
    const put = (...tags: string[]) =>
      ann.call('PUT', `${jobs}/${id}/enrichments`, { enrichments: tags.map(enrichment => ({ enrichment })) })
    expectRefusal(await put('general.siren', 'general.nothing'), 400, /^enrichments\[1\]\.enrichment: "general\.nothing"/)
    expectRefusal(await put('general.siren', 'general.siren'), 400, /general\.siren occurs twice/)
    for (const tag of ['toString', '__proto__', '', 'GENERAL.SIREN', 'x'.repeat(10_000)]) expectRefusal(await put(tag), 400)
    expect((await put('general.siren', 'rating.current.score')).status).toBe(200)
    return 8
  }),
  one('H24', 'the file too early, of another type, by an expired or altered link', async ({ fresh }) => {
    const clock = new HandClock()
    const { caller, service } = await fresh({ clock })
    const id = await caller.submitted('name\nAcme Ltd\n')
    const at = (query: string) => caller.call('GET', `${jobs}/${id}/enrichedFile${query}`)
    expectRefusal(await at(''), 404, /^status is \w+; needed is enrichmentComplete$/)
    await caller.reach(id, 'jobMatchingComplete')
    await caller.call('POST', `${jobs}/${id}/enrich`)
    await caller.reach(id, 'enrichmentComplete')
    for (const type of ['exe', 'CSV ', '../x', '__proto__']) expectRefusal(await at(`?fileType=${encodeURIComponent(type)}`), 400)
    const { filePath } = (await at('')).body
    const url = new URL(filePath)
    const file = await send(filePath)
    const [disposition, type, sniff] = ['content-disposition', 'content-type', 'x-content-type-options'].map(name =>
      file.headers.get(name),
    )
    expect([file.status, type, sniff]).toEqual([200, 'text/csv; charset=utf-8', 'nosniff'])
    expect(disposition).toMatch(/^attachment; filename="enriched-[0-9a-f-]{36}\.csv"$/)
    const altered = [
      filePath.replace('.csv', '.json'),
      filePath.replace(/expires=\d/, 'expires=9'),
      filePath.replace(/expires=\d+/, 'expires=Infinity'),
      `${url.origin}${url.pathname}`,
      `${filePath}&expires=99999999999999`,
      filePath.replace(id, '..%2F..%2Fjobs.db%00'),
      filePath.replace(/\.csv/, '.results.jsonl'),
      `${filePath.slice(0, -2)}AA`,
      filePath.replace(/signature=.*/, 'signature='),
    ]
    for (const link of altered) expectRefusal(await send(link), 403)
    clock.move(15 * 60_000)
    expectRefusal(await send(filePath), 403)
    expect(service.url).toBeTruthy()
    return altered.length + 6
  }),
  one('H25', 'pages and filters that are none', async ({ ann }) => {
    for (const query of LISTS) expectRefusal(await ann.call('GET', `${jobs}?${query}`), 400)
    return LISTS.length
  }),
  one('H25', 'pages begin at 1 and end in a short one', async ({ fresh }) => {
    const { caller } = await fresh()
    for (const name of ['a', 'b', 'c']) await caller.create(name)
    const page = async (n: number) => (await caller.call('GET', `${jobs}?pageSize=2&page=${n}`)).body.length
    expect([await page(1), await page(2), await page(3), await page(1_000_000)]).toEqual([2, 1, 0, 0])
    return 4
  }),
  ...PRODUCTS.map(([line, method, path]) =>
    one(line, `${method} ${path} is not served by this version`, async ({ ann }) => {
      expectRefusal(await ann.call(method, path, {}), 404, /^there is nothing at this path$/)
    }),
  ),
  one('H27', 'a company twice, a rule nobody knows, an import without rows', async ({ ann }) => {
    const { portfolioId } = (await ann.call('POST', '/monitoring/portfolios', { name: 'H27' })).body
    const path = `/monitoring/portfolios/${portfolioId}`
    const company = { id: 'GB-X-01', personalReference: '', freeText: '', personalLimit: '' }
    expect((await ann.call('POST', `${path}/companies`, company)).status).toBe(200)
    expectRefusal(await ann.call('POST', `${path}/companies`, company), 409)
    const rules = [{ ruleCode: 999, isActive: 1 }]
    expectRefusal(await ann.call('PUT', `${path}/eventRules/XX`, rules), 400, /^\[0\]\.ruleCode: 999 is not a rule/)
    for (const kind of ['import', 'sync']) {
      const form = new FormData()
      form.append('importcsv', new Blob(['Safe Number,Reference\n']), 'empty.csv')
      expectRefusal(await ann.call('POST', `${path}/${kind}`, form), 400, /^importcsv: .* no row/)
    }
    expect((await ann.call('GET', `${path}/companies`)).body.totalCount).toBe(1)
    return 5
  }),
  one('H28', 'the same request: the stored answer; another body or operation: refused', async ({ ann }) => {
    const key = { 'Idempotency-Key': 'h28' }
    const first = await ann.call('POST', jobs, { name: 'one' }, key)
    expect((await ann.call('POST', jobs, { name: 'one' }, key)).body).toEqual(first.body)
    expectRefusal(await ann.call('POST', jobs, { name: 'two' }, key), 422)
    expectRefusal(await ann.call('POST', `${jobs}/${first.body.id}/submit`, {}, key), 422)
    return 3
  }),
  one('H28', 'fifty at once: one effect and one answer, none meets another still running', async ({ ann }) => {
    const call = () => ann.call('POST', jobs, { name: 'at once' }, { 'Idempotency-Key': 'h28-at-once' })
    const replies = await Promise.all(Array.from({ length: 50 }, call))
    expect(new Set(replies.map(reply => JSON.stringify(reply.body))).size).toBe(1)
    expect((await ann.call('GET', `${jobs}?jobName=at%20once`)).body).toHaveLength(1)
    await setImmediate()
  }),
  one('H28', 'a key of 5 KB, empty, with control characters or none of ASCII', async ({ ann }) => {
    const keys = ['x'.repeat(5_000), 'x'.repeat(256), 'a\tb', '', 'é', 'a b']
    for (const key of keys) expectRefusal(await ann.call('POST', jobs, { name: 'n' }, { 'Idempotency-Key': key }), 400)
    expect((await ann.call('POST', jobs, { name: 'n' }, { 'Idempotency-Key': 'x'.repeat(255) })).status).toBe(200)
    return keys.length
  }),
]
