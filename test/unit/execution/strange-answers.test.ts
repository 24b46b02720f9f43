/** A whole run against a service whose answers are changed on the wire ends as against the service itself. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { OPERATIONS, type Operation } from '../../../src/contract/index.ts'
import { run } from '../../../src/index.ts'
import { type ChangeAnswer, openChangedWay, serveSample } from '../../support/changed-answers.ts'
import { type Place, place } from '../../support/place.ts'
import { runs } from '../../support/runs.ts'

let here: Place
beforeEach(() => {
  here = place()
})
afterEach(() => here.leave())

/** The environment of a run that reaches the service at this address. */
const envOf = (url: string, { username, password }: { username: string; password: string }) => ({
  FETTLE_URL: url,
  FETTLE_USERNAME: username,
  FETTLE_PASSWORD: password,
})

type Json = Record<string, unknown>
type Chance = () => number

/** Numbers in [0, 1) that follow from a seed (mulberry32). */
function chanceOf(seed: number): Chance {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const recordsIn = (value: unknown): Json[] =>
  typeof value !== 'object' || value === null
    ? []
    : [...(Array.isArray(value) ? [] : [value as Json]), ...Object.values(value).flatMap(recordsIn)]

/** Removes, nulls and replaces fields of an answer that need not be there, and adds unknown ones; gives how many. */
function disturb(answer: unknown, schema: NonNullable<Operation['reply']>, chance: Chance): number {
  const changes: (() => void)[] = []
  for (const record of recordsIn(answer)) {
    for (const key of Object.keys(record)) {
      if (chance() < 0.5) continue
      const value = record[key]
      delete record[key]
      const isOptional = schema.safeParse(answer).success
      if (!isOptional) record[key] = value
      const how = isOptional ? Math.floor(chance() * 4) : -1
      const other = typeof value === 'number' ? String(value) : typeof value === 'boolean' ? Number(value) : value
      // Only once all are chosen: what is optional is judged in an answer that fits.
      if (how === 1) changes.push(() => Object.assign(record, { [key]: null }))
      if (how === 2) changes.push(() => Object.assign(record, { [key]: typeof value === 'object' ? 'odd' : { odd: 1 } }))
      if (how === 3) changes.push(() => Object.assign(record, { [key]: other }))
      if (how === 0) changes.push(() => {})
    }
    if (chance() < 0.3) changes.push(() => Object.assign(record, { neverHeardOf: [{ deep: null }] }))
  }
  for (const change of changes) change()
  return changes.length
}

/** A way to the service on which its answers are disturbed; with `chance` null none is. */
async function openWay(target: string, chance: Chance | null) {
  const way = { changes: 0, url: '' }
  const change: ChangeAnswer = (operation, body) => {
    const schema = operation === null || operation === 'file' ? null : OPERATIONS[operation].reply
    if (chance === null || schema === null || operation === 'authenticate' || body.length === 0) return body
    const answer: unknown = JSON.parse(body.toString())
    way.changes += disturb(answer, schema, chance)
    return JSON.stringify(answer)
  }
  way.url = await openChangedWay(target, change, here)
  return way
}

const ROWS = `name,orgNumber,country
Varnix Steel Ltd,11076475,GB
Pradyne Services Limited,11923903,GB
Nobody Knows Them,,GB
`

const SIDE_BY_SIDE = 6

test('nothing of a run is lost for any values of the optional fields of all answers', async () => {
  const service = await serveSample(here)
  try {
    let changes = 0
    here.write('in.csv', ROWS)
    const resultOf = async (seed: number | null) => {
      const way = await openWay(service.url, seed === null ? null : chanceOf(seed))
      const env = envOf(way.url, service)
      const output = `out-${seed}.csv`
      const pipeline = here.pipeline({
        name: `seed-${seed ?? 'none'}`,
        mappings: { name: 'name', orgNumber: 'orgNumber', country: 'country' },
        output,
        poll: { every: '500ms' },
        enrich: { product: 'basic', tags: ['general.connectId', 'general.companyName'] },
        portfolio: { name: `portfolio ${seed}` },
        screen: { datasets: ['SAN'], threshold: 85 },
      })
      const report = await run(pipeline, here.options(env))
      const [result] = report.results
      changes += way.changes
      return {
        exit: report.exitCode,
        totals: report.totals,
        output: readFileSync(join(here.folder, output), 'utf8'),
        portfolio: { ...result?.portfolio, id: null, name: null },
        // The datasets of a hit may be missing, and with them what they are counted by.
        screening: { ...result?.screening, risks: null, found: result?.screening?.found.map(({ id, hits }) => [id, hits]) },
      }
    }
    const before = await resultOf(null)
    expect(before).toMatchObject({ exit: 0, totals: { rows: 3, matched: 2 }, screening: { searches: 2 } })
    const count = runs(3, 120)
    for (let first = 1; first <= count; first += SIDE_BY_SIDE) {
      const seeds = Array.from({ length: Math.min(SIDE_BY_SIDE, count - first + 1) }, (_, at) => first + at)
      const results = await Promise.all(seeds.map(resultOf))
      for (const [at, after] of results.entries()) expect(after, `seed ${seeds[at]}`).toEqual(before)
    }
    expect(changes).toBeGreaterThan(count * 20)
    // Each company of each run was paid for once.
    expect(await searchesOf(service)).toBe((count + 1) * 2)
  } finally {
    await service.close()
  }
})

test.each(['list', 'record'])('a search that was paid and whose answer was lost, where the %s has no names', async nameless => {
  const service = await serveSample(here)
  try {
    let isLost = false
    const wordless = (search: Json): Json => ({ ...search, name: null })
    const url = await openChangedWay(
      service.url,
      (operation, body) => {
        if (operation === 'createBusinessSearch' && !isLost) {
          isLost = true
          return null
        }
        if (operation === 'listBusinessSearches') {
          const page = JSON.parse(body.toString()) as { items: Json[] }
          return JSON.stringify({ ...page, items: page.items.map(wordless) })
        }
        return operation === 'readBusinessSearch' && nameless === 'record'
          ? JSON.stringify(wordless(JSON.parse(body.toString())))
          : body
      },
      here,
    )
    here.write('in.csv', ROWS)
    const pipeline = here.pipeline({
      mappings: { name: 'name', orgNumber: 'orgNumber', country: 'country' },
      screen: { datasets: ['SAN'] },
    })
    const ended = run(pipeline, here.options(envOf(url, service)))
    // A record without a name proves nothing: it may be the search for another company.
    if (nameless === 'record') await expect(ended).rejects.toMatchObject({ code: 'FETTLE_UNANSWERED', exitCode: 75 })
    else expect(await ended).toMatchObject({ exitCode: 0, results: [{ screening: { searches: 2 } }] })
    expect(isLost).toBe(true)
    expect(await searchesOf(service)).toBe(nameless === 'list' ? 2 : 1)
  } finally {
    await service.close()
  }
})

async function searchesOf({ url, username, password }: { url: string; username: string; password: string }): Promise<number> {
  const json = { 'content-type': 'application/json' }
  const login = await fetch(`${url}/authenticate`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ username, password }),
  })
  const { token } = (await login.json()) as { token: string }
  const list = await fetch(`${url}/compliance/kyc-protect/searches/businesses`, { headers: { authorization: `Bearer ${token}` } })
  return ((await list.json()) as { totalSize: number }).totalSize
}
