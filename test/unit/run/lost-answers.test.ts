/** Requests whose answer was lost: checked and adopted, never repeated blindly. Orphan jobs are reported, never submitted. */
import { describe, expect, test } from 'vitest'
import { FettleError } from '../../../src/errors.ts'
import { type EffectName, refusal } from './fake-service.ts'
import { planOf, resumed, type World, worldOf } from './world.ts'

const EFFECTS: readonly EffectName[] = ['createJob', 'upload', 'submit', 'enrich']

describe.each(EFFECTS)('the answer of %s', effect => {
  // What is paid is not sent again on a guess: below.
  const times = effect === 'enrich' ? (['after'] as const) : (['before', 'after'] as const)
  test.each(times)('lost %s it took effect', async when => {
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

describe('a job whose status lags behind', () => {
  /** A world whose job, after the lost answer of this effect, has the status from before it for `ms` milliseconds. */
  function lagging(effect: 'submit' | 'enrich', ms: number): World {
    const world = worldOf()
    world.service.lose = { [effect]: 'after' }
    let before = ''
    world.service.before = call => {
      if (call === effect) before = world.service.only.status
    }
    world.service.after = call => {
      if (call !== effect) return
      const { status, ahead } = world.service.only
      Object.assign(world.service.only, { status: before, ahead: [] })
      world.clock.at(world.clock.monotonic() + ms, () => Object.assign(world.service.only, { status, ahead }))
    }
    return world
  }

  test.each(['submit', 'enrich'] as const)(
    'for nine seconds, the answer of %s lost: read until it shows the effect',
    async effect => {
      const world = lagging(effect, 9_000)
      expect(await world.run()).toMatchObject({ finished: true, status: 'success' })
      expect([world.service.only.submits, world.service.only.enriches]).toEqual([1, 1])
      expect(world.journal.of(effect === 'submit' ? 'match.accepted' : 'enrich.accepted')).toMatchObject([{ adopted: true }])
    },
  )

  test('for minutes, the answer of enrich lost: paused with 75, and a resume finds what was paid', async () => {
    const world = lagging('enrich', 120_000)
    const paused = await world.run()
    expect(paused).toMatchObject({ finished: false, exitCode: 75, error: { code: 'FETTLE_UNANSWERED' } })
    expect(paused.error?.message).toMatch(/job-1 does not show that enriching started/)
    await world.clock.sleep(120_000)
    const next = resumed(world)
    expect(await next.run()).toMatchObject({ finished: true, status: 'success', exitCode: 0 })
    expect(next.service.only.enriches).toBe(1)
    expect(next.journal.of('enrich.accepted')).toMatchObject([{ adopted: true }])
  })

  test('for nine seconds of a resume: nothing is paid twice', async () => {
    const world = lagging('enrich', 27_000)
    expect(await world.run()).toMatchObject({ finished: false, exitCode: 75 })
    const next = resumed(world)
    next.clock.at(9_000, () => void world.clock.sleep(10_000))
    expect(await next.run()).toMatchObject({ finished: true, exitCode: 0 })
    expect(next.service.only.enriches).toBe(1)
  })
})

test('enriching that is lost on its way: paused with 75, and started by a resume that has watched the job', async () => {
  const world = worldOf()
  world.service.lose = { enrich: 'before' }
  expect(await world.run()).toMatchObject({ finished: false, exitCode: 75, error: { code: 'FETTLE_UNANSWERED' } })
  expect(world.service.only.enriches).toBe(0)
  const next = resumed(world)
  expect(await next.run()).toMatchObject({ finished: true, status: 'success', exitCode: 0 })
  expect(next.service.only.enriches).toBe(1)
  expect(next.clock.sleeps.slice(0, 4)).toEqual([0, 2_000, 5_000, 10_000])
})

test('a service that does not handle the request to enrich (503): read for a while, then sent again', async () => {
  const world = worldOf()
  const enrich = world.service.enrich.bind(world.service)
  let looked: unknown
  world.service.enrich = async (id, options) => {
    looked = await options.look('unavailable')
    return enrich(id, options)
  }
  expect(await world.run()).toMatchObject({ finished: true, status: 'success' })
  expect(looked).toBeUndefined()
  expect(world.service.only.enriches).toBe(1)
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

test('a broken upload that reaches the service after the check, so that the next one is refused: sent once more', async () => {
  const world = worldOf()
  world.service.lose = { upload: 'before' }
  let refusals = 0
  world.service.before = call => {
    if (call !== 'upload' || refusals++ > 0) return
    world.service.only.status = 'uploading'
    world.service.only.ahead = ['uploading', 'uploadError']
  }
  expect(await world.run()).toMatchObject({ finished: true, status: 'success' })
  expect([world.service.only.uploads, refusals]).toEqual([1, 2])
})

test('broken uploads of an earlier process that arrive after the check: the next one is refused, and sent again after each', async () => {
  const world = worldOf()
  world.service.before = call => {
    if (call === 'upload') throw new FettleError('FETTLE_NETWORK', 'the connection broke off')
  }
  expect(await world.run()).toMatchObject({ finished: false, exitCode: 75 })
  const next = resumed(world)
  let uploads = 0
  next.service.before = call => {
    if (call !== 'upload' || uploads++ > 1) return
    next.service.only.status = 'uploading'
    next.service.only.ahead = ['uploading', 'uploadError']
  }
  expect(await next.run()).toMatchObject({ finished: true, status: 'success' })
  expect([next.service.only.uploads, uploads]).toEqual([1, 3])
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

describe('a job under our id that carries another name', () => {
  const MARKER = 'fettle suppliers r1'
  const STAGES = ['upload', 'setMappings', 'submit', 'enrich', 'openEnrichedFile'] as const

  /** A run whose process died in a stage, and whose id has come to mean a job of somebody else by the time it is resumed. */
  async function diedIn(stage: (typeof STAGES)[number]): Promise<World> {
    const world = worldOf()
    world.service.before = call => {
      if (call === stage) throw new FettleError('FETTLE_UNANSWERED', 'no answer', { unanswered: true })
    }
    await world.run()
    world.service.jobs[0] = { ...world.service.only, name: 'somebody else' }
    return resumed(world)
  }

  test.each(STAGES)('gets nothing more, in %s; where ours is not to be found the run stops with 75', async stage => {
    const next = await diedIn(stage)
    const before = next.service.calls.length
    const state = await next.run()
    expect(state).toMatchObject({ finished: false, exitCode: 75, error: { code: 'FETTLE_UNANSWERED' } })
    expect(state.error?.message).toMatch(/"somebody else", and there is no job "fettle suppliers r1"/)
    expect(next.service.calls.slice(before)).toEqual(['readJob', 'findJobs', 'findJobs', 'findJobs'])
  })

  test.each(STAGES)('finds our job by its name, in %s: adopts its status and repeats the rest', async stage => {
    const next = await diedIn(stage)
    const foreign = structuredClone(next.service.jobs[0])
    next.service.add(MARKER)
    const state = await next.run()
    expect(state).toMatchObject({ finished: true, status: 'warn', exitCode: 0 })
    expect(next.service.jobs[0]).toEqual(foreign)
    const ours = next.service.jobs[1]!
    expect([ours.uploads, ours.mappings.length, ours.submits, ours.enriches]).toEqual([1, 2, 1, 1])
    expect(next.journal.of('job.created').at(-1)).toMatchObject({ id: 'job-2', name: MARKER, adopted: true })
    expect(state.jobs).toMatchObject([{ id: 'job-2', adopted: true }])
    expect(state.issues).toMatchObject([
      { code: 'FETTLE_JOB_ORPHAN', severity: 'warn', message: expect.stringMatching(/job-1.*"somebody else".*is job-2/) },
    ])
  })

  test.each([
    ['jobMatchingComplete', [0, 0, 1]],
    ['enrichmentComplete', [0, 0, 0]],
  ])('ours has come as far as %s: nothing that happened is repeated', async (status, effects) => {
    const next = await diedIn('openEnrichedFile')
    const refuse = next.service.before
    next.service.before = (call, options) => {
      if (call === 'setMappings') throw refusal('the job was submitted')
      if (call === 'setEnrichments' && ours.status === 'enrichmentComplete') throw refusal('the job was enriched')
      refuse(call, options)
    }
    const ours = next.service.add(MARKER)
    ours.status = status
    expect(await next.run()).toMatchObject({ finished: true, exitCode: 0 })
    expect([ours.uploads, ours.submits, ours.enriches]).toEqual(effects)
  })

  test('also in the process that created it, and reports a second job of our name', async () => {
    const world = worldOf()
    world.service.after = call => {
      if (call !== 'upload' || world.service.jobs.length > 1) return
      world.service.jobs[0] = { ...world.service.only, name: 'somebody else' }
      world.service.add(MARKER)
      world.service.add(MARKER)
    }
    const state = await world.run()
    expect(state).toMatchObject({ finished: true, status: 'warn' })
    expect(world.service.jobs.map(job => [job.uploads, job.submits])).toEqual([
      [1, 0],
      [1, 1],
      [0, 0],
    ])
    expect(state.issues.map(one => one.message)).toEqual([expect.stringContaining('is job-2'), expect.stringContaining('job-3')])
  })

  test('moving on and on ends with 75: once is enough', async () => {
    const next = await diedIn('submit')
    let serial = 0
    const rename = () => {
      for (const job of next.service.jobs) Object.assign(job, { name: 'somebody else' })
      next.service.add(MARKER)
    }
    next.service.before = call => {
      if (call === 'readJob' && ++serial < 10) rename()
    }
    expect(await next.run()).toMatchObject({ finished: false, exitCode: 75, error: { code: 'FETTLE_UNANSWERED' } })
    expect(next.journal.of('job.created').length).toBe(2)
  })

  test.each([
    ['FETTLE_NETWORK', undefined],
    ['FETTLE_NOT_FOUND', 404],
  ] as const)('a first look that fails (%s) says nothing: the stage finds out for itself', async (code, status) => {
    const world = worldOf()
    world.service.before = call => {
      if (call === 'submit') throw new FettleError('FETTLE_UNANSWERED', 'no answer')
    }
    await world.run()
    const next = resumed(world)
    let looks = 0
    next.service.before = call => {
      if (call === 'readJob' && ++looks === 1) throw new FettleError(code, 'no', status === undefined ? {} : { status })
    }
    expect(await next.run()).toMatchObject({ finished: true, exitCode: 0 })
  })

  test('a first look that finds a mistake of ours is one', async () => {
    const world = await diedIn('submit')
    let looks = 0
    world.service.before = call => {
      if (call === 'readJob' && ++looks === 1) throw new TypeError('oops')
    }
    expect(await world.run()).toMatchObject({ exitCode: 70 })
  })

  test('reads it once, and not at all before it exists or after it is done', async () => {
    const fresh = worldOf()
    const seen: unknown[] = []
    fresh.service.before = (call, options) => {
      if (call === 'readJob') seen.push(options)
      if (call === 'submit') throw new FettleError('FETTLE_UNANSWERED', 'no answer')
    }
    await fresh.run()
    expect(fresh.service.calls[0]).toBe('createJob')
    const next = resumed(fresh)
    seen.length = 0
    next.service.before = (call, options) => {
      if (call === 'readJob') seen.push(options)
    }
    const before = next.service.calls.length
    next.results.publish = async () => {
      throw new FettleError('FETTLE_OUTPUT_WRITE', 'no space left')
    }
    await next.run()
    expect(seen[0]).toMatchObject({ attempts: 1, stage: 'submit', signal: expect.any(AbortSignal) })
    expect(next.service.calls.slice(before, before + 5)).toEqual(['readJob', 'readJob', 'readJob', 'readJob', 'submit'])
    const last = resumed(next)
    const calls = last.service.calls.length
    expect(await last.run()).toMatchObject({ finished: true })
    expect(last.service.calls.length).toBe(calls)
  })
})

test.each([
  ['too large a body', new FettleError('FETTLE_REJECTED', 'no', { status: 413 }), 76],
  ['a missing right', new FettleError('FETTLE_FORBIDDEN', 'no', { status: 409 }), 77],
  ['a mistake of ours', new TypeError('oops'), 70],
])('%s is not asked about', async (_, error, exitCode) => {
  const world = worldOf()
  world.service.before = call => {
    if (call === 'setMappings') throw error
  }
  expect(await world.run()).toMatchObject({ finished: false, exitCode })
  expect(world.service.calls.at(-1)).toBe('setMappings')
})

test('repeats a request refused as too early after two seconds, or at once when the job became ready meanwhile', async () => {
  const world = worldOf()
  const at: number[] = []
  world.service.before = call => {
    if (call !== 'setMappings') return
    at.push(world.clock.monotonic())
    // Two looks after each refusal: the second one after the second refusal finds the file read.
    if (at.length === 1)
      Object.assign(world.service.only, { status: 'uploading', ahead: ['uploading', 'uploading', 'uploading', 'uploaded'] })
    if (at.length < 3) throw refusal('not yet')
  }
  expect(await world.run()).toMatchObject({ finished: true })
  expect(at).toEqual([0, 2_000, 2_000])
})

describe('mappings that are refused', () => {
  test('reports a final refusal with the mappings that were sent', async () => {
    const world = worldOf()
    world.service.before = call => {
      if (call === 'setMappings') throw refusal('no such column', 422)
    }
    const state = await world.run()
    expect(state).toMatchObject({ finished: false, exitCode: 76, error: { code: 'FETTLE_REJECTED' } })
    expect(state.error?.message).toBe('refused: no such column Mappings sent: name from Company, orgNumber from Reg No.')
    expect(world.service.calls.filter(call => call === 'setMappings')).toHaveLength(1)
  })

  test.each([400, 409, 422])('for a file not yet read (%i): sent again until it is', async status => {
    const world = worldOf()
    world.service.uploading = ['uploading', 'uploaded']
    let refused = 0
    world.service.before = call => {
      if (call !== 'setMappings' || ++refused > 3) return
      world.service.only.status = 'uploading'
      world.service.only.ahead = ['uploading', 'uploading', 'uploaded']
      throw refusal('the file is being read', status)
    }
    expect(await world.run()).toMatchObject({ finished: true, status: 'success' })
  })

  test('does not change other errors', async () => {
    const world = worldOf()
    world.service.before = call => {
      if (call === 'setMappings') throw new FettleError('FETTLE_FORBIDDEN', 'no right', { status: 403 })
    }
    expect(await world.run()).toMatchObject({ exitCode: 77, error: { message: 'no right' } })
  })
})

test('row number, band, pattern and name are asked for with the tags that were chosen, and once', async () => {
  for (const tags of [['general.connectId'], ['general.rowNumber', 'general.connectId']]) {
    const world = worldOf(planOf({ enrich: { product: 'basic', tags } }))
    expect(await world.run()).toMatchObject({ finished: true, exitCode: 0 })
    const asked = ['general.banding', 'general.companyName', 'general.connectId', 'general.pattern', 'general.rowNumber']
    expect(world.service.only.tags.toSorted()).toEqual(asked)
    expect(world.journal.state!.plan.enrich?.tags).toEqual(tags)
  }
})

describe('tags that are refused', () => {
  test('for good: 76', async () => {
    const world = worldOf()
    world.service.before = call => {
      if (call === 'setEnrichments') throw refusal('no such tag')
    }
    expect(await world.run()).toMatchObject({ finished: false, exitCode: 76, error: { message: 'refused: no such tag' } })
    expect(world.service.only.enriches).toBe(0)
  })

  test('since enriching is under way were chosen before', async () => {
    const world = worldOf()
    world.service.before = call => {
      if (call !== 'setEnrichments') return
      // Somebody's finger on the button in the portal.
      Object.assign(world.service.only, { status: 'enriching', ahead: ['enriching', 'enriching', 'enrichmentComplete'] })
      throw refusal('the job is enriching')
    }
    expect(await world.run()).toMatchObject({ finished: true, exitCode: 0 })
    expect(world.service.only.enriches).toBe(0)
  })
})

test('a file that broke on the way is sent once more, and only once', async () => {
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

describe('a service that has no operation to submit', () => {
  test.each([404, 405, 501])('%i: a job that leaves ready within a minute is submitted', async status => {
    const world = worldOf()
    world.service.noSubmit = { status, reads: 20 }
    expect(await world.run()).toMatchObject({ finished: true, status: 'success' })
    expect(world.journal.of('match.accepted')).toMatchObject([{ adopted: true, messageId: null }])
    expect(world.service.calls.filter(call => call === 'submit')).toHaveLength(2)
  })

  test('a status that this version does not know shows that the job has moved', async () => {
    const world = worldOf()
    world.service.noSubmit = { status: 405, reads: 2 }
    world.service.matching = ['queuedForMatching', ...world.service.matching]
    expect(await world.run()).toMatchObject({ finished: true, exitCode: 0 })
  })

  test('a job that waits in ready for hours is waited for, until poll.timeout', async () => {
    const long = worldOf()
    long.service.noSubmit = { status: 404, reads: 200 }
    expect(await long.run()).toMatchObject({ finished: true, status: 'success' })
    expect(long.clock.monotonic()).toBeGreaterThan(3_600_000)
    const stuck = worldOf()
    stuck.service.noSubmit = { status: 404, reads: 500 }
    const state = await stuck.run()
    expect(state).toMatchObject({ finished: false, exitCode: 75, error: { code: 'FETTLE_DEADLINE' } })
    expect(state.error?.message).toMatch(
      /its status is "ready", not matching \(the service answered 404 to the request to start it\)/,
    )
    stuck.service.noSubmit = null
    stuck.service.only.ahead = []
    expect(await resumed(stuck).run()).toMatchObject({ finished: true, status: 'success' })
  })

  test.each([404, 409])('a job that failed after the mappings ends the run within a poll, with its status (%i)', async status => {
    const world = worldOf()
    world.service.noSubmit = { status, reads: 0 }
    world.service.matching = ['uploadError']
    expect(await world.run()).toMatchObject({
      exitCode: 76,
      error: { code: 'FETTLE_JOB_FAILED', message: 'the job job-1 ended in the status uploadError' },
    })
    expect(world.clock.monotonic()).toBeLessThan(10_000)
  })

  test('any other refusal ends the run at once', async () => {
    const world = worldOf()
    world.service.noSubmit = { status: 403, reads: 1 }
    expect(await world.run()).toMatchObject({ finished: false })
    expect(world.service.calls.at(-1)).toBe('submit')
  })
})
