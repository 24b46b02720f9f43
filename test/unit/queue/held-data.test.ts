/** Data in Redis is not trusted: a changed task, journal or end reaches no other address and writes to no other path. */
import { describe, expect, test, vi } from 'vitest'
import { realClock } from '../../../src/client/clock.ts'
import { FettleError } from '../../../src/errors.ts'
import { fingerprintOf } from '../../../src/pipeline/planning/fingerprint.ts'
import { type Notice, ShardQueue } from '../../../src/queue/index.ts'
import { heldData } from './held-data.ts'
import { hostile, mutantsOf, sample } from './mutants.ts'
import { HAS_REDIS } from './redis.ts'

const SEED = 5
type Held = Awaited<ReturnType<typeof heldData>>
const made: { held: Promise<Held> | null } = { held: null }
const held = (): Promise<Held> => {
  made.held ??= heldData()
  return made.held
}
/** The first line of a journal, changed. */
const begun = (
  lines: readonly string[],
  change: (line: { plan: Record<string, unknown>; [key: string]: unknown }) => void,
): string[] => {
  const first = JSON.parse(lines[0] ?? '')
  change(first)
  return [JSON.stringify(first), ...lines.slice(1)]
}
process.stderr.write(`seed ${SEED}\n`)

describe.skipIf(!HAS_REDIS)('what Redis holds', { timeout: 300_000 }, () => {
  test('a journal that names another service gets neither credentials nor a request, from worker and collector', async () => {
    const { lines, end, evilUrl, service, carryLines, collect } = await held()
    const url = `${evilUrl}/v1`
    const before = service.requests.length
    for (const count of [1, 3, lines.length]) {
      const changed = begun(lines, first => {
        const { fingerprint: _, ...plan } = { ...first.plan, service: { ...(first.plan.service as object), url } } as Record<
          string,
          unknown
        >
        first.plan = { ...plan, fingerprint: fingerprintOf(plan as never) }
        first.identity = `${url} ${String(first.identity).split(' ')[1]}`
      }).slice(0, count)
      expect(await carryLines(changed)).toMatchObject({
        status: 'failed',
        why: expect.stringContaining('of another service or user'),
      })
      expect(await collect(changed, end)).toMatchObject({
        status: 'failed',
        why: expect.stringContaining('FETTLE_JOURNAL_DAMAGED'),
      })
    }
    expect(service.requests.length).toBe(before)
  })

  test('a name, a run id or a job name that is a path or of another run is refused', async () => {
    const { task, lines, outside, carryTask, carryLines } = await held()
    const name = `/../../../../../../..${outside}/pwn`
    const named = JSON.stringify({ ...task, plan: { ...task.plan, name } })
    for (const isRenamed of [false, true])
      expect(await carryTask(named, isRenamed)).toMatchObject({
        status: 'failed',
        why: expect.stringContaining('of its plan name is not of its form'),
      })
    const ids = [name, '20260101T000000Z-other-000000', '99991231T235959Z-p.1-of-2-000000', '20260101T000000Z-p.2-of-2-000000']
    for (const runId of ids) {
      const why = expect.stringContaining('its run id is not one of this shard')
      expect(await carryLines(begun(lines, first => void Object.assign(first, { runId })))).toMatchObject({
        status: 'failed',
        why,
      })
    }
    const created = lines.map(line => line.replace(/("type":"job.created".*"name":")[^"]*/, '$1another'))
    expect(await carryLines(created)).toMatchObject({
      status: 'failed',
      why: expect.stringContaining('its job name is not that of the run'),
    })
  })

  test('a list outside the folder of the worker is not read, and none is fetched that it was not started for', async () => {
    const { task, outside, evilUrl, carryTask } = await held()
    const at = (path: string): string => JSON.stringify({ ...task, plan: { ...task.plan, input: { ...task.plan.input, path } } })
    for (const path of ['/etc/passwd', '../rows.csv', `${outside}/rows.csv`, 'a/../../rows.csv', '.'])
      expect(await carryTask(at(path), true)).toMatchObject({
        status: 'failed',
        why: expect.stringContaining('outside the working directory'),
      })
    for (const path of [`${evilUrl}/rows.csv`, 's3://bucket/rows.csv', 'https://169.254.169.254/latest'])
      expect(await carryTask(at(path), true)).toMatchObject({
        status: 'failed',
        why: expect.stringContaining('may not fetch the list'),
      })
  })

  test('a key of another type, a line of another form and a journal too large give the shard up with a reason', async () => {
    const { connected, record, task, key, judged, carryKept } = await held()
    const [id] = record.jobs as [string]
    const { redis } = connected
    const puts: readonly (() => Promise<unknown>)[] = [
      () => redis.set(key(id), 'text'),
      () => redis.rpush(key(id), 'one'),
      () => redis.hset(key(id), 'a', 'b'),
      () => redis.xadd(key(id), '1-0', 'another', '{}'),
      () => redis.xadd(key(id), '2-0', 'line', '{}'),
      () => redis.xadd(key(id), '1-0', 'line', '{}', 'line', '{}'),
      () => redis.xadd(key(id), '1-0', 'line', 'x'.repeat(130 * 1024 ** 2)),
    ]
    for (const put of puts) {
      await redis.del(key(id))
      await put()
      expect(await judged(() => carryKept(id, task))).toMatchObject({ status: 'failed', why: expect.stringContaining(id) })
    }
    await redis.del(key(id))
  })

  test('notices of any form are printed as text, and a shard that cannot be read ends the wait', async () => {
    const { connected, record } = await held()
    const { redis } = connected
    const board = new ShardQueue(connected)
    const ids = [record.jobs[1]!]
    const seen: Notice[] = []
    const stop = new AbortController()
    const pause = (ms: number, signal: AbortSignal): Promise<void> => realClock.sleep(Math.min(ms, 50), signal).catch(() => {})
    const waited = board.wait(ids, { signal: stop.signal, pause, onNotice: notice => void seen.push(notice) })
    const ended = waited.catch((error: unknown) => error)
    const words = ['{"toString":null}', '["a"]', '12', JSON.stringify('x'.repeat(100_000)), '"\\u001b[2J"']
    const tell = async (): Promise<void> => {
      for (const data of words) await redis.xadd('fettle:fettle:events', '*', 'event', 'progress', 'jobId', ids[0]!, 'data', data)
    }
    await vi.waitUntil(
      async () => {
        await tell()
        return seen.length >= words.length
      },
      { timeout: 60_000, interval: 200 },
    )
    for (const { text } of seen) expect(text.length).toBeLessThan(3_000)
    // What cannot be read as an event does not end it either.
    await redis.xadd('fettle:fettle:events', '*', 'event', 'progress', 'jobId', ids[0]!, 'data', '{')
    await redis.set('fettle:fettle:completed', 'text')
    const error = await ended
    expect(FettleError.is(error) && error.code).toBe('FETTLE_QUEUE_SETTINGS')
    await redis.del('fettle:fettle:completed')
    await board.close()
  })

  test('a sample of changed tasks, journals and ends: no other address, no file outside, a reason', async () => {
    const data = await held()
    const values = hostile(data.evilUrl, data.outside)
    const began = performance.now()
    const cases = { tasks: 0, journals: 0, ends: 0 }
    for (const isRenamed of [false, true])
      for (const { json } of sample(mutantsOf(data.task, values), isRenamed ? 131 : 61, SEED)) {
        await data.carryTask(json, isRenamed)
        cases.tasks++
      }
    for (const [at, line] of data.lines.entries())
      for (const { json } of sample(mutantsOf(JSON.parse(line), values), 167, SEED + at)) {
        await data.carryLines(data.lines.with(at, json))
        cases.journals++
      }
    for (const { json } of sample(mutantsOf(data.end, values), 23, SEED)) {
      await data.collect(data.lines, JSON.parse(json))
      cases.ends++
    }
    process.stderr.write(`${JSON.stringify(cases)} in ${Math.round(performance.now() - began)} ms\n`)
    expect(cases.tasks).toBeGreaterThan(50)
  })
})
