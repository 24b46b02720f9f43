/**
 * A command killed before and after every file operation and in the middle of every write, and with a disk that is full for one
 * operation. A file for each command, or for each of its kills, so that they share the processors.
 */
import '../use-processes.ts'
import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { FaultyService } from '../../../../src/testing/index.ts'
import { killEverywhere } from '../commands.ts'
import type { Scene } from '../scenes.ts'
import { useService } from '../use-service.ts'

const PLACES = {
  SIGKILL: 'before an operation',
  killed: 'after an operation',
  cut: 'in the middle of a write',
  ENOSPC: 'by a full disk at an operation',
} as const
type Effect = keyof typeof PLACES

/** A long walk takes so many operations; FETTLE_EVERY_KILL=1 takes all of them, FETTLE_SEED other ones. */
const SAMPLE = 60
const { FETTLE_EVERY_KILL, FETTLE_SEED = '20' } = process.env

interface Walk {
  /** Jobs that the command may create. */
  readonly jobs?: number
  /** A long walk has a file for each effect. */
  readonly effects?: readonly Effect[]
  /** A sample of the operations, with a seed. */
  readonly isSampled?: boolean
}

export function killAtEveryOperation(
  name: string,
  make: (data: string, service: FaultyService) => Scene | Promise<Scene>,
  { jobs = 0, effects = Object.keys(PLACES) as Effect[], isSampled = false }: Walk = {},
): void {
  const drawn = isSampled && FETTLE_EVERY_KILL !== '1' ? { drawn: { count: SAMPLE, seed: Number(FETTLE_SEED) } } : {}
  let data: string
  let service: FaultyService

  useService(started => {
    ;({ data, service } = started)
  })

  test.each(effects.map(effect => [PLACES[effect], effect] as const))(
    `${name} killed %s ends with the files of an undisturbed command`,
    { timeout: 7_200_000 },
    async (where, effect) => {
      const scene = await make(data, service)
      const { creates } = service.server.effects()
      const { points, places, violations } = await killEverywhere({ ...scene, ...drawn, effect })
      rmSync(scene.prepared.folder, { recursive: true, force: true })
      console.info(`${name} killed ${where}: ${points} points, ${violations.length} violations`)
      expect(violations).toEqual([])
      expect(points).toBeGreaterThan(9)
      expect(service.server.effects().creates - creates).toBe(jobs * places)
    },
  )
}
