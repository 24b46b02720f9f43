/**
 * Runs a worker and a collecting process in this process: a list of two shards, first unchanged and then with changed tasks, journals
 * and ends. After every case it checks that no foreign address or path was used.
 */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Job } from 'bullmq'
import { expect } from 'vitest'
import { gatherShards } from '../../../src/distributed/collect.ts'
import { withQueue } from '../../../src/distributed/connection.ts'
import type { QueuedRun } from '../../../src/distributed/queued-run.ts'
import { runShard } from '../../../src/distributed/run-shard.ts'
import { createSigner, openTask } from '../../../src/distributed/shard-task.ts'
import { DEFAULT_RUNTIME, type Runtime } from '../../../src/env/runtime.ts'
import { FettleError } from '../../../src/errors.ts'
import type { RunSettings } from '../../../src/execution/run-settings.ts'
import type { Connected, Signed } from '../../../src/queue/index.ts'
import { atEnd, fettle, folderOf, lastLine, pipelineOf } from '../../system/cli/fettle.ts'
import { CREDENTIALS, LOGIN, realService } from '../../system/cli/servers.ts'
import { startRedis } from './redis.ts'

const ROWS = `Company Name,Reg No,Country\n${['Acme Ltd,1,GB', 'Bolt Ltd,2,GB', 'Cork SA,3,FR', 'Unknown,9,DE'].join('\n')}\n`
const OUTPUT = 'output: {path: out/p.csv}\nreview: {decisions: decided.csv}\nchecks: {matched: {warn: "< 1%"}}\ntags: [nightly]'
/** A case that waits for anything so long is ended. */
const LONGEST_MS = 20_000

/** A pause is over at once: what is waited for is here. */
const { clock } = DEFAULT_RUNTIME
const HASTY: Runtime = { clock: { ...clock, sleep: (ms, signal) => clock.sleep(Math.min(ms, 5), signal) } }

const stopAfter = (ms: number): AbortSignal => {
  const stop = new AbortController()
  setTimeout(() => stop.abort(new FettleError('FETTLE_SIGTERM')), ms).unref()
  return stop.signal
}

/** How a case ended: done, or not, with the reason that is printed. */
export interface Outcome {
  readonly status: 'completed' | 'retry' | 'failed' | 'workerUnusable'
  readonly why: string
}

/** An entry of the stream of a journal: its fields, as Redis stores them. */
export type Entry = readonly string[]

/** Everything that must not be touched. */
const treeOf = (folder: string): string =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map(name =>
      statSync(join(folder, name)).isFile() ? `${name} ${readFileSync(join(folder, name)).toString('base64')}` : name,
    )
    .join('\n')

/** A list in a queue, worked on once, and the ways to have it worked on from changed data. */
export async function heldData() {
  const service = await realService({ rates: { all: { requests: 100_000, perMs: 1000 } } })
  const redis = await startRedis(['--appendfsync', 'no'])
  const strangers: string[] = []
  const evil = createServer((request, response) => {
    strangers.push(`${request.method} ${request.url}`)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"token":"x"}')
  })
  await new Promise<void>(ready => evil.listen(0, '127.0.0.1', ready))
  const onConnect = (message: unknown): void => {
    const { host } = (message as { connectParams: { host: string } }).connectParams
    if (host !== new URL(service.url).host) strangers.push(`connection to ${host}`)
  }
  subscribe('undici:client:beforeConnect', onConnect)
  atEnd(() => {
    unsubscribe('undici:client:beforeConnect', onConnect)
    evil.closeAllConnections()
    evil.close()
  })
  const [cwd, outside, runs] = [folderOf({ 'rows.csv': ROWS, 'p.yml': pipelineOf('p', OUTPUT) }), folderOf(), folderOf()]
  const env = { ...CREDENTIALS, FETTLE_URL: service.url }
  const submit = await fettle(['run', 'p.yml', '--queue', redis.url, '--shards', '2', '--detach', '--json', '--runs-dir', runs], {
    cwd,
    env,
  })
  expect(submit.code, submit.stderr).toBe(0)
  const record = JSON.parse(readFileSync(join(runs, String(lastLine(submit).runId), 'queue.json'), 'utf8')) as QueuedRun
  const [id] = record.jobs as [string]
  const connected = await opened(redis.url)
  const signer = await createSigner(record.identity, { env, credentials: () => LOGIN })
  const keyOfJournal = (job: string): string => `fettle:fettle:journal:${job}`
  const storedTask = async (job: string): Promise<Signed> =>
    JSON.parse((await connected.redis.hget(`fettle:fettle:${job}`, 'data')) ?? '')
  const place = {
    env,
    cwd,
    runsDir: join(runs, 'of-workers'),
    service: service.url,
    inputsFrom: [],
    runtimes: { of: () => HASTY, close: async () => {} },
    onNote: () => {},
    onEvent: () => {},
  }

  const carry = async (job: string, task: unknown): Promise<Outcome & { readonly end?: unknown }> => {
    const lease = { job: { id: job, updateProgress: async () => {}, extendLock: async () => 1 } as unknown as Job, token: 't' }
    const left = await runShard(connected, task, { ...lease, lockMs: 5_000 }, { ...place, signal: stopAfter(LONGEST_MS) })
    return left.status === 'completed' ? { status: 'completed', why: '', end: left.end } : { status: left.status, why: left.why }
  }

  const storeEntries = async (entries: readonly Entry[]): Promise<void> => {
    const commands = connected.redis.pipeline().del(keyOfJournal(id))
    for (const [at, fields] of entries.entries()) commands.xadd(keyOfJournal(id), `${at + 1}-0`, ...fields)
    await commands.exec()
  }

  /** The first shard from a task as the queue would hand it to a worker, without a journal. */
  const carryTask = async (task: unknown): Promise<Outcome> => {
    await connected.redis.del(keyOfJournal(id))
    return judged(() => carry(id, task))
  }

  /** The first shard from a changed journal. */
  const carryJournal = async (entries: readonly Entry[]): Promise<Outcome> => {
    await storeEntries(entries)
    return judged(() => carry(id, tasks[0]))
  }

  /** Collects the first shard after a change to its journal or its end. */
  const collect = async (entries: readonly Entry[], end: unknown): Promise<Outcome> => {
    await storeEntries(entries)
    const settings: RunSettings = {
      env,
      cwd,
      runsDir: join(runs, 'of-collector'),
      credentials: () => LOGIN,
      args: {},
      timeoutMs: null,
      runtime: HASTY,
      signal: stopAfter(LONGEST_MS),
    }
    const jobs = [{ id, end, fingerprint: record.submitted?.fingerprints[0], folder: runs }]
    const outcome = await judged(async () => {
      await gatherShards(connected, jobs, { identity: record.identity, signer }, settings)
      return { status: 'completed', why: '' }
    })
    rmSync(settings.runsDir, { recursive: true, force: true })
    return outcome
  }

  const before = (): string => `${treeOf(cwd)}\n${treeOf(outside)}`
  const untouched = before()
  /** Runs a case, and looks for everything that must not happen. */
  async function judged(work: () => Promise<Outcome>): Promise<Outcome> {
    const outcome = await work().catch((error: unknown): Outcome => {
      if (!FettleError.is(error)) throw error
      return { status: 'failed', why: `${error.code} ${error.message}` }
    })
    expect(strangers).toEqual([])
    expect(before()).toBe(untouched)
    expect(
      readdirSync(runs).filter(
        name => !/^(of-workers|of-collector|latest|locks|spending\.jsonl|\d{8}T\d{6}Z-p-[0-9a-f]{6})$/.test(name),
      ),
    ).toEqual([])
    expect(outcome.why).not.toMatch(/FETTLE_BUG|\w*TypeError|RangeError|ReferenceError/)
    if (outcome.status !== 'completed') expect(outcome.why).toMatch(/^FETTLE_[A-Z_]+ \S/)
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
    return outcome
  }

  mkdirSync(place.runsDir, { recursive: true })
  const tasks = await Promise.all(record.jobs.map(storedTask))
  const first = await carry(id, tasks[0])
  expect(first, first.why).toMatchObject({ status: 'completed' })
  const storedEntries = async (): Promise<Entry[]> =>
    (await connected.redis.xrange(keyOfJournal(id), '-', '+')).map(([, fields]) => fields)
  const earlier = await storedEntries()
  await connected.redis.del(keyOfJournal(id))
  const whole = await carry(id, tasks[0])
  expect(whole, whole.why).toMatchObject({ status: 'completed' })
  const entries = await storedEntries()
  expect(entries.at(-1)?.[1]).toContain('"run.finished"')
  return {
    service,
    connected,
    record,
    signer,
    id,
    other: record.jobs[1]!,
    /** Of both shards, as they are stored. */
    tasks: tasks as [Signed, Signed],
    task: openTask(connected, id, tasks[0], signer),
    entries,
    /** The same shard run before, from an empty journal. */
    earlier,
    end: whole.end as Signed,
    evilUrl: `http://127.0.0.1:${(evil.address() as AddressInfo).port}`,
    outside,
    carryTask,
    carryJournal,
    collect,
    journalKey: keyOfJournal(id),
    judged,
    carryStored: carry,
  }
}

/** A connection until the tests of the file are over. */
function opened(url: string): Promise<Connected> {
  return new Promise((ready, failed) => {
    withQueue({ url, name: 'fettle' }, {}, connected => {
      ready(connected)
      return new Promise<void>(over => atEnd(over))
    }).catch(failed)
  })
}
