/**
 * One pipeline started four times at once: one process runs it, the others name that process at once, and there is one job.
 * The winner waits at its first effect until the others have exited. FETTLE_RACE sets the rounds.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { FaultyService } from '../../../src/testing/index.ts'
import { makePlace, type Start, start, startProcess } from '../kill/kit.ts'
import { useService } from '../kill/use-service.ts'

const ROUNDS = Number(process.env.FETTLE_RACE ?? '6')

let data: string
let service: FaultyService
let letGo: Promise<unknown> = Promise.resolve()

useService(
  started => {
    ;({ data, service } = started)
  },
  { onPoint: () => letGo },
)

/** Nobody has such a number (Linux gives at most 2^22). */
const DEAD = { pid: 99_999_999, host: hostname(), since: '2025-01-01T00:00:00.000Z', token: 'dead' }

async function round(number: number, start: Start): Promise<number[]> {
  const place = makePlace(data, service)
  const isStale = number % 2 === 1
  if (isStale) {
    mkdirSync(join(place.runsDir, 'locks'), { recursive: true })
    writeFileSync(join(place.runsDir, 'locks/killed'), JSON.stringify({ ...DEAD, token: `dead-${number}` }))
  }
  const before = service.server.effects().creates
  const armed = service.server.arm([{ operation: 'createJob', effect: { kind: 'point', name: 'first effect' } }])
  const startedAt = performance.now()
  const took: number[] = []
  const four = Array.from({ length: 4 }, () => start(place, ['run', 'pipeline.yml', '--json']))
  letGo = new Promise<void>(resolve => {
    let refused = 0
    for (const { ended } of four)
      void ended.then(() => {
        took.push(performance.now() - startedAt)
        if (++refused === 3) resolve()
      })
  })
  const endings = await Promise.all(four.map(({ ended }) => ended))
  const what = `round ${number}: ${endings.map(one => one.stderr).join('\n---\n')}`
  expect(endings.map(one => one.code).sort(), what).toEqual([0, 75, 75, 75])
  const winner = four[endings.findIndex(one => one.code === 0)]!.child.pid
  for (const { code, stderr, stdout } of endings) {
    if (code === 0) expect(stderr.includes(`took over the lock of process ${DEAD.pid}, which is gone`), what).toBe(isStale)
    else {
      expect(stderr, what).toMatch(
        new RegExp(`FETTLE_LOCKED[^]*process ${winner} on ${hostname()} since 20\\d\\d-\\d\\d-\\d\\dT`),
      )
      expect(JSON.parse(stdout), what).toMatchObject({ exitCode: 75, error: { code: 'FETTLE_LOCKED' } })
    }
  }
  expect(armed.unconsumed()).toEqual([])
  expect(service.server.effects().creates - before, what).toBe(1)
  rmSync(place.folder, { recursive: true, force: true })
  return took.slice(0, 3)
}

test('one of four processes runs the pipeline, the others name it', { timeout: 60_000 + ROUNDS * 20_000 }, async () => {
  const took: number[] = []
  for (let number = 0; number < ROUNDS; number++) took.push(...(await round(number, start)))
  took.sort((a, b) => a - b)
  const [half, all] = [took[took.length >> 1]!, took.at(-1)!].map(Math.round)
  console.log(`${ROUNDS} rounds of 4 processes: 1 winner and 1 job each; refused after ${half} ms (median), ${all} ms (longest)`)
})

test('one of four real processes takes over a stale lock', { timeout: 60_000 }, () => round(1, startProcess))
