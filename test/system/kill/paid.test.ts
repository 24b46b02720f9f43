/**
 * A night that fetches what a killed one with another list has paid, killed at a sample of its file operations: both have one job, no
 * question is paid twice, and both come to their end. The deep test in commands/ takes more of them.
 */
import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { killEverywhere } from './commands.ts'
import { type PaidAt, paidScene } from './paid.ts'
import { useServiceThatKills } from './use-service.ts'

const used = useServiceThatKills()

const CASES: readonly (readonly [PaidAt, readonly RegExp[]])[] = [
  [
    { operation: 'enrich', at: 'carriedOut' },
    [
      /write .*-killed-\w+\/journal\.jsonl/,
      /rename .*\/enriched-0\.csv\.gz/,
      /rename .*\/answers-604800000\.bin/,
      /rename .*-720h\.answers/,
      /unlink .*\.asked/,
    ],
  ],
  [{ operation: 'enrichedFile', at: 'answered' }, [/write .*\/\.[^/]*-168h\.answers\./]],
]

test.each(CASES)('a night killed while it fetches what another has paid (%j) pays for nothing twice', async (paid, at) => {
  const scene = await paidScene(used.data, used.service, paid, started => {
    used.child = started
  })
  const { points, violations } = await killEverywhere({ ...scene, effect: 'killed', at })
  rmSync(scene.prepared.folder, { recursive: true, force: true })
  expect(violations).toEqual([])
  expect(points).toBe(at.length)
})
