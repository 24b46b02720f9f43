/** The reconciliation interface, asked in the order and the forms in which OpenRefine asks, on a real register. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeScript } from '../../../../src/service/openrefine/routes.ts'
import { importRegister } from '../../../../src/service/registers/index.ts'
import { serve } from '../../../../src/service/serve.ts'
import type { Service } from '../../../../src/service/server.ts'
import { type Reply, send, startService } from '../kit.ts'
import * as forms from './forms.ts'

const REGISTER = `id,name,country,orgNumber,town,postcode,website,status
1,NORTHGATE FASTENERS LIMITED,GB,01234567,Leeds,LS1 4AP,www.example.org,active
2,NORTHGATE FASTENERS LIMITED,GB,07654321,Bristol,BS1 5TR,,active
3,HARBOUR BAKERY LIMITED,GB,02222222,Hull,HU1 1AA,,dissolved
4,"<script>alert(1)</script> & ""SONS"" LIMITED",GB,03333333,Hull,HU1 1AB,,active
`
const LEEDS = 'GB-X-01234567'

let folder = ''
let service: Service
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fettle-reconcile-'))
  const file = join(folder, 'small.csv')
  await writeFile(file, REGISTER)
  const registerDir = join(folder, 'registers')
  await importRegister({ file, name: 'small', dir: registerDir, now: new Date(0) })
  service = await serve({ dataDir: join(folder, 'data'), registerDir, registers: [], users: [], reconcile: true })
})
afterAll(async () => {
  await service.close()
  await rm(folder, { recursive: true, force: true })
})

const REFINE = { Origin: 'http://127.0.0.1:3333' }
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' }
const at = (path: string): string => new URL(`/reconcile${path}`, service.url).href
const get = (path: string, headers: Record<string, string> = {}): Promise<Reply> => send(at(path), 'GET', undefined, headers)
const post = (name: string, value: unknown): Promise<Reply> =>
  send(at(''), 'POST', new URLSearchParams({ [name]: JSON.stringify(value) }).toString(), FORM)
const ask = async (query: unknown): Promise<{ id: string; score: number; match: boolean; features: { id: string }[] }[]> =>
  (await post('queries', { q0: query })).body.q0.result

test('from the manifest to the values, as OpenRefine goes', async () => {
  const { status, body, headers } = await get('', REFINE)
  expect([status, headers.get('access-control-allow-origin')]).toEqual([200, REFINE.Origin])
  const manifest = forms.manifest.parse(body)

  // A column, ten rows at a time, with another column beside it.
  const properties = [{ pid: 'town', v: 'Leeds' }]
  const batch = {
    q0: { query: 'Northgate Fasteners Ltd', type: 'company', type_strict: 'should', limit: 3, properties },
    q1: { query: 'Nobody at All' },
  }
  const answers = (await post('queries', batch)).body
  forms.resultBatch.parse(answers)
  expect(answers.q0.result[0]).toMatchObject({ id: LEEDS, name: 'NORTHGATE FASTENERS LIMITED', match: true })
  expect(answers.q1.result.every((one: { match: boolean }) => !one.match)).toBe(true)
  // Debugged in a browser: the same by GET.
  expect((await get(`?queries=${encodeURIComponent(JSON.stringify(batch))}`)).body).toEqual(answers)

  // The cell's menu: preview, search for another, flyout.
  const preview = await send(manifest.preview?.url.replace('{{id}}', encodeURIComponent(LEEDS)) ?? '')
  expect(preview.body).toContain('NORTHGATE FASTENERS LIMITED')
  expect((await send(manifest.view?.url.replace('{{id}}', LEEDS) ?? '')).status).toBe(200)
  for (const [what, form] of [
    ['entity', forms.suggestedEntities],
    ['property', forms.suggested],
    ['type', forms.suggested],
  ] as const) {
    const { service_url: url, service_path: path, flyout_service_path: fly } = manifest.suggest?.[what] ?? {}
    const found = (await send(`${url}${path}?prefix=${{ entity: 'northgate', property: 'post', type: 'comp' }[what]}`)).body
    expect(form.parse(found).result.length, what).toBeGreaterThan(0)
    const flown = (await send(`${url}${fly?.replace(`\${id}`, encodeURIComponent(found.result[0].id))}`)).body
    expect([flown.id, flown.html]).toEqual([found.result[0].id, expect.stringContaining('<b>')])
  }

  // Columns from what was found.
  const { service_url: url, service_path: path } = manifest.extend?.propose_properties ?? {}
  const proposed = forms.proposal.parse((await send(`${url}${path}?type=company&limit=5`)).body)
  expect(proposed.properties).toHaveLength(5)
  const wanted = [{ id: 'postcode' }, { id: 'website' }, { id: 'nonsense' }]
  const values = (await post('extend', { ids: [LEEDS, 'GB-X-07654321', 'unknown'], properties: wanted })).body
  forms.extension.parse(values)
  expect(values).toEqual({
    meta: [
      { id: 'postcode', name: 'Postcode' },
      { id: 'website', name: 'Website' },
      { id: 'nonsense', name: 'nonsense' },
    ],
    rows: {
      [LEEDS]: { postcode: [{ str: 'LS1 4AP' }], website: [{ str: 'www.example.org' }], nonsense: [] },
      'GB-X-07654321': { postcode: [{ str: 'BS1 5TR' }], website: [], nonsense: [] },
      unknown: { postcode: [], website: [], nonsense: [] },
    },
  })
})

test('match is the decision of the engine: two of one name are none without evidence, one with it', async () => {
  const alone = await ask({ query: 'Northgate Fasteners Limited' })
  expect(alone.map(one => one.match)).toEqual([false, false])
  for (const [pid, v] of [
    ['postcode', 'LS1 4AP'],
    ['orgNumber', '01234567'],
    ['town', ['', 'Leeds']],
    ['orgNumber', 1234567],
    ['town', { id: 'x', name: 'Leeds' }],
  ] as const) {
    const [first, second] = await ask({
      query: 'Northgate Fasteners Limited',
      properties: [
        { pid, v },
        { pid: 'nonsense', v: true },
      ],
    })
    expect([first?.id, first?.match, second?.match ?? false], pid).toEqual([LEEDS, true, false])
    expect(first?.score).toBeGreaterThan(alone[0]?.score ?? 100)
    expect(first?.score).toBeLessThanOrEqual(100)
    expect(first?.features.length).toBeGreaterThan(1)
  }
})

test('an id as the query is that company; properties alone are a query; a limit cuts; another type has no result', async () => {
  expect(await ask({ query: LEEDS })).toMatchObject([{ id: LEEDS, match: true }])
  expect(await ask({ properties: [{ pid: 'orgNumber', v: '07654321' }] })).toMatchObject([{ id: 'GB-X-07654321', match: true }])
  expect(await ask({ query: 'Northgate Fasteners', limit: 1 })).toHaveLength(1)
  expect(await ask({ query: 'Northgate Fasteners', limit: 0 })).toEqual([])
  expect(await ask({ query: 'Northgate Fasteners', type: 'person' })).toEqual([])
  expect(await ask({ query: 'Northgate Fasteners', type: ['person', 'company'] })).toHaveLength(2)
  expect(await ask({ query: 'Northgate Fasteners', type: ['person', 'company'], type_strict: 'all' })).toEqual([])
})

test('suggestions start with the prefix; unknown keys of a query are ignored', async () => {
  const { result } = (await get('/suggest/entity?prefix=nor')).body
  expect(result.length).toBeGreaterThan(0)
  for (const { name } of result) expect(name.toLowerCase()).toMatch(/^nor/)
  expect((await get('?queries={"q":{"query":"northgate","mode":"x"}}')).status).toBe(200)
})

test('suggestions: an id finds its company, a cursor skips', async () => {
  expect((await get(`/suggest/entity?prefix=${LEEDS}`)).body.result).toHaveLength(1)
  const all = (await get('/suggest/entity?prefix=northgate%20fasteners')).body.result
  expect((await get('/suggest/entity?prefix=northgate%20fasteners&cursor=1')).body.result).toEqual(all.slice(1))
})

test('the page of a company escapes the texts of the register and allows no script', async () => {
  const { body, headers } = await get('/preview?id=GB-X-03333333')
  expect(body).toContain('&lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;SONS&quot; LIMITED')
  expect(body).not.toMatch(/<script|\bsrc=|@import|url\(|href=/)
  expect(headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'unsafe-inline'; .*frame-ancestors http:\/\/127\.0\.0\.1:\*/,
  )
  expect((await get('/flyout/entity?id=GB-X-03333333')).body.html).not.toContain('<script')
})

test.each([
  ['queries that are no JSON', '?queries={', 400],
  ['queries that are a list', '?queries=[]', 400],
  ['a query that asks nothing', '?queries={"q":{}}', 400],
  ['a property without a value', '?queries={"q":{"properties":[{"pid":"town"}]}}', 400],
  ['a negative limit', '?queries={"q":{"query":"a","limit":-1}}', 400],
  ['queries twice', '?queries={}&queries={}', 400],
  ['an extension without ids', '?extend={"properties":[]}', 400],
  ['a suggestion of nothing', '/suggest/entity', 400],
  ['a cursor that is none', '/suggest/entity?prefix=a&cursor=x', 400],
  ['an unknown company', '/preview?id=nobody', 404],
  ['an unknown property', '/flyout/property?id=__proto__', 404],
  ['an unknown path', '/suggest/nonsense?prefix=a', 404],
])('%s is refused', async (_, path, status) => {
  const reply = await get(path, REFINE)
  expect([reply.status, Object.keys(reply.body).sort()]).toEqual([status, ['correlationId', 'details', 'message']])
})

test('a wrong method and a wrong body are rejected; a preflight lists what is allowed', async () => {
  expect((await send(at(''), 'DELETE')).status).toBe(405)
  expect((await send(at(''), 'POST', { queries: {} })).status).toBe(415)
  const preflight = await send(at(''), 'OPTIONS', undefined, { ...REFINE, 'Access-Control-Request-Method': 'POST' })
  expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, REFINE.Origin])
  expect(preflight.headers.get('access-control-allow-methods')).toBe('GET, POST')
})

test('JSONP: a script for pages of this machine; no other name than a function’s', async () => {
  const { body, headers } = await get('?callback=jQuery12_3.then')
  expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  const [, text = ''] = /^\/\*\*\/jQuery12_3\.then\((.*)\);\n$/s.exec(body) ?? []
  forms.manifest.parse(JSON.parse(text))
  for (const name of ['alert(1)', 'a b', 'a;b', '1a', '', 'a..b', '<b>', 'a\u2028b'])
    expect((await get(`?callback=${encodeURIComponent(name)}`)).status, name).toBe(400)

  const script = { 'Sec-Fetch-Site': 'cross-site' }
  expect((await get('?callback=f', script)).status).toBe(403)
  expect((await get('?callback=f', { Referer: 'https://evil.example/' })).status).toBe(403)
  expect((await get('?callback=f', { ...script, Referer: 'http://localhost:3333/project' })).status).toBe(200)
})

test('pages of other machines are refused; nothing is there unless asked for', async () => {
  for (const Origin of ['https://evil.example', 'null', 'http://127.0.0.1.evil.example'])
    expect((await get('', { Origin })).status, Origin).toBe(403)
  const plain = await startService()
  for (const path of ['/reconcile', '/reconcile/suggest/entity?prefix=a', '/reconcile/preview?id=GB-X-01'])
    expect((await send(new URL(path, plain.url).href)).status, path).toBe(404)
  await expect(startService({ reconcile: true, host: '0.0.0.0', users: [{ username: 'a', password: 'b' }] })).rejects.toThrow(
    /limited to loopback addresses/,
  )
})

test('a script is always one call with the very answer', () => {
  fc.assert(
    // In a script such a key would be another thing; nobody but the asker would be told it.
    fc.property(
      fc.jsonValue().filter(value => !JSON.stringify(value).includes('__proto__')),
      answer => {
        const script = makeScript('f', answer)
        expect(script).not.toMatch(/[<\u2028\u2029]/)
        let got: unknown
        new Function('f', script)((value: unknown) => {
          got = value
        })
        expect(JSON.stringify(got)).toBe(JSON.stringify(answer))
      },
    ),
  )
})
