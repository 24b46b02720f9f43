/** A night that takes the place of one that has not paid, killed at its file operations. */
import '../use-processes.ts'
import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { killEverywhere } from '../commands.ts'
import { unpaidScene } from '../paid.ts'
import { useServiceThatKills } from '../use-service.ts'

const { FETTLE_SEED = '20' } = process.env

const used = useServiceThatKills()

test.each(['SIGKILL', 'killed', 'cut'] as const)(
  'a night that takes the place of one that has not paid, %s at a sample of its operations',
  {
    timeout: 7_200_000,
  },
  async effect => {
    const scene = await unpaidScene(used.data, used.service, started => {
      used.child = started
    })
    const { points, violations } = await killEverywhere({ ...scene, effect, drawn: { count: 40, seed: Number(FETTLE_SEED) } })
    rmSync(scene.prepared.folder, { recursive: true, force: true })
    console.info(`a night in place of another, ${effect}: ${points} points, ${violations.length} violations`)
    expect(violations).toEqual([])
    expect(points).toBeGreaterThan(20)
  },
)
