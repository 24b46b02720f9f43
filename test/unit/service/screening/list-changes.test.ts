/** Which earlier searches an import of lists may concern, over HTTP: what it leaves out finds the same as before, also after restarts. */
import { readdirSync } from 'node:fs'
import { truncate, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LIST_CHANGES, LIST_CHANGES_HEADER } from '../../../../src/contract/index.ts'
import { addUser } from '../../../../src/service/index.ts'
import { importList } from '../../../../src/service/screening/index.ts'
import { runs } from '../../../support/runs.ts'
import { type Caller, logIn, send, startService, temporaryFolder } from '../kit.ts'

const TYPES = ['business', 'individual'] as const
type Type = (typeof TYPES)[number]
const PATHS = { business: 'businesses', individual: 'individuals' } as const

interface Entry {
  readonly name: string
  readonly type: Type
  readonly note: string
}

async function importEntries(dir: string, entries: readonly Entry[], name = 'ours') {
  const file = join(await temporaryFolder(), 'list.csv')
  const lines = entries.map(({ type, name, note }, at) => `E${at},${type},"${name}",SAN,${note}`)
  await writeFile(file, ['id,type,name,datasets,notes', ...lines, ''].join('\n'))
  return importList({ kind: 'csv', file, name, dir, now: new Date(0), force: true })
}

interface Search {
  readonly type: Type
  readonly name: string
  readonly threshold: number
}

async function search(caller: Caller, { type, name, threshold }: Search) {
  const path = `/compliance/kyc-protect/searches/${PATHS[type]}`
  const { status, body } = await caller.call('POST', path, { name, threshold, datasets: ['SAN'] })
  expect(status).toBe(201)
  const { items } = (await caller.call('GET', `${path}/${body.id}/hits?pageSize=100`)).body
  const hits = items.map((hit: Record<string, unknown>) => [hit.name, hit.matchedName, hit.hitScore, hit.datasets])
  return { key: String(body.listsKey), hits }
}

const askChanges = (caller: Caller, listsKey: string, searches: readonly (Search & { readonly hasHits: boolean })[]) =>
  caller.call('POST', LIST_CHANGES.path, { listsKey, searches })

const name = fc
  .array(fc.constantFrom('varnix', 'vornix', 'steel', 'steal', 'limited', 'limted', 'feldmoor', 'z', 'trust'), {
    minLength: 1,
    maxLength: 3,
  })
  .map(words => words.join(' '))
const entries = fc.array(fc.record({ name, type: fc.constantFrom(...TYPES), note: fc.constantFrom('a', 'b') }), {
  minLength: 1,
  maxLength: 8,
})
const question = fc.record({ type: fc.constantFrom(...TYPES), name, threshold: fc.constantFrom(75, 85, 95) })

test('searches that no change concerns find the same, over imports and restarts, and after a damage all are made again', async () => {
  let [left, concerned] = [0, 0]
  await fc.assert(
    fc.asyncProperty(
      entries,
      fc.array(fc.record({ next: entries, keeps: fc.nat({ max: 8 }), restarts: fc.boolean() }), { minLength: 1, maxLength: 3 }),
      fc.array(question, { minLength: 6, maxLength: 12 }),
      async (first, imports, questions) => {
        const [dataDir, screeningDir] = [await temporaryFolder(), await temporaryFolder()]
        let rows: readonly Entry[] = first
        await importEntries(screeningDir, rows)
        let service = await startService({ dataDir, screeningDir })
        let caller = await logIn(service)
        const made: { search: Search; key: string; hits: unknown[] }[] = []
        for (const { next, keeps, restarts } of imports) {
          for (const asked of questions) made.push({ search: asked, ...(await search(caller, asked)) })
          rows = [...rows.slice(0, keeps), ...next.slice(0, 3)]
          await importEntries(screeningDir, rows)
          if (!restarts) continue
          await service.close()
          service = await startService({ dataDir, screeningDir })
          caller = await logIn(service)
        }
        for (const { search: asked, key, hits } of made) {
          const { changed } = (await askChanges(caller, key, [{ ...asked, hasHits: hits.length > 0 }])).body
          expect(changed).not.toBeNull()
          if (changed.length > 0) concerned++
          else {
            left++
            expect((await search(caller, asked)).hits).toEqual(hits)
          }
        }
        const kept = readdirSync(join(screeningDir, 'ours')).filter(file => file.startsWith('changes-'))
        for (const [at, file] of kept.entries()) {
          const path = join(screeningDir, 'ours', file)
          await (at % 2 === 0 ? truncate(path, 1) : unlink(path))
        }
        await service.close()
        caller = await logIn(await startService({ dataDir, screeningDir }))
        const present = (await search(caller, questions[0]!)).key
        for (const { key } of made) {
          const { changed } = (await askChanges(caller, key, [])).body
          expect(changed).toEqual(key === present ? [] : null)
        }
      },
    ),
    // Few cases drawn anew would now and then concern few searches.
    { numRuns: runs(6, 200), seed: runs(1, Date.now()) },
  )
  expect([left > 10, concerned > 10]).toEqual([true, true])
})

const VARNIX: Entry = { name: 'Varnix Steel', type: 'business', note: 'a' }

test('a key of other lists, of another service or of none is not known', async () => {
  const dir = await temporaryFolder()
  await importEntries(dir, [VARNIX])
  const caller = await logIn(await startService({ screeningDir: dir }))
  const asked: Search = { type: 'business', name: 'Varnix Steel', threshold: 75 }
  const { key } = await search(caller, asked)
  expect(key).toMatch(/^[0-9a-f]{16}$/)
  const changed = async (of: string) => (await askChanges(caller, of, [{ ...asked, hasHits: true }])).body.changed
  expect(await changed(key)).toEqual([])
  for (const wrong of ['0', `${key}.${key}`, key.replace(/./g, '0'), 'ours/1']) expect(await changed(wrong)).toBeNull()
  await importEntries(dir, [VARNIX, { ...VARNIX, name: 'Varnax Steel' }])
  expect(await changed(key)).toEqual([0])
  await importEntries(dir, [VARNIX], 'more')
  expect(await changed(key)).toBeNull()
  const sample = await search(await logIn(await startService()), asked)
  expect(await changed(sample.key)).toBeNull()
})

test('the operation is of our own service, for its users, and with bounds', async () => {
  const users = [{ username: 'ann', password: 'ann-secret' }]
  const rea = { username: 'rea', password: 'correct horse battery' }
  const dataDir = await temporaryFolder()
  await addUser(dataDir, { ...rea, role: 'reader', now: new Date(0) })
  const service = await startService({ users, dataDir })
  const login = await send(`${service.url}/authenticate`, 'POST', users[0])
  expect(login.headers.get(LIST_CHANGES_HEADER)).toBe('1')
  const asked = { type: 'business', name: 'Varnix', threshold: 75, hasHits: true }
  const body = { listsKey: '0', searches: [asked] }
  expect((await send(`${service.url}${LIST_CHANGES.path}`, 'POST', body)).status).toBe(401)
  const reader = await logIn({ ...service, ...rea })
  expect((await reader.call('POST', LIST_CHANGES.path, body)).status).toBe(403)
  const caller = await logIn(service)
  expect((await caller.call('GET', LIST_CHANGES.path)).status).toBe(405)
  for (const wrong of [
    {},
    { ...body, listsKey: '' },
    { ...body, searches: Array.from({ length: 501 }, () => asked) },
    { ...body, searches: [{ ...asked, threshold: 0 }] },
    { ...body, searches: [{ ...asked, id: '1' }] },
  ])
    expect((await caller.call('POST', LIST_CHANGES.path, wrong)).status, JSON.stringify(wrong).slice(0, 60)).toBe(400)
  const other = await startService({ play: 'vendor' })
  expect((await send(`${other.url}/authenticate`, 'POST', other)).headers.get(LIST_CHANGES_HEADER)).toBeNull()
  const foreign = await logIn(other)
  expect((await foreign.call('POST', LIST_CHANGES.path, body)).status).toBe(404)
  expect((await search(foreign, { type: 'business', name: 'Varnix Steel', threshold: 75 })).key).toBe('undefined')
})
