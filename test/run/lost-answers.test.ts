/** Requests whose answer was lost: looked for, adopted, never repeated blindly. Orphans are named, never submitted. */
import { describe, expect, test } from 'vitest'
import { FettleError } from '../../src/errors.ts'
import { type EffectName, refusal } from './fake-service.ts'
import { resumed, type World, worldOf } from './world.ts'

const EFFECTS: readonly EffectName[] = ['createJob', 'upload', 'submit', 'enrich']

describe.each(EFFECTS)('the answer of %s', effect => {
  test.each(['before', 'after'] as const)('lost %s it took effect', async when => {
    const world = worldOf()
    world.service.lose = { [effect]: when }
    expect(await world.run()).toMatchObject({ finished: true, status: 'success' })
    const { uploads, submits, enriches } = world.service.only
    expect([uploads, submits, enriches]).toEqual([1, 1, 1])
    const result = {
      createJob: 'job.created',
      upload: 'upload.accepted',
      submit: 'match.accepted',
      enrich: 'enrich.accepted',
    } as const
    expect(world.journal.of(result[effect])).toMatchObject([{ adopted: when === 'after' }])
  })

  test.each(['before', 'after'] as const)(
    'lost %s it took effect, with nobody to ask: paused with 75, then resumed',
    async when => {
      const world = worldOf()
      const gone = new FettleError('FETTLE_UNANSWERED', 'no answer', { unanswered: true })
      world.service[when] = call => {
        if (call === effect) throw gone
      }
      expect(await world.run()).toMatchObject({
        finished: false,
        status: 'error',
        exitCode: 75,
        error: { code: 'FETTLE_UNANSWERED' },
      })
      const next = resumed(world)
      expect(await next.run()).toMatchObject({ finished: true, status: 'success', exitCode: 0 })
      const { uploads, submits, enriches } = next.service.only
      expect([uploads, submits, enriches]).toEqual([1, 1, 1])
    },
  )
})

describe.each(['submit', 'enrich'] as const)('%s delivered twice by something in between', effect => {
  test.each([400, 409])('the refusal (%i) of the second is success', async status => {
    const world = worldOf()
    world.service.after = call => {
      if (call === effect) throw refusal('already done', status)
    }
    expect(await world.run()).toMatchObject({ finished: true, status: 'success' })
    expect([world.service.only.submits, world.service.only.enriches]).toEqual([1, 1])
    expect(world.journal.of(effect === 'submit' ? 'match.accepted' : 'enrich.accepted')).toMatchObject([{ adopted: true }])
  })

  test('a refusal that is meant stays one', async () => {
    const world = worldOf()
    world.service.before = call => {
      if (call === effect) throw refusal('no such right')
    }
    expect(await world.run()).toMatchObject({ finished: false, exitCode: 76, error: { message: 'refused: no such right' } })
    expect(world.service.calls.filter(call => call === effect)).toHaveLength(1)
  })
})

test('a service still busy with the file is asked again every two seconds, for a minute at most', async () => {
  const world = worldOf()
  world.service.uploading = ['uploading', ...Array<string>(70).fill('uploading'), 'uploaded']
  expect(await world.run()).toMatchObject({ finished: true, status: 'success' })
  const stuck = worldOf()
  stuck.service.uploading = ['uploading']
  expect(await stuck.run()).toMatchObject({ finished: false, exitCode: 76 })
  expect(stuck.clock.monotonic()).toBeLessThan(130_000)
})

test('a job that is created but not listed yet is looked for three times over ten seconds', async () => {
  const world = worldOf()
  world.service.lose = { createJob: 'after' }
  let hidden: { name: string }[] = []
  world.service.after = call => {
    if (call === 'createJob') hidden = world.service.jobs.splice(0)
  }
  world.clock.at(9_000, () => world.service.jobs.push(...(hidden as typeof world.service.jobs)))
  expect(await world.run()).toMatchObject({ finished: true, status: 'success' })
  expect(world.service.only.submits).toBe(1)
  expect(world.clock.sleeps.slice(0, 2)).toEqual([3_000, 7_000])
})

describe('a job at readyForEnriching after a crash at the start of enriching', () => {
  /** A process that died after the intent; choosing the tags has led to readyForEnriching already. */
  async function died(): Promise<World> {
    const world = worldOf()
    world.service.after = call => {
      if (call === 'setEnrichments') world.service.only.status = 'readyForEnriching'
    }
    world.service.before = call => {
      if (call === 'enrich') throw new FettleError('FETTLE_UNANSWERED', 'no answer')
    }
    await world.run()
    return resumed(world)
  }

  test('is watched for 17 seconds, then enriching is started', async () => {
    const next = await died()
    expect(await next.run()).toMatchObject({ finished: true, status: 'success' })
    expect(next.service.only.enriches).toBe(1)
    expect(next.clock.sleeps.slice(0, 4)).toEqual([0, 2_000, 5_000, 10_000])
  })

  test('is not paid for twice when it moves on while it is watched', async () => {
    const next = await died()
    next.service.only.ahead = ['readyForEnriching', 'readyForEnriching', 'enriching', 'enrichmentComplete']
    expect(await next.run()).toMatchObject({ finished: true, status: 'success' })
    expect(next.service.only.enriches).toBe(0)
    expect(next.journal.of('enrich.accepted')).toMatchObject([{ adopted: true }])
  })
})

test('two jobs of our name: the oldest is used, the other is named once and left alone', async () => {
  const world = worldOf()
  world.service.lose = { createJob: 'before' }
  world.service.before = call => {
    // The request that seemed lost arrives after all, beside its repeat.
    if (call === 'createJob') world.service.add('fettle suppliers r1')
  }
  const state = await world.run()
  expect(state).toMatchObject({ finished: true, status: 'warn', exitCode: 0 })
  expect(world.service.jobs.map(job => [job.id, job.uploads, job.submits])).toEqual([
    ['job-1', 1, 1],
    ['job-2', 0, 0],
  ])
  expect(state.issues).toMatchObject([{ code: 'FETTLE_JOB_ORPHAN', severity: 'warn', message: expect.stringContaining('job-2') }])
})

test('a job that carries another name gets nothing more, at once and in every stage', async () => {
  for (const stage of ['upload', 'submit', 'enrich'] as const) {
    const world = worldOf()
    world.service.after = call => {
      if (call === stage) {
        world.service.jobs[0] = { ...world.service.only, name: 'somebody else' }
        throw new FettleError('FETTLE_NETWORK', 'reset')
      }
    }
    await world.run()
    const next = resumed(world)
    const before = next.service.calls.length
    expect(await next.run(), stage).toMatchObject({ finished: false, exitCode: 75, error: { code: 'FETTLE_UNANSWERED' } })
    expect(next.service.calls.slice(before), stage).toEqual(['readJob'])
  }
})

test('a file that broke on the way goes up once more, and only once', async () => {
  const world = worldOf()
  world.service.uploading = ['uploading', 'uploadError']
  world.service.after = call => {
    if (call === 'upload') world.service.uploading = ['uploading', 'uploaded']
  }
  expect(await world.run()).toMatchObject({ finished: true, status: 'success' })
  expect(world.service.only.uploads).toBe(2)
  const broken = worldOf()
  broken.service.uploading = ['uploadError']
  expect(await broken.run()).toMatchObject({
    finished: true,
    status: 'error',
    exitCode: 76,
    error: { code: 'FETTLE_JOB_FAILED' },
  })
  expect(broken.service.only.uploads).toBe(2)
  expect(broken.service.calls).not.toContain('setMappings')
})
