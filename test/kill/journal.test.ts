/**
 * SIGKILL at every journal write of a run: with half of the line on disk, and with the line synced but nothing done because of
 * it; against a service that lives on, and with the embedded service dying too.
 */
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Service } from '../../src/service/index.ts'
import { type Gate, makeData, makePlace, outputOf, resumeAndCheck, start, startProxy, startService } from './kit.ts'

let data: string
let service: Service
let proxy: Gate
let expected: string

beforeAll(async () => {
  data = await makeData()
  service = await startService(data)
  proxy = await startProxy(service.url)
  const place = makePlace(data, proxy.url)
  const { code, stderr } = await start(place, ['run', 'pipeline.yml', '--json']).ended
  expect(code, stderr).toBe(0)
  expected = outputOf(place)
})

afterAll(async () => {
  await proxy.close()
  await service.close()
  rmSync(data, { recursive: true, force: true })
})

const cases = [
  { effect: 'torn', where: 'a service that lives on' },
  { effect: 'after', where: 'a service that lives on' },
  { effect: 'torn', where: 'the embedded service' },
  { effect: 'after', where: 'the embedded service' },
] as const

test.each(cases)('killed with a line $effect, $where', async ({ effect, where }) => {
  const url = where === 'the embedded service' ? null : proxy.url
  let points = 0
  for (let at = 1; at <= 200; at++) {
    const from = proxy.seen.length
    const place = makePlace(data, url)
    const first = await start(place, ['run', 'pipeline.yml', '--json'], `${effect}:${at}`).ended
    if (first.signal !== 'SIGKILL') {
      expect(first.code, first.stderr).toBe(0)
      rmSync(place.folder, { recursive: true, force: true })
      break
    }
    points++
    await resumeAndCheck(place, expected)
    if (url === null) continue
    const submits = proxy.seen
      .slice(from)
      .filter(one => one.method === 'POST' && one.path.endsWith('/submit') && one.status < 300)
    const creates = proxy.seen
      .slice(from)
      .filter(one => one.method === 'POST' && one.path.endsWith('/dataCleaning/jobs') && one.status < 300)
    expect([creates.length, submits.length], `write ${at}, ${effect}`).toEqual([1, 1])
  }
  console.log(`killed at ${points} journal writes (${effect}, ${where}): 0 violations`)
  expect(points).toBeGreaterThanOrEqual(20)
})
