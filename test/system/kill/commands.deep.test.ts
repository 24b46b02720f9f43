/**
 * `merge`, `review --apply` and `clean` killed before and after every file operation and in the middle of every write, and
 * with a disk that is full for one operation.
 */
import './use-processes.ts'
import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { FaultyService } from '../../../src/testing/index.ts'
import { type Killed, killEverywhere } from './commands.ts'
import { cleanScene, mergeScene, reviewScene, type Scene } from './scenes.ts'
import { useService } from './use-service.ts'

let data: string
let service: FaultyService

useService(started => {
  ;({ data, service } = started)
})

const SCENES: readonly (readonly [string, () => Scene | Promise<Scene>])[] = [
  ['merge', () => mergeScene(data)],
  ['a first review', () => reviewScene(data, { isFirst: true })],
  ['a further review', () => reviewScene(data, { isFirst: false })],
  ['clean', () => cleanScene(data, service)],
]
const EFFECTS: readonly (readonly [Killed['effect'], string])[] = [
  ['SIGKILL', 'before an operation'],
  ['killed', 'after an operation'],
  ['cut', 'in the middle of a write'],
  ['ENOSPC', 'by a full disk at an operation'],
]
const cells = SCENES.flatMap(([name, make]) => EFFECTS.map(([effect, where]) => [name, where, make, effect] as const))

test.each(cells)(
  '%s killed %s ends with the files of an undisturbed command',
  { timeout: 7_200_000 },
  async (name, where, make, effect) => {
    const scene = await make()
    const { creates } = service.server.effects()
    const { points, places, violations } = await killEverywhere({ ...scene, effect })
    rmSync(scene.prepared.folder, { recursive: true, force: true })
    console.info(`${name} killed ${where}: ${points} points, ${violations.length} violations`)
    expect(violations).toEqual([])
    expect(points).toBeGreaterThan(9)
    // Every list that was cleaned has one job, and the other commands have none.
    expect(service.server.effects().creates - creates).toBe(name === 'clean' ? places : 0)
  },
)
