/**
 * The night after one that was killed before it paid, killed at a sample of its file operations: it takes the place of that one, and pays
 * for every row once. The deep test in commands/ takes more of them.
 */
import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { killEverywhere } from './commands.ts'
import { unpaidScene } from './paid.ts'
import { useServiceThatKills } from './use-service.ts'

const used = useServiceThatKills()

const AT = [
  /write .*-killed-\w+\/journal\.jsonl/,
  /rename .*\/report\.json/,
  /unlink .*\.asked/,
  /rename .*\/choice\.bin/,
  /rename .*\.asked/,
  /rename .*\/enriched-0\.csv\.gz/,
]

test('a night that takes the place of one that has not paid, killed meanwhile, pays for every row once', async () => {
  const scene = await unpaidScene(used.data, used.service, started => {
    used.child = started
  })
  const { points, violations } = await killEverywhere({ ...scene, effect: 'killed', at: AT })
  rmSync(scene.prepared.folder, { recursive: true, force: true })
  expect(violations).toEqual([])
  expect(points).toBe(AT.length)
})
