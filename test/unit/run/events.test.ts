/** The events stage, ended before and after each line of its journal, at each request and at each step of its files. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openEventStore, recordDelivery } from '../../../src/app/runs/event-store.ts'
import { runDirectory } from '../../../src/app/runs/run-directory.ts'
import type { RunState } from '../../../src/journal/state.ts'
import type { CompanyEvent } from '../../../src/model/requests.ts'
import type { EventStore } from '../../../src/run/ports.ts'
import { runEarlyStages } from '../../../src/run/runner.ts'
import { Crash, planOf, resumed, type World, worldOf } from './world.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'fettle-events-'))
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const PLAN = planOf({
  portfolio: { name: 'Suppliers', id: null, reference: { header: 'Reg No', index: 1 } },
  events: { output: 'events.csv', mark: true },
})

const eventAt = (id: number): CompanyEvent => ({
  ...{
    id,
    at: '2026-01-02 00:00:00',
    processed: false,
    rule: { code: 105, name: 'Address' },
    old: `old ${id}`,
    new: `new ${id}`,
  },
  company: { id: `GB-${id}`, name: `Company ${id}`, country: 'GB' },
})

let runs = 0

/** A run of the pipeline over its own directory, with `count` events at the service. */
function worldWith(count: number, account?: World['account']): { world: World; id: string } {
  const world = worldOf(PLAN)
  const id = `20260101T${String(100_000 + runs++)}Z-suppliers-abcdef`
  mkdirSync(join(root, 'runs', id), { recursive: true })
  const next = account === undefined ? world : { ...world, account, ports: { ...world.ports, portfolios: account } }
  if (account === undefined) {
    next.account.portfolios.push({ id: 7, name: 'Suppliers' })
    next.account.companies.set('GB-1', 'ref 1')
  }
  while (next.account.events.length < count) next.account.events.push(eventAt(next.account.events.length + 1))
  return { world: next, id }
}

interface Stop {
  /** The step of the store at which the process ends, counted from 0, and whether the step was taken. */
  readonly step?: number
  readonly when: 'before' | 'after'
}

/** Runs the stage as one process, which ends with exit code 0 unless `exit` is another. */
async function carryOn({ world, id }: { world: World; id: string }, stop?: Stop, exit = 0): Promise<boolean> {
  const directory = runDirectory(join(root, 'runs'), id)
  const real = openEventStore(PLAN, { directory, identity: 'me', root, baseline: null })
  let steps = 0
  const store = new Proxy(real, {
    get:
      (target, name: keyof EventStore) =>
      async (...args: never[]) => {
        const isEnd = stop?.step === steps++
        if (world.journal.crashed || (isEnd && stop?.when === 'before')) throw new Crash()
        const answer = await (target[name] as (...given: never[]) => Promise<unknown>)(...args)
        if (isEnd) throw new Crash()
        return answer
      },
  })
  const isOver = await runEarlyStages({ recorder: world.journal, ports: { ...world.ports, events: store } })
  if (isOver && exit === 0) await recordDelivery(directory, { ...world.journal.state!, identity: 'me', finished: true })
  return isOver
}

/** What a reader of the file has seen: it looks after every run that ended, as what follows in a DAG does. */
class Reader {
  readonly seen: string[] = []
  #last = ''
  look(): void {
    const path = join(root, 'events.csv')
    if (!existsSync(path)) return
    const text = readFileSync(path, 'utf8')
    if (text === this.#last) return
    this.#last = text
    this.seen.push(...(parse(text, { columns: true }) as Record<string, string>[]).map(row => row.event_id ?? ''))
  }
}

const FIRST = 3
const ALL = 5

/**
 * Ends a process of the first night at each point, goes on with it or leaves it, and has a second night with two more events. Returns the
 * number of points.
 */
async function endEverywhere(
  isResumed: boolean,
  points: (at: number) => { append?: number; stop?: Stop } | null,
): Promise<number> {
  let ended = 0
  for (let at = 0; ; at++) {
    rmSync(root, { recursive: true, force: true })
    mkdirSync(root)
    const point = points(at)
    if (point === null) return ended
    const reader = new Reader()
    const first = worldWith(FIRST)
    if (point.append !== undefined) first.world.journal.crash = { at: point.append, when: point.stop!.when }
    first.world.account.before = () => {
      if (first.world.journal.crashed) throw new Crash()
    }
    // The end of a stage is recorded as its failure unless the process is gone: a crash leaves no such line.
    const outcome = await carryOn(first, point.append === undefined ? point.stop : undefined).catch((error: unknown) => error)
    const isOver = outcome === true
    if (isOver) reader.look()
    const where = JSON.stringify({ isResumed, ...point })
    if (isOver && point.append === undefined) return ended
    ended++
    if (isResumed) {
      const next = { world: resumed(first.world), id: first.id }
      next.world.journal.crash = null
      const { plan } = next.world.journal.state as RunState
      expect(plan.events, where).toBeDefined()
      expect(await carryOn(next), where).toBe(true)
      reader.look()
      expect(reader.seen.toSorted(), where).toEqual(['1', '2', '3'])
    }
    first.world.account.before = () => {}
    const second = worldWith(ALL, first.world.account)
    expect(await carryOn(second), where).toBe(true)
    reader.look()
    const third = worldWith(ALL, first.world.account)
    expect(await carryOn(third), where).toBe(true)
    reader.look()
    expect(reader.seen.toSorted(), where).toEqual(['1', '2', '3', '4', '5'])
    expect([...first.world.account.marked].sort(), where).toEqual([1, 2, 3, 4, 5])
    expect(readdirSync(root).sort(), where).toEqual(['events.csv', 'runs'])
  }
}

/** Lines of the stage, its start and its end included. */
const LINES = 5

test.each([true, false])('every line of the journal, before and after it is written; resumed: %s', async isResumed => {
  const count = await endEverywhere(isResumed, at =>
    at >= LINES * 2 ? null : { append: Math.floor(at / 2), stop: { when: at % 2 === 0 ? 'before' : 'after' } },
  )
  expect(count).toBe(LINES * 2)
})

test.each([true, false])('every step of the files, before and after it is taken; resumed: %s', async isResumed => {
  const count = await endEverywhere(isResumed, at => ({
    stop: { step: Math.floor(at / 2), when: at % 2 === 0 ? 'before' : 'after' },
  }))
  expect(count).toBeGreaterThanOrEqual(8)
})

const written = (): (string | undefined)[] =>
  (parse(readFileSync(join(root, 'events.csv')), { columns: true }) as Record<string, string>[]).map(row => row.event_id)

describe('the file of a run that did not end with exit code 0', () => {
  const endAfter = async (line: number): Promise<World['account']> => {
    const { world, id } = worldWith(FIRST)
    world.journal.crash = { at: line, when: 'after' }
    await carryOn({ world, id }).catch(() => {})
    return world.account
  }
  const WRITTEN = 2

  test('is replaced by one that has its events as well, and they are marked', async () => {
    const account = await endAfter(WRITTEN)
    expect([existsSync(join(root, 'events.csv')), account.marked.size]).toEqual([true, 0])
    const next = worldWith(ALL, account)
    await carryOn(next)
    expect(next.world.journal.state!.events).toMatchObject({ read: { events: 5, unmarked: 0 }, marked: 5 })
    expect([...account.marked].sort()).toEqual([1, 2, 3, 4, 5])
  })

  test('was taken away: its events are in no other, and marked by the next run', async () => {
    const account = await endAfter(WRITTEN)
    rmSync(join(root, 'events.csv'))
    const next = worldWith(ALL, account)
    await carryOn(next)
    expect(next.world.journal.state!.events).toMatchObject({ read: { events: 2, unmarked: 3 }, marked: 5 })
    expect([...account.marked].sort()).toEqual([1, 2, 3, 4, 5])
  })

  test('ended with a failed check: the next file has its events as well, until a run ends with exit code 0', async () => {
    const first = worldWith(FIRST)
    await carryOn(first, undefined, 1)
    const { account } = first.world
    expect([...account.marked].sort()).toEqual([1, 2, 3])
    const read: unknown[] = []
    for (const [count, exit] of [
      [FIRST, 1],
      [ALL, 75],
      [ALL, 0],
      [ALL, 0],
    ] as const) {
      const next = worldWith(count, account)
      await carryOn(next, undefined, exit)
      const { events, again } = next.world.journal.state!.events!.read!
      read.push([events, again, written()])
    }
    const [three, five] = [
      ['1', '2', '3'],
      ['1', '2', '3', '4', '5'],
    ]
    expect(read).toEqual([
      [3, 3, three],
      [5, 3, five],
      [5, 5, five],
      [0, 0, []],
    ])
    expect([...account.marked].sort()).toEqual([1, 2, 3, 4, 5])
  })

  test('that a service does not mark are not tried again', async () => {
    const { world, id } = worldWith(FIRST)
    world.account.marksEvents = false
    await carryOn({ world, id })
    expect(world.journal.state!.events).toMatchObject({ isUnmarkable: true, marked: 3 })
    const calls = world.account.calls.length
    await carryOn(worldWith(FIRST, world.account))
    expect(world.account.calls.slice(calls)).not.toContain('markEvent')
  })
})

test('where there is no portfolio yet, the file has no events', async () => {
  const { world, id } = worldWith(0)
  world.account.portfolios.length = 0
  await carryOn({ world, id })
  expect(readFileSync(join(root, 'events.csv'), 'utf8')).toMatch(/^event_id,event_date,[^\n]*\n$/)
  expect(world.journal.state!.events).toMatchObject({ read: { portfolio: null, events: 0 }, written: { rows: 0 } })
})
