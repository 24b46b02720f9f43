/**
 * SIGKILL at every request of a run: as it arrives, when it was carried out but not answered, and when it was answered. Each
 * time the same command again finishes the run: one job, one submission, one enrichment, the output of an undisturbed run.
 */
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Service } from '../../src/service/index.ts'
import {
  type Gate,
  type KillMode,
  makeData,
  makePlace,
  outputOf,
  resumeAndCheck,
  start,
  startProxy,
  startService,
} from './kit.ts'

let data: string
let service: Service
let proxy: Gate
let expected: string
let requests: number

beforeAll(async () => {
  data = await makeData()
  service = await startService(data)
  proxy = await startProxy(service.url)
  const place = makePlace(data, proxy.url)
  const { ended } = start(place, ['run', 'pipeline.yml', '--json'])
  const { code, stderr } = await ended
  expect(code, stderr).toBe(0)
  expected = outputOf(place)
  requests = proxy.count()
  rmSync(place.folder, { recursive: true, force: true })
})

afterAll(async () => {
  await proxy.close()
  await service.close()
  rmSync(data, { recursive: true, force: true })
})

/** Effects of one job as the service carried them out: only 2xx count. */
function effects(from: number): { creates: number; submits: number; enriches: number } {
  const done = proxy.seen.slice(from).filter(one => one.method === 'POST' && one.status < 300)
  return {
    creates: done.filter(one => one.path.endsWith('/dataCleaning/jobs')).length,
    submits: done.filter(one => one.path.endsWith('/submit')).length,
    enriches: done.filter(one => one.path.endsWith('/enrich')).length,
  }
}

test.each<KillMode>(['received', 'unanswered', 'answered'])('killed when a request is %s', async mode => {
  let points = 0
  for (let at = 1; at <= requests + 20; at++) {
    const from = proxy.seen.length
    const place = makePlace(data, proxy.url)
    const { child, ended } = start(place, ['run', 'pipeline.yml', '--json'])
    proxy.arm(child, at, mode)
    const first = await ended
    proxy.arm(null, 0, mode)
    if (first.signal !== 'SIGKILL') {
      expect(first.code, first.stderr).toBe(0)
      break
    }
    points++
    await resumeAndCheck(place, expected)
    expect(effects(from), `request ${at}, ${mode}`).toEqual({ creates: 1, submits: 1, enriches: 1 })
  }
  console.log(`killed at ${points} requests (${mode}): 0 second jobs, 0 second submissions, 0 rows lost`)
  expect(points).toBeGreaterThanOrEqual(12)
})
