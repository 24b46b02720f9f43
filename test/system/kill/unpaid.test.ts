/**
 * The resume of a night that was killed before it paid, killed at a sample of its file operations: it pays for nothing that another
 * night has paid, and writes what a full night writes. The deep test in commands/ takes more of them.
 */
import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { killEverywhere } from './commands.ts'
import { unpaidScene } from './paid.ts'
import { useServiceThatKills } from './use-service.ts'

const used = useServiceThatKills()

const AT = [
  /rename .*\/reused\.jsonl/,
  /rename .*\/known\.bits/,
  /rename .*\.questions/,
  /rename .*\/upload\.csv/,
  /rename .*\/enriched-0\.csv\.gz/,
]

test('the resume of a night that has not paid, killed while it chooses its rows again, pays for nothing twice', async () => {
  const scene = await unpaidScene(used.data)
  const { points, violations } = await killEverywhere({ ...scene, effect: 'killed', at: AT })
  rmSync(scene.prepared.folder, { recursive: true, force: true })
  expect(violations).toEqual([])
  expect(points).toBe(AT.length)
})
