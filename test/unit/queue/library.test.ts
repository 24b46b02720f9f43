/** Queues from a program: `submit`, `worker`, `collect` and `run` with a queue give the outputs of one run in this process. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { QueuedRun } from '../../../src/distributed/queued-run.ts'
import { collect, FettleError, type LibraryOptions, run, submit, worker } from '../../../src/index.ts'
import { spentInMonth } from '../../../src/spending/spending.ts'
import { fettle, folderOf } from '../../system/cli/fettle.ts'
import { CREDENTIALS, realService } from '../../system/cli/servers.ts'
import { HAS_REDIS, startRedis } from './redis.ts'

const ROWS = 'Company Name,Reg No,Country\nAcme Ltd,1,GB\nBolt Ltd,2,GB\nCork SA,3,FR\nNobody,9,DE\nACME,1,GB\nBolt,2,GB\n'
const mappings = { name: 'Company Name', orgNumber: 'Reg No', country: 'Country' } as const

/** A pipeline in its own folder, whose paths are relative to the working directory. */
async function setUp(name: string) {
  const cwd = folderOf({ 'rows.csv': ROWS })
  process.chdir(cwd)
  const service = await realService({ rates: { all: { requests: 1000, perMs: 1000 } } })
  const env = { ...process.env, ...CREDENTIALS, FETTLE_URL: service.url }
  const pipeline = { name, input: 'rows.csv', mappings, output: `out/${name}.csv` }
  const created = () => service.requests.filter(one => one.method === 'POST' && one.route === '/v1/dataCleaning/jobs').length
  const output = () => readFileSync(join(cwd, 'out', `${name}.csv`), 'utf8')
  return { env, pipeline, created, output }
}

describe.skipIf(!HAS_REDIS)('a queue from a program', { timeout: 240_000 }, () => {
  test('submit, worker and collect give the output of one run, with one remote job for each shard', async () => {
    const { env, pipeline, created, output } = await setUp('p')
    await run(pipeline, { env })
    const expected = output()
    const queue = { url: (await startRedis()).url }
    const options: LibraryOptions = { env, fresh: true }

    const submitted = await submit(pipeline, { ...options, queue, shards: 2 })
    expect(submitted).toMatchObject({ pipeline: 'p', shards: 2 })
    expect((await submit(pipeline, { env, queue, shards: 2 })).runId).toBe(submitted.runId)
    expect(created()).toBe(1)

    const stop = new AbortController()
    const notes: string[] = []
    const working = worker({ env, queue, concurrency: 2, signal: stop.signal, onNote: text => notes.push(text) })
    const report = await collect(submitted.runId, { env })
    expect(report).toMatchObject({ status: 'success', totals: { rows: 6 }, metadata: { runId: submitted.runId } })
    expect(output()).toBe(expected)
    expect(created()).toBe(3)

    const again = await run({ ...pipeline, name: 'q' }, { env, queue, shards: 2 })
    expect(again.totals.rows).toBe(6)
    stop.abort()
    await working
    expect(notes.some(text => text.startsWith('p 1/2: '))).toBe(true)
  })

  test('a list that was started here or in a queue is not started again in the other way, except with fresh', async () => {
    const { env, pipeline, created } = await setUp('s')
    const queue = { url: (await startRedis()).url }
    const shards = { env, queue, shards: 2 }
    const submitted = await submit(pipeline, shards)
    for (const again of [run(pipeline, { env }), submit(pipeline, { ...shards, shards: 3 })])
      await expect(again).rejects.toMatchObject({
        ...{ code: 'FETTLE_QUEUE', message: expect.stringContaining(`is in a queue as the run ${submitted.runId}`) },
        action: { command: 'collect', args: [submitted.runId] },
      })
    expect(created()).toBe(0)
    const stop = new AbortController()
    const onEvent = ({ type }: { readonly type: string }): void => {
      if (type === 'match.finished') stop.abort()
    }
    const options = { env, fresh: true, signal: stop.signal, reporters: [{ name: 'stop', onEvent }] }
    await expect(run({ ...pipeline, name: 't' }, options)).rejects.toThrow()
    expect(created()).toBe(1)
    await expect(submit({ ...pipeline, name: 't' }, shards)).rejects.toMatchObject({
      ...{ code: 'FETTLE_QUEUE', message: expect.stringMatching(/^the run \S+-t-\S+ of the same list is not finished/) },
    })
    await submit({ ...pipeline, name: 't' }, { ...shards, fresh: true })
  })

  test('shards that are replaced before they were merged, and a changed list, count in the month as well', async () => {
    const { env, pipeline } = await setUp('u')
    const queue = { url: (await startRedis()).url }
    const shards = { env, queue, shards: 2 }
    const { runId } = await submit(pipeline, shards)
    const { identity } = JSON.parse(readFileSync(join('fettle-runs', runId, 'queue.json'), 'utf8')) as QueuedRun
    const count = (): number => spentInMonth('fettle-runs', identity, Date.now()).credits
    expect(count()).toBe(6)
    const stop = new AbortController()
    const working = worker({ env, queue, concurrency: 2, signal: stop.signal })
    const ready = await fettle(['status', runId, '--watch'], { cwd: process.cwd(), env })
    expect(ready.code, ready.stderr).toBe(0)
    const next = await submit(pipeline, { ...shards, fresh: true })
    expect([next.runId === runId, count()]).toEqual([false, 12])
    expect((await submit(pipeline, shards)).runId).toBe(next.runId)
    writeFileSync('rows.csv', `${ROWS}Dune AG,4,CH\n`)
    await submit(pipeline, shards)
    expect(count()).toBe(19)
    stop.abort()
    await working
  })

  test('a queue that does not answer, and options that cannot work, are errors of their own', async () => {
    const { env, pipeline } = await setUp('r')
    const queue = { url: 'redis://127.0.0.1:1' }
    const codeOf = (promise: PromiseLike<unknown>) =>
      Promise.resolve(promise).then(
        () => null,
        error => (FettleError.is(error) ? error.code : error),
      )
    expect(await codeOf(submit(pipeline, { env, queue, timeoutMs: 1_000 }))).toBe('FETTLE_QUEUE')
    expect(await codeOf(submit(pipeline, { env, queue, shards: 0 }))).toBe('FETTLE_USAGE')
    expect(await codeOf(run(pipeline, { env, queue, detach: true }))).toBe('FETTLE_USAGE')
    expect(await codeOf(worker({ env, queue, concurrency: 65 }))).toBe('FETTLE_USAGE')
  })
})
