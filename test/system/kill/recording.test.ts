/**
 * A run with `--record` killed at its operations on the cassette, also in the middle of a line: the same command finishes the run with
 * its one job, and the cassette is readable. The deep project takes every operation.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { openCassette } from '../../../src/service/replay/server.ts'
import type { FaultyService } from '../../../src/testing/index.ts'
import { runs } from '../../support/runs.ts'
import { nextCommand } from './copies.ts'
import { recorded } from './judge.ts'
import { CREDENTIALS, makePlace, outputsOf, start } from './kit.ts'
import { useService } from './use-service.ts'

const RUN = ['run', 'pipeline.yml', '--json', '--record', 'case.jsonl']

let data: string
let service: FaultyService
let expected: string[]

useService(started => {
  ;({ data, service } = started)
})
beforeAll(async () => {
  const place = makePlace(data, service)
  expect((await start(place, RUN).ended).code).toBe(0)
  expected = outputsOf(place)
  rmSync(place.folder, { recursive: true, force: true })
})

/** Kills a run at its `nth` operation on the cassette, and repeats the command. Returns the exchanges of a run that ended before; null if it was killed. */
async function killAt(effect: 'SIGKILL' | 'cut', nth: number): Promise<number | null> {
  const place = makePlace(data, service)
  const cassette = join(place.folder, 'case.jsonl')
  try {
    const disk = { fault: `${effect}@${nth}`, log: join(data, 'log'), paths: cassette }
    const { signal } = await start(place, RUN, disk).ended
    if (signal !== 'SIGKILL') return (await openCassette(cassette)).exchanges
    const before = existsSync(cassette) ? readFileSync(cassette, 'utf8').split('\n').slice(0, -1) : []
    for (const line of before) expect(() => JSON.parse(line)).not.toThrow()
    const { code, stderr } = await start(place, nextCommand(place, RUN)).ended
    expect([nth, code, stderr]).toEqual([nth, 0, expect.any(String)])
    expect(outputsOf(place)).toEqual(expected)
    expect(recorded(place)?.jobs).toHaveLength(1)
    const found = await openCassette(cassette)
    expect(found.exchanges, `killed at ${nth}`).toBeGreaterThan(0)
    expect(found.damaged).toBeLessThanOrEqual(effect === 'cut' ? 1 : 0)
    const text = readFileSync(cassette, 'utf8')
    for (const secret of [CREDENTIALS.password, 'Harrow', place.folder]) expect(text).not.toContain(secret)
    return null
  } finally {
    rmSync(place.folder, { recursive: true, force: true })
  }
}

test.each(['SIGKILL', 'cut'] as const)('a recording ended by %s goes on with the next command', async effect => {
  const step = runs(7, 1)
  let nth = effect === 'cut' ? 2 : 1
  let exchanges = await killAt(effect, nth)
  while (exchanges === null) {
    nth += step
    exchanges = await killAt(effect, nth)
  }
  // It was killed at the head and at every kind of answer.
  expect(nth).toBeGreaterThan(exchanges - step)
})
