/** A list that is sent in parts to a service of fettle: all parts are matched as the whole list is. */

import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { merge, type Report, run } from '../../../src/index.ts'
import type { PlayName } from '../../../src/service/plays.ts'
import { serve } from '../../../src/service/serve.ts'
import { forwardRequest, ownHeaders, readWhole } from '../../../src/testing/exchange.ts'
import { type Place, place } from '../../support/place.ts'

const LOGIN = { username: 'u', password: 'only for tests' }
const PARTS = ['1/2', '2/2'] as const

let here: Place
beforeEach(() => {
  here = place()
  const rows = parse(readFileSync(join(import.meta.dirname, '../../../samples/suppliers.csv'))) as string[][]
  const known = rows.slice(1, 151).map(row => [row[1], row[6]])
  const absent = known.map((_, at) => [`Qvx ${at.toString(36)} Wrrzk ${(at * 7919).toString(36)} Ltd`, 'GB'])
  const lines = [...known, ...absent].map(cells => cells.map(cell => `"${cell?.replaceAll('"', '""')}"`).join())
  here.write('in.csv', `name,country\n${lines.join('\n')}\n`)
})
afterEach(() => here.leave())

/** A service behind a proxy that notes its requests, and can answer another estimate. */
async function startService(play: PlayName = 'own') {
  const service = await serve({ dataDir: join(here.folder, `service-${play}`), users: [LOGIN], play, registers: ['sample'] })
  const state = { requests: [] as string[], estimate: null as object | null }
  const proxy = createServer(async (request, response) => {
    state.requests.push(`${request.method} ${request.url?.replace(/\?.*|(?<=jobs\/)[^/]+/g, '')}`)
    const body = await readWhole(request)
    const headers = { ...ownHeaders(request), 'content-length': String(body.length) }
    const reply = await forwardRequest(request, { target: new URL(service.url), headers, body })
    const answer = await readWhole(reply)
    const isOther = request.url === '/v1/listFacts' && state.estimate !== null
    const text = isOther ? JSON.stringify(state.estimate) : answer
    response.writeHead(reply.statusCode ?? 500, { ...ownHeaders(reply), 'content-length': text.length }).end(text)
  })
  await new Promise<void>(listening => proxy.listen(0, '127.0.0.1', listening))
  here.atEnd(() => {
    proxy.closeAllConnections()
    proxy.close()
    void service.close()
  })
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}/v1`
  const env = { FETTLE_URL: url, FETTLE_USERNAME: LOGIN.username, FETTLE_PASSWORD: LOGIN.password }
  return { state, options: here.options(env) }
}

const factsIn = ({ results: [result] }: Report) => [result!.inRegister, result!.companyNumbers]
const output = (): string => readFileSync('out.csv', 'utf8')

test('shards, and the jobs of a split run, are matched as one job of the whole list', { timeout: 120_000 }, async () => {
  const { state, options } = await startService()
  const whole = await run(here.pipeline(), options)
  const wanted = output()
  expect(state.requests).not.toContain('POST /v1/listFacts')
  const shards: Report[] = []
  for (const shard of PARTS) shards.push(await run(here.pipeline(), { ...options, shard, fresh: true }))
  for (const shard of shards) expect(factsIn(shard)).toEqual(factsIn(whole))
  await merge(
    shards.map(({ metadata }) => metadata.runId),
    options,
  )
  expect(output()).toBe(wanted)
  const split = await run(here.pipeline({ job: { split: 100 } }), { ...options, fresh: true })
  expect(factsIn(split)).toEqual(factsIn(whole))
  expect(output()).toBe(wanted)
  expect(state.requests.filter(request => request === 'POST /v1/listFacts')).toHaveLength(3)
})

test('shards that were matched as different lists are merged only with the option', { timeout: 120_000 }, async () => {
  const { state, options } = await startService()
  const first = await run(here.pipeline(), { ...options, shard: '1/2' })
  state.estimate = {
    inRegister: { from: 0.8, to: 0.9, startingOdds: 1.7, matchingOdds: 2 },
    companyNumbers: 'reliable',
  }
  const second = await run(here.pipeline(), { ...options, shard: '2/2' })
  const ids = [first, second].map(({ metadata }) => metadata.runId)
  await expect(merge(ids, options)).rejects.toMatchObject({
    code: 'FETTLE_MERGE',
    message: expect.stringContaining('were matched as two different lists'),
    action: { command: 'merge', args: ['--mixed-registers', ...ids] },
  })
  expect((await merge(ids, { ...options, mixedRegisters: true })).totals.rows).toBe(300)
})

test('a wished precision is of the whole list, its shards and its jobs', { timeout: 120_000 }, async () => {
  const { options } = await startService()
  const usual = await run(here.pipeline(), options)
  const matching = { precision: 0.999 }
  const whole = await run(here.pipeline({ matching }), options)
  const odds = ({ results: [result] }: Report) =>
    result!.jobs.map(job => (job.jobSummary?.inRegister as { readonly matchingOdds?: number } | null)?.matchingOdds)
  const [wished] = odds(whole)
  expect(wished).toBeLessThan(odds(usual)[0]!)
  const wanted = output()
  const split = await run(here.pipeline({ matching, job: { split: 100 } }), { ...options, fresh: true })
  expect(odds(split)).toEqual([wished, wished, wished])
  expect(output()).toBe(wanted)
  for (const shard of PARTS)
    expect(odds(await run(here.pipeline({ matching }), { ...options, shard, fresh: true }))).toEqual([wished])
})

test('a service that takes no precision refuses it before a job is made', { timeout: 120_000 }, async () => {
  const { state, options } = await startService('vendor')
  await expect(run(here.pipeline({ matching: { precision: 0.95 } }), options)).rejects.toMatchObject({ code: 'FETTLE_PRECISION' })
  expect(state.requests).not.toContain('POST /v1/dataCleaning/jobs')
})

test('another service is not sent a sample of the list', { timeout: 120_000 }, async () => {
  const { state, options } = await startService('vendor')
  expect((await run(here.pipeline({ job: { split: 100 } }), options)).totals.rows).toBe(300)
  expect(state.requests.filter(request => request.includes('listFacts'))).toEqual([])
  expect(state.requests.filter(request => request === 'POST /v1/dataCleaning/jobs')).toHaveLength(3)
})
