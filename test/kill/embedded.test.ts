/**
 * SIGKILL at the journal writes of a run whose embedded service dies with it, by turns with half of the line on disk and with
 * the line synced: the state of both is found again, and the output is that of an undisturbed run.
 */
import { rmSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeData, outputOfRun, sweepJournal } from './kit.ts'

let data: string

beforeAll(async () => {
  data = await makeData()
})
afterAll(() => rmSync(data, { recursive: true, force: true }))

test.each([
  { effect: 'torn', first: 1, step: 2 },
  { effect: 'after', first: 2, step: 2 },
] as const)('killed with a line $effect', async sweep => {
  const points = await sweepJournal(data, null, sweep, await outputOfRun(data, null), () => {})
  console.log(`killed at ${points} journal writes (${sweep.effect}, service and all): 0 violations`)
  expect(points).toBeGreaterThanOrEqual(15)
})
