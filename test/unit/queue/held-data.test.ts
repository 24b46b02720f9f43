/** Only what the account signed is used: a changed task, journal or end reaches no other address, writes to no other path and ends no shard. */
import fc from 'fast-check'
import { describe, expect, test, vi } from 'vitest'
import { realClock } from '../../../src/client/clock.ts'
import { sealTask } from '../../../src/distributed/shard-task.ts'
import { FettleError } from '../../../src/errors.ts'
import { type Notice, openSigner, ShardQueue } from '../../../src/queue/index.ts'
import { runs } from '../../support/runs.ts'
import { type Entry, heldData } from './held-data.ts'
import { HAS_REDIS } from './redis.ts'

const SEED = Number(process.env.FETTLE_SEED ?? 20261126)
type Held = Awaited<ReturnType<typeof heldData>>
const made: { held: Promise<Held> | null } = { held: null }
const held = (): Promise<Held> => {
  made.held ??= heldData()
  return made.held
}
type Change =
  | { readonly kind: 'text'; readonly at: number; readonly from: number; readonly text: string }
  | { readonly kind: 'signature' | 'swapped'; readonly at: number; readonly by: number }
  | { readonly kind: 'left out' | 'twice' | 'fields'; readonly at: number }
/** Back to the queue: neither given up nor started again. */
const UNSIGNED = { status: 'workerUnusable', why: expect.stringContaining('FETTLE_QUEUE_SIGNATURE') }

describe.skipIf(!HAS_REDIS)('what Redis holds', { timeout: 300_000 }, () => {
  test('a task without the signature of the account for this job and version gets neither credentials nor a request', async () => {
    const { service, connected, tasks, task, end, id, other, signer, evilUrl, outside, record, carryTask } = await held()
    const before = service.requests.length
    const stranger = await openSigner('guess', record.identity)
    const elsewhere = { ...task, plan: { ...task.plan, service: { ...task.plan.service, url: `${evilUrl}/v1` } } }
    const [own] = tasks
    const forgeries: readonly unknown[] = [
      ...[null, 1, 'text', {}, [], { body: 1, signature: 1 }, { body: '{}', signature: '' }],
      JSON.parse(own.body),
      { body: own.body },
      { ...own, signature: own.signature.slice(1) },
      { ...own, signature: [own.signature] },
      { ...own, body: own.body.replace('"rows.csv"', JSON.stringify(`${outside}/rows.csv`)) },
      { ...own, body: JSON.stringify(elsewhere) },
      sealTask(connected, id, elsewhere, stranger),
      sealTask(connected, id, task, stranger),
      sealTask(connected, other, task, signer),
      sealTask({ address: { ...connected.address, name: 'another' } } as typeof connected, id, task, signer),
      sealTask(connected, id, { ...task, version: '9.9.9' }, signer),
      sealTask(connected, id, { ...task, plan: { ...task.plan, mappings: 'none' } as never }, signer),
      { ...own, body: own.body.replace('{', '{"__proto__":{"polluted":true},') },
      tasks[1],
      end,
    ]
    for (const forgery of forgeries) expect(await carryTask(forgery), JSON.stringify(forgery)).toMatchObject(UNSIGNED)
    expect(service.requests.length).toBe(before)
  })

  test('any change to a journal but a lost end sends nothing and ends nothing, in a worker and in the collecting process', async () => {
    const { service, entries, end, carryJournal, collect } = await held()
    const before = service.requests.length
    const at = fc.nat()
    const change: fc.Arbitrary<Change> = fc.oneof(
      fc.record({ kind: fc.constant('text' as const), at, from: fc.nat(), text: fc.string({ minLength: 1 }) }),
      fc.record({ kind: fc.constantFrom('signature' as const, 'swapped' as const), at, by: fc.nat() }),
      fc.record({ kind: fc.constantFrom('left out' as const, 'twice' as const, 'fields' as const), at }),
    )
    const changed = (made: Change): Entry[] => {
      const at = made.at % (entries.length - 1)
      const copy: Entry[] = [...entries]
      const [, line = '', , signature = ''] = entries[at]!
      if (made.kind === 'text') {
        const from = made.from % line.length
        copy[at] = ['line', `${line.slice(0, from)}${made.text}${line.slice(from + made.text.length)}`, 'signature', signature]
      }
      if (made.kind === 'signature')
        copy[at] = ['line', line, 'signature', entries[(at + 1 + (made.by % (entries.length - 1))) % entries.length]![3]!]
      if (made.kind === 'left out') copy.splice(at, 1)
      if (made.kind === 'twice') copy.splice(at, 0, entries[at]!)
      if (made.kind === 'swapped') {
        const by = (at + 1 + (made.by % (entries.length - 1))) % entries.length
        copy[at] = entries[by]!
        copy[by] = entries[at]!
      }
      if (made.kind === 'fields') copy[at] = ['line', line]
      return copy
    }
    await fc.assert(
      fc.asyncProperty(change, fc.boolean(), async (made, isCut) => {
        const whole = changed(made)
        fc.pre(JSON.stringify(whole) !== JSON.stringify(entries))
        // Cut behind the change, the run would go on from there.
        const journal = isCut && made.kind !== 'left out' ? whole.slice(0, (made.at % (entries.length - 1)) + 1) : whole
        fc.pre(JSON.stringify(journal) !== JSON.stringify(entries.slice(0, journal.length)))
        expect(await carryJournal(journal)).toMatchObject(UNSIGNED)
        expect(await collect(journal, end)).toMatchObject({
          status: 'failed',
          why: expect.stringContaining('FETTLE_QUEUE_SIGNATURE'),
        })
      }),
      { numRuns: runs(60, 1_000), seed: SEED },
    )
    expect(service.requests.length).toBe(before)
  })

  test('the lines of two runs of one shard are not joined to one journal', async () => {
    const { entries, earlier, end, carryJournal, collect } = await held()
    // Where one of them has no line, nothing is joined.
    const least = Math.min(entries.length, earlier.length)
    for (const at of [1, 2, least - 1])
      for (const journal of [
        [...earlier.slice(0, at), ...entries.slice(at)],
        [...entries.slice(0, at), ...earlier.slice(at)],
      ]) {
        expect(await carryJournal(journal)).toMatchObject(UNSIGNED)
        expect(await collect(journal, end)).toMatchObject({ why: expect.stringContaining('FETTLE_QUEUE_SIGNATURE') })
      }
  })

  test('the end of a shard that the account did not sign is not believed, and its folder is not read', async () => {
    const { entries, end, id, other, signer, outside, collect } = await held()
    const value = JSON.parse(end.body)
    const forgeries = [
      value,
      { ...end, body: JSON.stringify({ ...value, directory: `${outside}/${value.runId}` }) },
      signer.seal(['end', 'fettle', other], value),
      signer.seal(['task', 'fettle', id], value),
    ]
    for (const forgery of forgeries)
      expect(await collect(entries, forgery)).toMatchObject({
        why: expect.stringContaining(`FETTLE_QUEUE_SIGNATURE the end of ${id}`),
      })
    expect(await collect(entries, end)).toMatchObject({ status: 'completed' })
  })

  test('a list outside the folder of the worker is not read, and none is fetched that it was not started for, even in a signed task', async () => {
    const { task, id, signer, connected, outside, evilUrl, carryTask } = await held()
    const at = (path: string) =>
      sealTask(connected, id, { ...task, plan: { ...task.plan, input: { ...task.plan.input, path } } }, signer)
    for (const path of ['/etc/passwd', '../rows.csv', `${outside}/rows.csv`, 'a/../../rows.csv', '.'])
      expect(await carryTask(at(path))).toMatchObject({
        status: 'failed',
        why: expect.stringContaining('outside the working directory'),
      })
    for (const path of [`${evilUrl}/rows.csv`, 's3://bucket/rows.csv', 'https://169.254.169.254/latest'])
      expect(await carryTask(at(path))).toMatchObject({
        status: 'failed',
        why: expect.stringContaining('may not fetch the list'),
      })
  })

  test('a key of another type fails the shard, a journal too large or of another form stops the worker, with a reason', async () => {
    const { connected, id, tasks, journalKey, judged, carryStored } = await held()
    const { redis } = connected
    const puts: readonly (readonly [Awaited<ReturnType<Held['judged']>>['status'], () => Promise<unknown>])[] = [
      ['failed', () => redis.set(journalKey, 'text')],
      ['failed', () => redis.rpush(journalKey, 'one')],
      ['failed', () => redis.hset(journalKey, 'a', 'b')],
      ['workerUnusable', () => redis.xadd(journalKey, '1-0', 'another', '{}')],
      ['workerUnusable', () => redis.xadd(journalKey, '2-0', 'line', '{}')],
      ['workerUnusable', () => redis.xadd(journalKey, '1-0', 'line', '{}', 'line', '{}')],
      ['workerUnusable', () => redis.xadd(journalKey, '1-0', 'line', 'x'.repeat(130 * 1024 ** 2))],
    ]
    for (const [status, put] of puts) {
      await redis.del(journalKey)
      await put()
      expect(await judged(() => carryStored(id, tasks[0]))).toMatchObject({ status, why: expect.stringContaining(id) })
    }
    await redis.del(journalKey)
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
})
