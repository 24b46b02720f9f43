/** A journal that lost its last lines, and an id that the service does not have: effects are found, never repeated. */
import { expect, test } from 'vitest'
import { FettleError } from '../../../src/errors.ts'
import { resumed, worldOf } from './world.ts'

/** A run that finished, or whose last request was not answered, with only the first lines of its journal. */
async function cutAfter(lines: number, stopAt: 'submit' | 'enrich' | null) {
  const world = worldOf()
  if (stopAt !== null)
    world.service.after = call => {
      if (call === stopAt) throw new FettleError('FETTLE_UNANSWERED', 'no answer', { unanswered: true })
    }
  await world.run()
  const total = world.journal.events.length
  world.journal.events.splice(lines)
  // The service names its jobs by their state, and refuses what does not fit.
  return { next: resumed(world), total }
}

test.each([null, 'submit', 'enrich'] as const)(
  'cut to any number of lines, after a stop at %s: one job, nothing sent twice',
  async stopAt => {
    let cuts = 0
    for (let lines = 1, total = 2; lines < total; lines++) {
      const cut = await cutAfter(lines, stopAt)
      total = cut.total
      const { next } = cut
      next.service.before = call => {
        const { status } = next.service.only
        const isSubmitted = !['created', 'uploading', 'uploaded', 'ready'].includes(status)
        if (call === 'setMappings' && isSubmitted) throw new FettleError('FETTLE_REJECTED', 'submitted', { status: 409 })
        if (call === 'setEnrichments' && status === 'enrichmentComplete')
          throw new FettleError('FETTLE_REJECTED', 'enriched', { status: 409 })
      }
      expect(await next.run(), `line ${lines}`).toMatchObject({ finished: true, status: 'success', exitCode: 0 })
      const { uploads, submits, enriches } = next.service.only
      expect([uploads, submits, enriches], `line ${lines}`).toEqual([1, 1, 1])
      cuts++
    }
    expect(cuts).toBeGreaterThan(10)
  },
)

test.each(['upload', 'setMappings', 'submit', 'enrich', 'openEnrichedFile'] as const)(
  'an id that the service does not have, in %s: our job is found by its name',
  async stage => {
    const world = worldOf()
    world.service.before = call => {
      if (call === stage) throw new FettleError('FETTLE_UNANSWERED', 'no answer')
    }
    await world.run()
    const created = world.journal.events.findIndex(event => event.type === 'job.created')
    const event = world.journal.of('job.created')[0]!
    world.journal.events[created] = { ...event, id: 'job-7' }
    const next = resumed(world)
    next.service.before = call => {
      const isSubmitted = !['created', 'uploading', 'uploaded', 'ready'].includes(next.service.only.status)
      if (call === 'setMappings' && isSubmitted) throw new FettleError('FETTLE_REJECTED', 'submitted', { status: 409 })
    }
    const state = await next.run()
    expect(state).toMatchObject({ finished: true, status: 'warn', exitCode: 0, jobs: [{ id: 'job-1', adopted: true }] })
    expect(state.issues).toMatchObject([
      { code: 'FETTLE_JOB_ORPHAN', message: expect.stringMatching(/job-7 does not exist.*is job-1/) },
    ])
    const { uploads, submits, enriches } = next.service.only
    expect([uploads, submits, enriches]).toEqual([1, 1, 1])
  },
)

test('a job that is gone is 76, and no other is created', async () => {
  const world = worldOf()
  world.service.before = call => {
    if (call === 'submit') throw new FettleError('FETTLE_UNANSWERED', 'no answer')
  }
  await world.run()
  world.service.jobs.length = 0
  const next = resumed(world)
  expect(await next.run()).toMatchObject({ finished: false, exitCode: 76, error: { code: 'FETTLE_NOT_FOUND' } })
  expect(next.service.jobs).toEqual([])
})
