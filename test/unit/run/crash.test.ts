/** A crash before or after any journal write, then a resume: each effect happens once, and the outcome is that of one run. */
import { expect, test } from 'vitest'
import type { Plan } from '../../../src/pipeline/model/types.ts'
import type { FakeService } from './fake-service.ts'
import { Crash, planOf, resumed, worldOf } from './world.ts'

async function crashEverywhere(plan: Plan, noSubmit: FakeService['noSubmit'] = null): Promise<number> {
  const untouched = worldOf(plan)
  untouched.service.noSubmit = noSubmit
  const whole = await untouched.run()
  expect(whole).toMatchObject({ finished: true, status: 'success', exitCode: 0 })
  const appends = untouched.journal.events.length - 1
  let points = 0
  for (let at = 0; at < appends; at++) {
    for (const when of ['before', 'after'] as const) {
      const world = worldOf(plan)
      world.service.noSubmit = noSubmit
      world.journal.crash = { at, when }
      // A dead process sends nothing either.
      world.service.before = () => {
        if (world.journal.crashed) throw new Crash()
      }
      await expect(world.run(), `append ${at} ${when}`).rejects.toBeInstanceOf(Crash)
      points++
      const next = resumed(world)
      const state = await next.run()
      const job = next.service.only
      const seen = { ...state, effects: [next.service.jobs.length, job.submits, job.enriches] }
      expect(seen, `append ${at} ${when}`).toMatchObject({
        finished: true,
        status: 'success',
        exitCode: 0,
        outcomes: whole.outcomes,
        effects: [1, noSubmit === null ? 1 : 0, plan.enrich === null ? 0 : 1],
      })
      // The upload is the only effect the service takes twice without harm; it is read first, so even it is not repeated.
      expect(job.uploads, `append ${at} ${when}`).toBe(1)
      expect(state.stages.map(stage => stage.status)).toEqual(whole.stages.map(stage => stage.status))
    }
  }
  return points
}

test('every append of a run with enrichment and download', async () => {
  expect(await crashEverywhere(planOf())).toBeGreaterThan(70)
})

test('every append of a run that ends when matched', async () => {
  expect(await crashEverywhere(planOf({ enrich: null, output: null }))).toBeGreaterThan(40)
})

test('every append of a run at a service that starts to match by itself', async () => {
  expect(await crashEverywhere(planOf({ enrich: null, output: null }), { status: 404, reads: 4 })).toBeGreaterThan(40)
})

test('a crash of the resumed process, too', async () => {
  for (let first = 4; first < 40; first += 3) {
    for (let second = 0; second < 6; second++) {
      const one = worldOf()
      one.journal.crash = { at: first, when: 'before' }
      await one.run().catch(() => {})
      const two = resumed(one)
      two.journal.crash = { at: second, when: 'after' }
      await two.run().catch(() => {})
      const three = resumed(two)
      expect(await three.run()).toMatchObject({ finished: true, status: 'success' })
      expect([three.service.only.submits, three.service.only.enriches, three.service.only.uploads]).toEqual([1, 1, 1])
    }
  }
})

test('leaves a finished run unchanged', async () => {
  const world = worldOf()
  const state = await world.run()
  const calls = world.service.calls.length
  const events = world.journal.events.length
  expect(await world.run()).toEqual(state)
  expect([world.service.calls.length, world.journal.events.length]).toEqual([calls, events])
})

test('closes a stage that was complete before the crash, without running it again', async () => {
  const world = worldOf()
  await world.run()
  const written = world.journal.events.findIndex(event => event.type === 'output.written')
  world.journal.events.splice(written + 1)
  const next = resumed(world)
  expect(await next.run()).toMatchObject({ finished: true, exitCode: 0 })
  expect([next.results.receives, next.results.publishes]).toEqual([0, 0])
})
