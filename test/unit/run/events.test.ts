/** The stages `events` and `deliver`, in a run that is ended before and after each line of its journal and at each step of its files. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { CompanyEvent } from '../../../src/model/requests.ts'
import type { EventStore } from '../../../src/run/ports.ts'
import { runEarlyStages, runStages } from '../../../src/run/runner.ts'
import { openEventStore, ownEventsFile } from '../../../src/runs/event-store.ts'
import { runDirectory } from '../../../src/runs/run-directory.ts'
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

/** Runs it as one process, and returns whether the run is at its end. */
async function carryOn({ world, id }: { world: World; id: string }, stop?: Stop): Promise<boolean> {
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
  const context = { recorder: world.journal, ports: { ...world.ports, events: store } }
  if (!(await runEarlyStages(context))) return false
  return (await runStages({ ...context, before: null })).finished
}

const idsIn = (name: string): (string | undefined)[] =>
  (parse(readFileSync(join(root, name)), { columns: true }) as Record<string, string>[]).map(row => row.event_id)

/** What a reader of every file finds, in the order of the files. */
const read = (): (string | undefined)[] =>
  readdirSync(root)
    .filter(name => /^events\..+\.csv$/.test(name))
    .sort()
    .flatMap(idsIn)

const FIRST = 3
const ALL = 5
const EVERY = ['1', '2', '3', '4', '5']

/**
 * Ends a process of the first run at each point, resumes it or leaves it, and has a second run with two more events. Returns the number of
 * points.
 */
async function endEverywhere(isResumed: boolean, points: (at: number) => { append?: number; stop?: Stop }): Promise<number> {
  for (let at = 0; ; at++) {
    rmSync(root, { recursive: true, force: true })
    mkdirSync(root)
    const point = points(at)
    const first = worldWith(FIRST)
    if (point.append !== undefined) first.world.journal.crash = { at: point.append, when: point.stop!.when }
    first.world.account.before = () => {
      if (first.world.journal.crashed) throw new Crash()
    }
    const isOver = await carryOn(first, point.append === undefined ? point.stop : undefined).catch(() => false)
    const where = JSON.stringify({ isResumed, ...point })
    if (isOver) return at
    first.world.account.before = () => {}
    // Between the file and its record nothing shows that the run was at its end: a run that is left leaves its events to the next one.
    const isOnlyFile = existsSync(join(root, ownEventsFile('events.csv', first.id))) && !existsSync(join(root, 'runs', 'events'))
    if (isResumed) {
      const next = { world: resumed(first.world), id: first.id }
      next.world.journal.crash = null
      expect(await carryOn(next), where).toBe(true)
      expect(read(), where).toEqual(['1', '2', '3'])
    }
    for (let more = 0; more < 2; more++) expect(await carryOn(worldWith(ALL, first.world.account)), where).toBe(true)
    if (isResumed || !isOnlyFile) expect(read().toSorted(), where).toEqual(EVERY)
    else expect(read().toSorted(), where).toEqual(['1', '1', '2', '2', '3', '3', '4', '5'])
    expect([...first.world.account.marked].sort(), where).toEqual([1, 2, 3, 4, 5])
    expect(idsIn('events.csv'), where).toEqual([])
  }
}

test.each([true, false])('every line of the journal, before and after it is written; resumed: %s', async isResumed => {
  const count = await endEverywhere(isResumed, at => ({
    append: Math.floor(at / 2),
    stop: { when: at % 2 === 0 ? 'before' : 'after' },
  }))
  expect(count).toBeGreaterThan(40)
})

test.each([true, false])('every step of the files, before and after it is taken; resumed: %s', async isResumed => {
  const count = await endEverywhere(isResumed, at => ({
    stop: { step: Math.floor(at / 2), when: at % 2 === 0 ? 'before' : 'after' },
  }))
  expect(count).toBeGreaterThanOrEqual(8)
})

test('a run that was stopped, and is resumed after the next one, writes no event that the next one wrote', async () => {
  const first = worldWith(FIRST)
  await carryOn(first, { step: 3, when: 'before' })
  expect(read()).toEqual([])
  const second = worldWith(ALL, first.world.account)
  expect(await carryOn(second)).toBe(true)
  expect(await carryOn({ world: resumed(first.world), id: first.id })).toBe(true)
  expect(read().toSorted()).toEqual(EVERY)
  expect([idsIn(ownEventsFile('events.csv', first.id)), [...first.world.account.marked].sort()]).toEqual([[], [1, 2, 3, 4, 5]])
})

test('the copy is the file of the last run, and the file of a run stays', async () => {
  const first = worldWith(FIRST)
  await carryOn(first)
  await carryOn(worldWith(ALL, first.world.account))
  expect([idsIn('events.csv'), idsIn(ownEventsFile('events.csv', first.id))]).toEqual([
    ['4', '5'],
    ['1', '2', '3'],
  ])
})

test('events that a service does not mark are not tried again', async () => {
  const { world, id } = worldWith(FIRST)
  world.account.marksEvents = false
  await carryOn({ world, id })
  expect(world.journal.state!.events).toMatchObject({ isUnmarkable: true, marked: 3 })
  const calls = world.account.calls.length
  await carryOn(worldWith(FIRST, world.account))
  expect(world.account.calls.slice(calls)).not.toContain('markEvent')
})

test('where there is no portfolio yet, the file has no events', async () => {
  const { world, id } = worldWith(0)
  world.account.portfolios.length = 0
  await carryOn({ world, id })
  expect(readFileSync(join(root, 'events.csv'), 'utf8')).toMatch(/^event_id,event_date,[^\n]*\n$/)
  expect(world.journal.state!.events).toMatchObject({ read: { portfolio: null, events: 0 }, written: { rows: 0 } })
})

test('the numbers of events are kept for the retention, and for seven days at least', async () => {
  const store = (id: string, retention: number) => {
    const directory = runDirectory(join(root, 'runs'), id)
    mkdirSync(directory.path, { recursive: true })
    return openEventStore({ ...PLAN, retention }, { directory, identity: 'me', root, baseline: null })
  }
  const DAY = 86_400_000
  const deliver = async (day: string, retention: number): Promise<number[]> => {
    const run = store(`202601${day}T000000Z-suppliers-abcdef`, retention)
    await run.stage(`2026-01-${day}T00:00:00.000Z`, [{ ...eventAt(Number(day)), reference: '' }])
    await run.deliver(7)
    return [...(await run.known(7)).ids]
  }
  expect(await deliver('01', 10 * DAY)).toEqual([1])
  expect(await deliver('10', 10 * DAY)).toEqual([1, 10])
  expect(await deliver('12', 10 * DAY)).toEqual([10, 12])
  expect(await deliver('16', DAY)).toEqual([10, 12, 16])
})
