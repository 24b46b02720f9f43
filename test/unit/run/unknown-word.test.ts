/** An unknown status after a lost answer proves nothing, so the effect is neither adopted nor repeated. */
import { describe, expect, test } from 'vitest'
import type { FakeService } from './fake-service.ts'
import { resumed, worldOf } from './world.ts'

/** The first `reads` reads after this effect return an unknown status; the returned function ends that. */
function ponder(service: FakeService, effect: string, reads: number): () => void {
  const read = service.readJob.bind(service)
  let left = 0
  service.before = call => {
    if (call === effect) left = reads
  }
  service.readJob = async (id, options) => {
    const record = await read(id, options)
    return left-- > 0 ? { ...record, status: 'pondering' } : record
  }
  return () => {
    left = 0
  }
}

describe.each(['upload', 'submit', 'enrich'] as const)('%s, its answer lost and its job at a strange word', effect => {
  test.each(['before', 'after'] as const)('for a moment, lost %s it took effect: the next word decides', async when => {
    const world = worldOf()
    // What is lost on its way is never called; the call before it is.
    const previous = { upload: 'createJob', submit: 'setMappings', enrich: 'setEnrichments' }[effect]
    ponder(world.service, when === 'before' ? previous : effect, 2)
    world.service.lose = { [effect]: when }
    const first = await world.run()
    // What is paid and does not show is not sent again by this process.
    expect(first.finished).toBe(effect !== 'enrich' || when === 'after')
    expect(first.finished ? first : await resumed(world).run()).toMatchObject({ finished: true, status: 'success' })
    const { uploads, submits, enriches } = world.service.only
    expect([uploads, submits, enriches]).toEqual([1, 1, 1])
  })

  test('pauses with 75 and names the status, then resumes once it is known', async () => {
    const world = worldOf()
    const tell = ponder(world.service, { upload: 'createJob', submit: 'setMappings', enrich: 'setEnrichments' }[effect], 20)
    world.service.lose = { [effect]: 'before' }
    const paused = await world.run()
    expect(paused).toMatchObject({ finished: false, exitCode: 75, error: { code: 'FETTLE_UNANSWERED' } })
    expect(paused.error?.message).toContain('"pondering"')
    const next = resumed(world)
    tell()
    expect(await next.run()).toMatchObject({ finished: true, status: 'success', exitCode: 0 })
    const { uploads, submits, enriches } = next.service.only
    expect([uploads, submits, enriches]).toEqual([1, 1, 1])
  })
})
