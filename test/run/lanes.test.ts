/** Several remote jobs in one run: side by side, each with its own events, resumed one by one, no second one for any part. */
import { describe, expect, test } from 'vitest'
import { FettleError } from '../../src/errors.ts'
import type { Outcomes } from '../../src/journal/events.ts'
import { type CallName, refusal } from './fake-service.ts'
import { Crash, OUTCOMES, planOf, type World, worldOf } from './world.ts'

const PARTS = 3
const plan = planOf({
  rows: 10 * PARTS,
  sent: 10 * PARTS,
  parts: Array.from({ length: PARTS }, (_, part) => ({ from: 10 * part, rows: 10 })),
  concurrency: 2,
})

const outcomes = Object.fromEntries(
  Object.entries(OUTCOMES).map(([name, count]) => [name, (count ?? 0) * PARTS]),
) as unknown as Outcomes

function world(earlier?: World): World {
  const made = worldOf(plan, earlier)
  made.results.outcomes = outcomes
  if (earlier !== undefined) made.journal.append({ type: 'run.resumed', pid: 1, host: 'h' })
  return made
}

/** Jobs at the service that are neither created only nor past matching. */
const inWork = ({ service }: World): number =>
  service.jobs.filter(({ status }) => status !== 'jobMatchingComplete' && !status.startsWith('enrich')).length

const onceEach = ({ service }: World): void => {
  expect(service.jobs.map(({ name }) => name).sort()).toEqual(
    Array.from({ length: PARTS }, (_, part) => `fettle suppliers r1-${part + 1}`),
  )
  for (const { uploads, submits, enriches } of service.jobs)
    expect({ uploads, submits, enriches }).toEqual({ uploads: 1, submits: 1, enriches: 1 })
}

describe('parts', () => {
  test('become jobs of their own, so many at a time, and one result', async () => {
    const one = world()
    let most = 0
    one.service.after = () => {
      most = Math.max(most, inWork(one))
    }
    const state = await one.run()
    expect(state).toMatchObject({ finished: true, status: 'success', outcomes })
    expect(state.jobs.map(({ part, received }) => [part, received?.rows])).toEqual(plan.parts.map((_, part) => [part, 10]))
    expect(most).toBe(plan.concurrency)
    expect(one.results).toMatchObject({ receives: PARTS, publishes: 1 })
    onceEach(one)
  })

  test('begin and end each stage once, and none is enriched before all are matched', async () => {
    const one = world()
    await one.run()
    const { events } = one.journal
    for (const type of ['stage.started', 'stage.finished'] as const)
      expect(one.journal.of(type).map(({ stage }) => stage)).toEqual([
        'create',
        'upload',
        'map',
        'submit',
        'match',
        'enrich',
        'download',
      ])
    const lastMatch = events.findLastIndex(({ type }) => type === 'match.finished')
    expect(events.findIndex(({ type }) => type === 'enrichments.accepted')).toBeGreaterThan(lastMatch)
  })

  test('share one budget: nothing is enriched when all together pass it', async () => {
    const one = worldOf({ ...plan, budget: { rows: null, credits: 8 * PARTS - 1 } })
    const state = await one.run()
    expect(state.error?.code).toBe('FETTLE_BUDGET_CREDITS')
    expect(one.service.calls).not.toContain('enrich')
  })
})

describe('a part that cannot go on', () => {
  test('stops the others where they wait; a resume finishes all with the same jobs', async () => {
    const one = world()
    let submits = 0
    one.service.before = call => {
      if (call === 'submit' && ++submits === 2) throw new FettleError('FETTLE_NETWORK', 'gone')
    }
    const paused = await one.run()
    expect(paused).toMatchObject({ finished: false, error: { code: 'FETTLE_NETWORK' } })
    expect(one.journal.of('stage.failed').map(({ stage }) => stage)).toContain('submit')
    one.service.before = () => {}
    const next = world(one)
    expect(await next.run()).toMatchObject({ finished: true, status: 'success' })
    onceEach(next)
  })

  test('and is refused for good is told as such, whatever the others were doing', async () => {
    const one = world()
    one.service.before = call => {
      if (call === 'setMappings' && one.service.jobs.length > 1) throw refusal('no such mapping', 422)
    }
    const state = await one.run()
    expect(state.error).toMatchObject({ code: 'FETTLE_REJECTED', message: expect.stringContaining('no such mapping') })
    expect(one.service.jobs.length).toBeLessThanOrEqual(plan.concurrency)
  })
})

test('a kill at any event, and any answer lost on the way: every part has one job, and each effect once', async () => {
  const calm = world()
  await calm.run()
  const total = calm.journal.events.length - 1
  const loseAt = (one: World, nth: number): void => {
    let calls = 0
    one.service.after = (call: CallName) => {
      if (/createJob|upload|submit|enrich$/.test(call) && ++calls === nth) one.service.lose.createJob = 'after'
    }
  }
  for (let at = 0; at < total; at += 3) {
    const one = world()
    one.journal.crash = { at, when: at % 2 === 0 ? 'before' : 'after' }
    loseAt(one, at % 7)
    await one.run().catch(error => {
      if (!(error instanceof Crash)) throw error
    })
    one.service.after = () => {}
    const next = world(one)
    expect(await next.run(), `killed at event ${at}`).toMatchObject({ finished: true, status: 'success' })
    onceEach(next)
  }
})

test('the ids that the service gives to effects are noted for their own part', async () => {
  const one = world()
  const { service } = one
  const { submit } = service
  service.submit = async (id, options) => {
    const effect = await submit.call(service, id, options)
    options.onCorrelation?.({ operation: 'submit', correlationId: `c-${id}` })
    return effect
  }
  const state = await one.run()
  for (const job of state.jobs) expect(job.correlations).toEqual([{ operation: 'submit', correlationId: `c-${job.id}` }])
})
