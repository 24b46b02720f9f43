/**
 * `merge`, `review --apply`, `clean` and `forget` killed at a sample of their file operations: repeating the command leaves exactly the
 * files of an undisturbed one, in all folders. The deep tests in commands/ take every operation.
 */
import { rmSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { FaultyService } from '../../../src/testing/index.ts'
import { killEverywhere } from './commands.ts'
import { cleanScene, forgetScene, mergeScene, nightScene, reviewScene, type Scene } from './scenes.ts'
import { useService } from './use-service.ts'

let data: string
let service: FaultyService

useService(started => {
  ;({ data, service } = started)
})

/** Kills the command right after each of these operations. */
async function killAfter(scene: Scene, at: readonly RegExp[]): Promise<void> {
  const { points, places, violations } = await killEverywhere({ ...scene, effect: 'killed', at })
  rmSync(scene.prepared.folder, { recursive: true, force: true })
  expect(violations).toEqual([])
  expect([points, places]).toEqual([at.length, at.length + 1])
}

test('a killed merge leaves only the merged list', async () => {
  await killAfter(await mergeScene(data), [/mkdir .*-killed-\w+$/, /write .*\/\.report\.json\./])
})

test('a killed review leaves no temporary file in the folders of decisions, outputs and run', async () => {
  const scene = await reviewScene(data, { isFirst: false })
  await killAfter(scene, [/write .*\/\.killed\.csv\./, /write .*\/\.review\.jsonl\./, /write .*\/\.junit\.xml\./])
})

test('a night killed while it chooses rows and keeps answers pays for nothing twice, and the next night pays for nothing', async () => {
  const scene = await nightScene(data, service)
  const { prepared, ...rest } = scene
  await killAfter({ prepared, ...rest }, [
    /write .*\/\.choice\.bin\./,
    /rename .*\/choice\.bin/,
    /rename .*\.asked/,
    /write .*\/\.[^/]*-720h\.answers\./,
    /rename .*-720h\.answers/,
    /unlink .*\.asked/,
  ])
})

test('clean killed after its output continues with its one job', async () => {
  const scene = { ...cleanScene(data, service), only: { file: 'in-clean.csv', ops: 'rename' } }
  await killAfter(scene, [/rename/])
})

test('forget killed between its files is completed by the same command', async () => {
  await killAfter(await forgetScene(data, service), [
    /rename .*\/forget\.json/,
    /write .*\/journal\.jsonl/,
    /rename .*\/journal-rows\.jsonl/,
    /rename .*\/states\.jsonl\.gz/,
    /rename .*\.answers$/,
  ])
})
