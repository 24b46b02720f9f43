/** A signal or the time limit in every stage: effects in flight are awaited, waits stop, nothing new starts, a resume continues. */
import { describe, expect, test } from 'vitest'
import { FettleError } from '../../../src/errors.ts'
import type { CallName } from './fake-service.ts'
import { resumed, type World, worldOf } from './world.ts'

const sigint = new FettleError('FETTLE_SIGINT')

/** Presses Ctrl-C during the first call of this name, before or after it takes effect. */
function stopAt(world: World, call: CallName, when: 'before' | 'after', reason: unknown = sigint): void {
  world.service[when] = name => {
    if (name === call && !world.stop.signal.aborted) world.stop.abort(reason)
  }
}

async function goesOn(world: World): Promise<void> {
  const next = resumed(world)
  expect(await next.run()).toMatchObject({ finished: true, status: 'success', exitCode: 0, error: null })
  expect([next.service.only.uploads, next.service.only.submits, next.service.only.enriches]).toEqual([1, 1, 1])
}

describe.each([
  ['createJob', 'create', 'job.created'],
  ['setMappings', 'map', 'mapping.accepted'],
  ['submit', 'submit', 'match.accepted'],
  ['setEnrichments', 'enrich', 'enrichments.accepted'],
  ['enrich', 'enrich', 'enrich.accepted'],
] as const)('a stop during %s', (call, stage, result) => {
  test.each(['before', 'after'] as const)('%s it took effect: heard out, recorded, nothing after it', async when => {
    const world = worldOf()
    stopAt(world, call, when)
    const state = await world.run()
    expect(state).toMatchObject({
      finished: false,
      status: 'cancelled',
      exitCode: 130,
      error: { code: 'FETTLE_SIGINT', kind: 'sigint' },
    })
    expect(world.service.calls.at(-1)).toBe(call)
    expect(world.journal.of(result)).toHaveLength(1)
    expect(world.journal.events.at(-1)?.type).toBe('run.paused')
    expect(state.stages.find(one => one.name === stage)?.status).toBe(stage === 'enrich' ? 'cancelled' : 'success')
    await goesOn(world)
  })
})

test('a stop during the upload ends it at once; the resume looks first', async () => {
  const world = worldOf()
  stopAt(world, 'upload', 'before')
  expect(await world.run()).toMatchObject({ status: 'cancelled', exitCode: 130 })
  expect(world.journal.of('upload.accepted')).toHaveLength(0)
  expect(world.service.only.uploads).toBe(0)
  await goesOn(world)
})

describe.each(['match', 'enrich'] as const)('a stop while %s is waited for', stage => {
  test('ends the sleep, with exit code 143 for SIGTERM', async () => {
    const world = worldOf()
    const endless = Array<string>(50).fill(stage === 'match' ? 'matching' : 'enriching')
    world.service[stage === 'match' ? 'matching' : 'enriching'] = [...endless]
    world.clock.at(60_000, () => world.stop.abort(new FettleError('FETTLE_SIGTERM')))
    expect(await world.run()).toMatchObject({ finished: false, status: 'cancelled', exitCode: 143 })
    expect(world.clock.monotonic()).toBe(60_000)
    const next = resumed(world)
    next.service.only.ahead = stage === 'match' ? ['jobMatchingComplete'] : ['enrichmentComplete']
    next.service.enriching = ['enrichmentComplete']
    expect(await next.run()).toMatchObject({ finished: true, exitCode: 0 })
    expect([next.service.only.submits, next.service.only.enriches]).toEqual([1, 1])
  })
})

test('a stop during the download leaves the old output alone', async () => {
  const world = worldOf()
  stopAt(world, 'openEnrichedFile', 'before')
  expect(await world.run()).toMatchObject({ status: 'cancelled', exitCode: 130 })
  expect(world.results.publishes).toBe(0)
  await goesOn(world)
})

test('a stop while the outputs are written comes too late: the run is complete', async () => {
  const world = worldOf()
  const publish = world.results.publish.bind(world.results)
  world.results.publish = () => {
    world.stop.abort(sigint)
    return publish()
  }
  expect(await world.run()).toMatchObject({ finished: true, status: 'success', exitCode: 0 })
})

test('a stop before anything began sends nothing', async () => {
  const world = worldOf()
  world.stop.abort(sigint)
  expect(await world.run()).toMatchObject({ status: 'cancelled', exitCode: 130 })
  expect(world.service.calls).toEqual([])
  await goesOn(world)
})

test('the time limit of the run is a retryable error', async () => {
  const world = worldOf()
  world.service.matching = ['matching']
  const limit = new FettleError('FETTLE_DEADLINE', 'the time limit of 30 s passed')
  world.clock.at(30_000, () => world.stop.abort(limit))
  expect(await world.run()).toMatchObject({ finished: false, status: 'error', exitCode: 75, error: { message: limit.message } })
  expect(world.clock.monotonic()).toBe(30_000)
})

test('the verdict of the service outranks a stop that came meanwhile', async () => {
  const world = worldOf()
  world.service.before = call => {
    if (call !== 'submit') return
    world.stop.abort(sigint)
    throw new FettleError('FETTLE_FORBIDDEN', 'no right to submit')
  }
  expect(await world.run()).toMatchObject({ exitCode: 77, error: { code: 'FETTLE_FORBIDDEN' } })
})

test('grace that runs out ends even an effect, which the resume then looks for', async () => {
  const world = worldOf()
  world.service.before = call => {
    if (call !== 'enrich') return
    world.stop.abort(sigint)
    world.grace.abort(sigint)
  }
  expect(await world.run()).toMatchObject({ status: 'cancelled', exitCode: 130 })
  expect(world.journal.of('enrich.accepted')).toHaveLength(0)
  await goesOn(world)
})

test('a journal that cannot be written ends everything before the effect', async () => {
  const world = worldOf()
  const append = world.journal.append.bind(world.journal)
  const full = new FettleError('FETTLE_JOURNAL_WRITE', 'no space left')
  world.journal.append = fact => {
    if (fact.type === 'enrich.requested') throw full
    return append(fact)
  }
  await expect(world.run()).rejects.toBe(full)
  expect(world.service.only.enriches).toBe(0)
  expect(world.journal.of('run.paused')).toHaveLength(0)
  await goesOn(world)
})

test('a run that the login refused has asked for no job: the next start looks once for one of its name, without a pause', async () => {
  const world = worldOf()
  world.service.authenticate = async () => {
    throw new FettleError('FETTLE_LOGIN', 'authenticate: the service answered 401')
  }
  expect(await world.run()).toMatchObject({ finished: false, exitCode: 77 })
  expect(world.journal.of('job.requested')).toHaveLength(0)
  const next = resumed(world)
  next.service.authenticate = async () => {}
  expect(await next.run()).toMatchObject({ finished: true, exitCode: 0 })
  expect(next.service.calls.filter(call => call === 'findJobs')).toHaveLength(1)
  expect(next.service.calls.indexOf('findJobs')).toBeLessThan(next.service.calls.indexOf('createJob'))
})
