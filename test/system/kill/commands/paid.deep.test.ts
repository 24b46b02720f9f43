/** A night killed at its file operations while it fetches what another has paid. */
import '../use-processes.ts'
import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import { killEverywhere } from '../commands.ts'
import { paidScene } from '../paid.ts'
import { useServiceThatKills } from '../use-service.ts'

const { FETTLE_SEED = '20' } = process.env

const used = useServiceThatKills()

test.each(['SIGKILL', 'killed', 'cut'] as const)(
  'a night that fetches what another has paid, %s at a sample of its operations',
  {
    timeout: 7_200_000,
  },
  async effect => {
    const scene = await paidScene(used.data, used.service, { operation: 'enrich', at: 'answered' }, started => {
      used.child = started
    })
    const { points, violations } = await killEverywhere({ ...scene, effect, drawn: { count: 40, seed: Number(FETTLE_SEED) } })
    rmSync(scene.prepared.folder, { recursive: true, force: true })
    console.info(`a night that fetches, ${effect}: ${points} points, ${violations.length} violations`)
    expect(violations).toEqual([])
    expect(points).toBeGreaterThan(20)
  },
)
