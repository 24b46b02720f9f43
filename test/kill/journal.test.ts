/**
 * SIGKILL at every journal write of a run against a service that lives on: with half of the line on disk, and with the line
 * synced but nothing done because of it.
 */
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Service } from '../../src/service/index.ts'
import { type Gate, makeData, outputOfRun, startProxy, startService, sweepJournal } from './kit.ts'

let data: string
let service: Service
let proxy: Gate

beforeAll(async () => {
  data = await makeData()
  service = await startService(data)
  proxy = await startProxy(service.url)
})

afterAll(async () => {
  await proxy.close()
  await service.close()
  rmSync(data, { recursive: true, force: true })
})

test.each(['torn', 'after'] as const)('killed with a line %s', async effect => {
  const expected = await outputOfRun(data, proxy.url)
  let from = proxy.seen.length
  const points = await sweepJournal(data, proxy.url, { effect, first: 1, step: 1 }, expected, at => {
    const done = proxy.seen.slice(from).filter(one => one.method === 'POST' && one.status < 300)
    from = proxy.seen.length
    const effects = ['/dataCleaning/jobs', '/submit', '/enrich'].map(end => done.filter(one => one.path.endsWith(end)).length)
    expect(effects, `write ${at}, ${effect}`).toEqual([1, 1, 1])
  })
  console.log(`killed at ${points} journal writes (${effect}): 0 second jobs, 0 second submissions, 0 rows lost`)
  expect(points).toBeGreaterThanOrEqual(20)
})
