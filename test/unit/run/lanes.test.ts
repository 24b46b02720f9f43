/** Several remote jobs in one run: concurrent, each with its own events, each resumed by itself, never two for one part. */

import { describe, expect, test } from 'vitest'
import { FettleError } from '../../../src/errors.ts'
import type { Outcomes } from '../../../src/model/results.ts'
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
  test('become separate jobs, a limited number at a time, and one result', async () => {
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

  test('ask in the name of their stage, and each request is counted there, whichever stages lie side by side', async () => {
    const one = world()
    const asked = new Map<string, CallName[]>()
    let isSideBySide = false
    one.service.before = (call, options) => {
      const stage = options?.stage ?? 'none'
      asked.set(stage, [...(asked.get(stage) ?? []), call])
      isSideBySide ||= stage === 'create' && asked.has('upload')
    }
    await one.run()
    expect(isSideBySide).toBe(true)
    const counted = one.journal.of('stage.finished').map(({ stage, http }) => [stage, http.requests])
    expect(counted).toEqual([...asked].map(([stage, calls]) => [stage, calls.length]))
    const sent = (call: CallName): string[] => [...asked].filter(([, calls]) => calls.includes(call)).map(([stage]) => stage)
    expect([sent('createJob'), sent('upload'), sent('setMappings'), sent('submit'), sent('enrich')]).toEqual([
      ['create'],
      ['upload'],
      ['map'],
      ['submit'],
      ['enrich'],
    ])
    expect(new Map(counted as [string, number][]).get('map')).toBe(PARTS)
  })

  test('share one budget: nothing is enriched when all together pass it', async () => {
    const one = worldOf({ ...plan, budget: { rows: null, credits: 8 * PARTS - 1 } })
    const state = await one.run()
    expect(state.error?.code).toBe('FETTLE_BUDGET_CREDITS')
    expect(one.service.calls).not.toContain('enrich')
  })
})

describe('a job that the service ends in an error status', () => {
  /** The job of the second part fails, at matching or at enriching. */
  const withFailure = (word: string, made = world()): World => {
    const { service } = made
    service.after = call => {
      const job = service.jobs[1]
      if (job !== undefined && call === (word === 'matchingError' ? 'submit' : 'enrich') && job.ahead.length > 0) {
        if (job.status === (word === 'matchingError' ? service.matching[0] : service.enriching[0])) job.ahead = [word]
      }
    }
    made.results.outcomes = { matched: 12, manualMatched: 2, review: 2, unmatched: 2, duplicates: 2, failed: 10, skipped: 0 }
    return made
  }

  test.each(['matchingError', 'aggregatingError'])('%s: its rows fail, those of the others do not', async word => {
    const one = withFailure(word)
    const state = await one.run()
    expect(state).toMatchObject({ finished: true, status: 'error', exitCode: 76, outcomes: { matched: 12, failed: 10 } })
    expect(state.error).toMatchObject({ code: 'FETTLE_JOB_FAILED', message: expect.stringContaining('1 of 3 jobs failed') })
    expect(state.jobs.map(({ failure, received }) => [failure?.code ?? null, received?.rows ?? null])).toEqual([
      [null, 10],
      ['FETTLE_JOB_FAILED', null],
      [null, 10],
    ])
    expect([...one.results.failed]).toEqual([1])
    for (const stage of state.stages) expect(stage.status).toBe('success')
  })

  test('and the run goes on after a kill without asking for it again', async () => {
    const one = withFailure('matchingError')
    one.journal.crash = { at: one.journal.events.length + 40, when: 'after' }
    await one.run().catch(() => {})
    const next = withFailure('none', world(one))
    expect(await next.run()).toMatchObject({ finished: true, exitCode: 76, outcomes: { failed: 10 } })
    expect(next.service.jobs).toHaveLength(PARTS)
    expect(next.service.jobs[1]?.enriches).toBe(0)
  })

  test('and all others as well: nothing is enriched, and every row fails', async () => {
    const one = world()
    one.service.matching = ['matching', 'matchingError']
    const state = await one.run()
    expect(state).toMatchObject({ finished: true, status: 'error', exitCode: 76, outcomes: { failed: 10 * PARTS, matched: 0 } })
    expect(state.error?.message).toContain('3 of 3 jobs failed')
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

  test('reports a final refusal also while other jobs are waiting', async () => {
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

test('a kill when all files have come: one lane writes the outputs, the others leave it to that one', async () => {
  const calm = world()
  await calm.run()
  const last = calm.journal.events.findLastIndex(({ type }) => type === 'file.received')
  const one = world()
  one.journal.crash = { at: last - 1, when: 'after' }
  await one.run().catch(() => {})
  const next = world(one)
  expect(next.journal.state?.jobs.every(({ received }) => received !== null)).toBe(true)
  expect(await next.run()).toMatchObject({ finished: true, status: 'success' })
  expect(next.results.publishes).toBe(1)
  expect(next.journal.of('stage.finished').filter(({ stage }) => stage === 'download')).toHaveLength(1)
})

test('no job is enriched once another has failed for all', async () => {
  const one = world()
  one.service.before = call => {
    if (call === 'setEnrichments' && one.service.calls.filter(name => name === call).length === 1)
      throw new FettleError('FETTLE_FORBIDDEN', 'no right to enrich')
  }
  expect(await one.run()).toMatchObject({ error: { code: 'FETTLE_FORBIDDEN' } })
  expect(one.service.calls).not.toContain('enrich')
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
