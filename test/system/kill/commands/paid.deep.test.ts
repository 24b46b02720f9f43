/** A night killed at its file operations while it fetches what another has paid. */
import '../use-processes.ts'
import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { FaultyService } from '../../../../src/testing/index.ts'
import { killEverywhere } from '../commands.ts'
import type { start } from '../kit.ts'
import { paidScene } from '../paid.ts'
import { useService } from '../use-service.ts'

const { FETTLE_SEED = '20' } = process.env

let data: string
let service: FaultyService
let child: ReturnType<typeof start>['child'] | null = null

useService(
  started => {
    ;({ data, service } = started)
  },
  { onKill: () => child?.kill('SIGKILL') },
)

test.each(['SIGKILL', 'killed', 'cut'] as const)(
  'a night that fetches what another has paid, %s at a sample of its operations',
  {
    timeout: 7_200_000,
  },
  async effect => {
    const scene = await paidScene(data, service, { operation: 'enrich', at: 'answered' }, started => {
      child = started
    })
    const { points, violations } = await killEverywhere({ ...scene, effect, drawn: { count: 40, seed: Number(FETTLE_SEED) } })
    rmSync(scene.prepared.folder, { recursive: true, force: true })
    // Killed once the answers are stored, it leaves their questions named until the other run ends.
    const others = violations.filter(one => !one.endsWith('.asking/killed.questions is left behind'))
    console.info(`a night that fetches, ${effect}: ${points} points, ${others.length} violations`)
    expect(others).toEqual([])
    expect(points).toBeGreaterThan(20)
  },
)
