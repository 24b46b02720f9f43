/** A detached run: it stops once its jobs are submitted, `collect` resumes it, and no crash makes a second job. */
import { describe, expect, test } from 'vitest'
import { fetchJobStatuses } from '../../../src/run/poll-job.ts'
import { Crash, planOf, resumed, worldOf } from './world.ts'

const SEVERAL = { parts: [0, 3, 6, 9].map(from => ({ from, rows: Math.min(3, 10 - from) })), concurrency: 2 }

describe('a detached run', () => {
  test('stands submitted, and has asked for no status since', async () => {
    const world = worldOf()
    const state = await world.detach()
    expect(state).toMatchObject({ status: 'running', exitCode: null, finished: false, detached: true })
    expect(state.stages.map(stage => stage.status)).toEqual([...Array(4).fill('success'), ...Array(3).fill('pending')])
    expect(world.service.calls.at(-1)).toBe('submit')
    expect(world.journal.events.at(-1)?.type).toBe('run.detached')
  })

  test('is collected by a process that has only its journal', async () => {
    const world = worldOf()
    await world.detach()
    const next = resumed(world)
    expect(next.journal.state).toMatchObject({ detached: false })
    expect(await next.run()).toMatchObject({ finished: true, status: 'success', exitCode: 0, detached: false })
    expect(next.service.only).toMatchObject({ submits: 1, uploads: 1, enriches: 1 })
  })

  test('submits every job, however few go side by side', async () => {
    const world = worldOf(planOf(SEVERAL))
    expect(await world.detach()).toMatchObject({ detached: true })
    expect(world.service.jobs.map(job => job.submits)).toEqual([1, 1, 1, 1])
  })

  test('detached again does nothing', async () => {
    const world = worldOf()
    await world.detach()
    const next = resumed(world)
    const { length } = next.service.calls
    expect(await next.detach()).toMatchObject({ detached: true })
    expect(next.service.calls.length).toBe(length)
  })

  test('killed at any append of submitting, submitted by the next, and killed while it is collected: one job', async () => {
    const untouched = worldOf()
    await untouched.detach()
    const appends = untouched.journal.events.length - 1
    expect(appends).toBeGreaterThan(15)
    for (let at = 0; at < appends; at++)
      for (const when of ['before', 'after'] as const) {
        const world = worldOf()
        world.journal.crash = { at, when }
        world.service.before = () => {
          if (world.journal.crashed) throw new Crash()
        }
        await expect(world.detach()).rejects.toBeInstanceOf(Crash)
        const again = resumed(world)
        expect(await again.detach(), `append ${at} ${when}`).toMatchObject({ detached: true })
        const killed = resumed(again)
        killed.journal.crash = { at: at % 12, when }
        await killed.run().catch(() => {})
        const last = resumed(killed)
        expect(await last.run()).toMatchObject({ finished: true, status: 'success' })
        expect(last.service.only, `append ${at} ${when}`).toMatchObject({ submits: 1, uploads: 1, enriches: 1 })
      }
  })

  test('is an error at once when the service refuses it', async () => {
    const world = worldOf()
    world.service.uploading = ['uploadError']
    expect(await world.detach()).toMatchObject({ finished: true, status: 'error', exitCode: 76, detached: false })
  })
})

describe('a look at the jobs', () => {
  const standings = async (ahead: readonly string[], plan = planOf()) => {
    const world = worldOf(plan)
    // The first is what submitting leads to.
    world.service.matching = ['matching', ...ahead]
    const state = await world.detach()
    const seen: string[] = []
    for (const _ of ahead) seen.push((await fetchJobStatuses(state, world.ports)).status)
    return seen
  }

  test('returns going until the matching is done', async () => {
    expect(await standings(['matching', 'matched', 'jobMatchingComplete'])).toEqual(['going', 'going', 'ready'])
    expect(await standings(['matching', 'matched'], planOf({ enrich: null, output: null }))).toEqual(['going', 'ready'])
  })

  test('returns failed for an error status', async () => {
    expect(await standings(['matching', 'matchingError'])).toEqual(['going', 'failed'])
  })

  test('returns ready when one of several jobs failed and the others are done', async () => {
    const world = worldOf(planOf(SEVERAL))
    const state = await world.detach()
    for (const [at, job] of world.service.jobs.entries())
      Object.assign(job, { status: at === 1 ? 'matchingError' : 'matching', ahead: [] })
    expect((await fetchJobStatuses(state, world.ports)).status).toBe('going')
    for (const job of world.service.jobs) if (job.status === 'matching') job.status = 'jobMatchingComplete'
    expect((await fetchJobStatuses(state, world.ports)).status).toBe('ready')
  })
})
