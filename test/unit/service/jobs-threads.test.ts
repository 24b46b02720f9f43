/** Rows through threads: in order, the same from any number of them, and never a wait for a thread that is dead. */
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, it } from 'vitest'
import { streamBeyond, Threads } from '../../../src/service/data-cleaning/processing/threads.ts'
import { buildIndex, type ListFacts, match, type Query } from '../../../src/service/matching/index.ts'
import { type MatchResult, matchResultOf } from '../../../src/service/registers/engine.ts'
import { COMPANIES } from './matching/companies.ts'

const factsWith = (odds: number): ListFacts => ({
  inRegister: { from: 0.4, to: 0.4, startingOdds: odds, matchingOdds: odds },
  companyNumbers: 'reliable',
})
const FACTS = factsWith(-0.4)

let threads: Threads | undefined
afterEach(() => threads?.close())

async function* rows(count: number): AsyncGenerator<Query> {
  for (let at = 0; at < count; at++) yield { name: COMPANIES[at % COMPANIES.length]!.name.slice(0, 8 + (at % 30)) }
}
async function gathered<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const one of stream) all.push(one)
  return all
}

describe('threads with the engine', () => {
  const index = buildIndex(COMPANIES)
  const script = fileURLToPath(new URL('../../../build/service/data-cleaning/processing/match-thread.js', import.meta.url))
  const start = () => new Worker(script, { workerData: index.image })

  it('answer in order and alike, one, two or three of them', async () => {
    const here = (query: Query, list: ListFacts) => matchResultOf(match(index, query, undefined, list), list)
    const expected = (await gathered(rows(1000))).map(query => here(query, FACTS))
    expect(expected).not.toEqual((await gathered(rows(1000))).map(query => here(query, factsWith(2.2))))
    for (const count of [1, 2, 3]) {
      threads = new Threads(count, start)
      expect(await gathered(threads.stream(rows(1000), FACTS))).toEqual(expected)
      expect(await gathered(streamBeyond(400, here, threads)(rows(1000), FACTS))).toEqual(expected)
      await threads.close()
    }
  })
})

/** A thread that answers each row with its name, and dies as its rows tell it to. */
const SCRIPT = `
const { parentPort, workerData } = require('node:worker_threads')
const died = new Int32Array(workerData)
parentPort.on('message', batch => {
  const { rows } = JSON.parse(batch)
  if (rows.some(row => row.name === 'die once') && Atomics.add(died, 0, 1) === 0) process.exit(7)
  if (rows.some(row => row.name === 'die')) { Atomics.add(died, 0, 1); throw new Error('bad row') }
  parentPort.postMessage(JSON.stringify(rows.map(row => ({ why: row.name }))))
})`

describe('a thread that dies', () => {
  const deaths = new SharedArrayBuffer(4)
  const died = new Int32Array(deaths)
  const start = () => new Worker(SCRIPT, { eval: true, workerData: deaths })
  async function* named(count: number, odd: Record<number, string>): AsyncGenerator<Query> {
    for (let at = 0; at < count; at++) yield { name: odd[at] ?? `row ${at}` }
  }

  it('is replaced, and no row is lost or out of its place', async () => {
    died[0] = 0
    threads = new Threads(2, start)
    const found = await gathered(threads.stream(named(3000, { 700: 'die once' }), FACTS))
    expect(found.map(one => one.why)).toEqual((await gathered(named(3000, { 700: 'die once' }))).map(row => row.name))
    expect(died[0]).toBe(2)
  })

  it('twice of the same rows ends the job with its error, and others go on', async () => {
    died[0] = 0
    threads = new Threads(2, start)
    await expect(gathered(threads.stream(named(3000, { 700: 'die' }), FACTS))).rejects.toThrow('bad row')
    expect(died[0]).toBe(2)
    expect(await gathered(threads.stream(named(300, {}), FACTS))).toHaveLength(300)
  })

  it('at its start fails the job', async () => {
    threads = new Threads(2, () => new Worker('throw new Error("no start")', { eval: true }))
    await expect(gathered(threads.stream(named(10, {}), FACTS))).rejects.toThrow('no start')
  })

  it('because all are closed fails what is in hand, and what comes later', async () => {
    threads = new Threads(1, () => new Worker('setInterval(() => {}, 1000)', { eval: true }))
    const waiting = gathered(threads.stream(named(10, {}), FACTS))
    const settled = expect(waiting).rejects.toThrow('a matching thread ended')
    await new Promise(setImmediate)
    await threads.close()
    await settled
    await expect(gathered(threads.stream(named(10, {}), FACTS))).rejects.toThrow('the matching threads were closed')
  })
})

describe('idle threads', () => {
  it('are ended, those at work are not, and the next rows start new ones', async () => {
    let started = 0
    threads = new Threads(2, () => {
      started++
      return new Worker(SCRIPT, { eval: true, workerData: new SharedArrayBuffer(4) })
    })
    const named = async function* (count: number): AsyncGenerator<Query> {
      for (let at = 0; at < count; at++) yield { name: `row ${at}` }
    }
    await gathered(threads.stream(named(600), FACTS))
    expect(started).toBe(2)
    await threads.endIdle()
    const found = gathered(threads.stream(named(1000), FACTS))
    await new Promise(setImmediate)
    await threads.endIdle()
    expect((await found).map(one => one.why)).toEqual((await gathered(named(1000))).map(row => row.name))
    expect(started).toBe(4)
  })
})

describe('a stream', () => {
  it('starts no thread for a few rows, and ends its reading when it is ended', async () => {
    let started = 0
    threads = new Threads(1, () => {
      started++
      return new Worker(SCRIPT, { eval: true, workerData: new SharedArrayBuffer(4) })
    })
    const here = (query: Query): MatchResult => ({ why: query.name }) as MatchResult
    const all = streamBeyond(20, here, threads)
    const names = async function* (count: number): AsyncGenerator<Query> {
      try {
        for (let at = 0; at < count; at++) yield { name: `${at}` }
      } finally {
        ended = true
      }
    }
    let ended = false
    expect((await gathered(all(names(20), FACTS))).length).toBe(20)
    expect([started, ended]).toEqual([0, true])
    ended = false
    for await (const _ of all(names(10_000), FACTS)) if (started > 0) break
    expect([started, ended]).toEqual([1, true])
  })

  it('passes on what its rows throw', async () => {
    threads = new Threads(1, () => new Worker(SCRIPT, { eval: true, workerData: new SharedArrayBuffer(4) }))
    const bad = async function* (): AsyncGenerator<Query> {
      for (let at = 0; at < 500; at++) yield { name: `${at}` }
      throw new Error('line 501')
    }
    await expect(gathered(threads.stream(bad(), FACTS))).rejects.toThrow('line 501')
  })
})
