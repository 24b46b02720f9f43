/** The shrinker finds exactly the needed faults, in lists of every form and in a real run with a planted defect. */
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Fault } from '../../../src/testing/index.ts'
import { policyOf } from './draws.ts'
import { OWN_DIST } from './place.ts'
import { shortestOf } from './repeat.ts'
import { shrink } from './shrink.ts'
import { journeyAlone, openStage, type Stage } from './stage.ts'

test('keeps exactly the needed faults, in order', async () => {
  const cases = fc
    .uniqueArray(fc.integer(), { minLength: 1, maxLength: 60 })
    .chain(items => fc.tuple(fc.constant(items), fc.subarray(items, { minLength: 1 })))
  await fc.assert(
    fc.asyncProperty(cases, async ([items, needed]) => {
      let asked = 0
      const left = await shrink(items, async some => {
        asked++
        return needed.every(one => some.includes(one))
      })
      expect(left).toEqual(items.filter(one => needed.includes(one)))
      expect(asked).toBeLessThan(4 * items.length + 20)
    }),
  )
})

test('keeps one of two faults that each suffice', async () => {
  expect(await shrink([1, 2, 3, 4, 5], async some => some.includes(2) || some.includes(4))).toHaveLength(1)
})

/** Requests that every run sends, so that dropping a fault on one spares the others. */
const SURE = ['createJob', 'upload', 'setMappings', 'submit', 'setEnrichments', 'enrich', 'enrichedFile', 'file'] as const

let stage: Stage
/** The planted defect: a run fails whenever all of these have happened to it. */
let needed: readonly string[] = []
const nameOf = ({ operation, nth, effect }: Pick<Fault, 'operation' | 'nth' | 'effect'>): string =>
  `${effect.kind} ${operation} ${nth}`

beforeAll(async () => {
  const objection = (fired: readonly Fault[]): string | null => {
    const names = fired.map(nameOf)
    return needed.length > 0 && needed.every(one => names.includes(one)) ? 'planted' : null
  }
  stage = await openStage({ dist: OWN_DIST, seed: 1, processes: 1, runsEach: 1, disk: false, objection })
})
afterAll(() => stage.close())

/** The first seed with faults on many of these requests, none of them a kill. */
function richSeed(): number {
  for (let seed = 1; ; seed++) {
    const policy = policyOf(seed, 1)
    const effects = SURE.map(operation => policy({ operation, nth: 1, method: '', path: '' }))
    const isRich = effects.filter(effect => effect !== null && effect.kind !== 'duplicate').length >= 5
    if (isRich && effects.every(effect => effect?.kind !== 'killClient')) return seed
  }
}

test('reduces a planted defect to its two faults', async () => {
  const seed = richSeed()
  const whole = await journeyAlone(stage, seed)
  expect(whole.charges, JSON.stringify(whole.commands)).toEqual([])
  const sure = whole.fired.filter(({ operation, nth }) => nth === 1 && (SURE as readonly string[]).includes(operation))
  expect(whole.history.length).toBeGreaterThanOrEqual(5)
  needed = [sure[0] as Fault, sure.at(-1) as Fault].map(nameOf)
  expect(new Set(needed).size).toBe(2)

  const failed = await journeyAlone(stage, seed)
  expect(failed.charges).toEqual([{ of: 'end', what: 'planted' }])
  const shortest = (await shortestOf(failed, stage)) as Fault[]
  expect(shortest.map(nameOf)).toEqual(needed)
})
