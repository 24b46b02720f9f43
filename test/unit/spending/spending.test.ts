/** What a month costs: reserved, settled and counted by lines, and what a look at many runs reads. */
import fs, { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { realClock } from '../../../src/client/clock.ts'
import { run } from '../../../src/index.ts'
import { fold, type RunState, readJournal, writeJournal } from '../../../src/journal/index.ts'
import type { Plan } from '../../../src/pipeline/index.ts'
import { pruneRuns } from '../../../src/privacy/prune.ts'
import { runDirectory } from '../../../src/runs/run-directory.ts'
import { findStart, lastGoodRun, runToContinue, tidyRuns } from '../../../src/runs/run-store.ts'
import { readCosts } from '../../../src/spending/costs.ts'
import { reserveCredits, settleCredits, spentInMonth } from '../../../src/spending/spending.ts'
import { removeStaged } from '../../../src/staging/staged-input.ts'
import { replaceBuiltin } from '../../support/builtin.ts'
import { type Place, place } from '../../support/place.ts'

let here: Place
let runsDir: string
beforeEach(() => {
  here = place()
  runsDir = join(here.folder, 'runs')
})
afterEach(() => here.leave())

const journalOf = (runId: string): string => join(runsDir, runId, 'journal.jsonl')
const spendingFile = (): string => join(runsDir, 'spending.jsonl')

/** Writes over everything but the last line, with as many bytes; the time of the file stays. */
function garble(path: string): void {
  const { atime, mtime } = fs.statSync(path)
  const bytes = readFileSync(path)
  bytes.fill('x', 0, bytes.lastIndexOf('\n', -2))
  writeFileSync(path, bytes)
  fs.utimesSync(path, atime, mtime)
}

const FILE_OPERATIONS = ['readFileSync', 'openSync', 'statSync', 'existsSync', 'readdirSync'] as const

/** The paths of the files and folders that `look` reads, or asks about. */
async function pathsRead(look: () => unknown): Promise<string[]> {
  const read: string[] = []
  const counting =
    (real: (...args: unknown[]) => unknown) =>
    (...args: unknown[]): unknown => {
      read.push(String(args[0]))
      return real(...args)
    }
  const restore = replaceBuiltin(
    fs,
    Object.fromEntries(FILE_OPERATIONS.map(name => [name, counting(fs[name] as (...args: unknown[]) => unknown)])),
  )
  try {
    await look()
  } finally {
    restore()
  }
  return read
}

const ACCOUNT = 'http://127.0.0.1:9/ 0123456789ab'
const NOW = Date.parse('2026-11-26T12:00:00Z')
const clock = { now: () => NOW, sleep: () => realClock.sleep(5) }
const count = (): number => spentInMonth(runsDir, ACCOUNT, NOW).credits

/** A finished run of two rows at a service that charges, as its journal has it; `events`: as many of the last are left out. */
async function remoteRun(left = 0): Promise<RunState> {
  here.write('in.csv', 'name,country\nBrornor Danmark A/S,DK\nHarrow Optics Ltd,GB\n')
  const { metadata } = await run(here.pipeline(), here.options())
  const { runId } = metadata
  const events = readJournal(journalOf(runId)).events.map(event =>
    event.type === 'run.started'
      ? { ...event, at: new Date(NOW).toISOString(), identity: ACCOUNT, plan: remotePlan(event.plan, 3) }
      : event,
  )
  await writeJournal(journalOf(runId), events.slice(0, events.length - left))
  rmSync(spendingFile(), { force: true })
  return fold(readJournal(journalOf(runId)).events)!
}

const remotePlan = (plan: Plan, month: number): Plan => ({
  ...plan,
  service: { kind: 'remote', url: 'http://127.0.0.1:9/', rate: null, fileHosts: [], insecure: true },
  budget: { ...plan.budget, month },
})

test('of two runs that reserve at once, one is refused when both would exceed the month', async () => {
  const { plan } = await remoteRun()
  rmSync(runsDir, { recursive: true })
  mkdirSync(runsDir)
  let begun = 0
  const reserve = (runId: string) =>
    reserveCredits(
      plan,
      { runsDir, identity: ACCOUNT, clock },
      async () => {
        begun++
        await realClock.sleep(20)
        return { runId, startedAt: new Date(NOW).toISOString() }
      },
      started => started,
    )
  const ended = await Promise.allSettled([reserve('a'), reserve('b')])
  expect(ended.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
  expect(ended.find(({ status }) => status === 'rejected')).toMatchObject({ reason: { code: 'FETTLE_BUDGET_MONTH' } })
  expect([begun, count()]).toEqual([1, 2])
})

test('the last line of a run counts; without a line it counts by its journal, without its folder by its line', async () => {
  const state = await remoteRun()
  const cost = count()
  expect(cost).toBe(1)
  await settleCredits(runsDir, state, clock, 5)
  expect(count()).toBe(cost + 5)
  await settleCredits(runsDir, state, clock)
  expect(count()).toBe(cost)
  renameSync(join(runsDir, state.runId), join(here.folder, 'away'))
  expect(count()).toBe(cost)
  // Not only the month: `fettle costs` knows it as well.
  expect(readCosts(runsDir, { month: null, by: 'pipeline' })).toMatchObject({ total: { runs: 1, credits: cost, unknown: 0 } })
})

test('an unfinished run counts with the most that it may come to, and one that cannot be read is named', async () => {
  const { runId } = await remoteRun(1)
  expect(count()).toBe(2)
  garble(journalOf(runId))
  expect(spentInMonth(runsDir, ACCOUNT, NOW)).toMatchObject({ credits: 0, unread: [runId] })
})

test('a damaged line is an error that names it, a torn last one is cut off by the next, and a reader writes nothing', async () => {
  const state = await remoteRun()
  await settleCredits(runsDir, state, clock)
  const whole = readFileSync(spendingFile(), 'utf8')
  const cost = count()
  writeFileSync(spendingFile(), `${whole}{"at":"2026-11`)
  expect(count()).toBe(cost)
  expect(readFileSync(spendingFile(), 'utf8')).toBe(`${whole}{"at":"2026-11`)
  await settleCredits(runsDir, state, clock)
  expect(readFileSync(spendingFile(), 'utf8')).toBe(whole + whole)
  for (const damage of ['', '{}', '{"at":', whole.trim().replace(/"credits":\d+/, '"credits":-1')]) {
    writeFileSync(spendingFile(), `${whole}${damage}\n${whole}`)
    expect(count, damage).toThrow(
      expect.objectContaining({ code: 'FETTLE_JOURNAL_DAMAGED', at: { file: spendingFile(), line: 2, column: null } }),
    )
  }
})

test('a merge or its shards count: the shards where all of them have a line, regardless of their month', () => {
  const line = (run: string, credits: number, more: object = {}, at = '2026-11-26T12:00:00.000Z'): string =>
    `${JSON.stringify({ at, account: ACCOUNT, run, credits, state: 'settled', ...more })}\n`
  const merge = line('merged', 7, { shards: ['first', 'second'] })
  mkdirSync(runsDir)
  writeFileSync(spendingFile(), merge + line('first', 3))
  expect(count()).toBe(7)
  writeFileSync(spendingFile(), merge + line('first', 3) + line('second', 4, {}, '2026-10-31T23:59:59.999Z'))
  expect(count()).toBe(3)
})

test('a removed run counts by its record, also one without a line', async () => {
  const state = await remoteRun()
  const cost = count()
  await pruneRuns(runsDir, { olderThanMs: 0, all: true, now: () => Date.now() + 10_000 })
  expect(existsSync(journalOf(state.runId))).toBe(false)
  expect(count()).toBe(cost)
})

test('what is known of finished runs is found without a look at them, the journal of one that fits is read, and a look writes nothing', async () => {
  const ids: string[] = []
  for (const row of ['A', 'B', 'C']) {
    here.write('in.csv', `name,country\nZyxwv ${row} Ltd,GB\nHarrow Optics Ltd,GB\n`)
    ids.push((await run(here.pipeline(), here.options())).metadata.runId)
  }
  const state = fold(readJournal(journalOf(ids[2]!)).events)!
  const { plan, identity } = state
  const names = readdirSync(runsDir)
  const runsRead = async (look: () => unknown): Promise<string[]> => {
    const read = await pathsRead(look)
    return ids.filter(id => read.some(path => path.startsWith(join(runsDir, id))))
  }
  const other = { ...plan, fingerprint: 'of a different list' }
  expect(await runsRead(() => expect(runToContinue(other, identity, runsDir)?.runId).toBe(ids[2]))).toEqual([ids[2]])
  expect(await runsRead(() => expect(lastGoodRun(runsDir, { plan, identity })?.runId).toBe(ids[2]))).toEqual([ids[2]])
  expect(await runsRead(() => expect(findStart(runsDir, plan.name, 'monday')).toBeNull())).toEqual([ids[2]])
  // Nothing of a tidy run is left to remove.
  expect(await runsRead(() => tidyRuns(runDirectory(runsDir, ids[2]!), state, true))).toEqual([ids[2]])
  // A review can make the newest run good.
  await tidyRuns(runDirectory(runsDir, ids[2]!), { ...state, status: 'fail' }, true)
  expect(lastGoodRun(runsDir, { plan, identity })?.runId).toBe(ids[1])
  fs.utimesSync(journalOf(ids[2]!), 1, 1)
  expect(lastGoodRun(runsDir, { plan, identity })?.runId).toBe(ids[2])
  // The journal of a run that fits is read: this one is unfinished now.
  const events = readJournal(journalOf(ids[0]!)).events
  await writeJournal(journalOf(ids[0]!), events.slice(0, -1))
  expect(
    runToContinue(
      { ...plan, fingerprint: events[0]!.type === 'run.started' ? events[0]!.plan.fingerprint : '' },
      identity,
      runsDir,
    )?.runId,
  ).toBe(ids[0])
  expect(readdirSync(runsDir)).toEqual(names)
  // Without the hint, and with one that is damaged, the journals are read.
  const hint = readFileSync(join(runsDir, 'runs.jsonl'), 'utf8')
  writeFileSync(join(runsDir, 'runs.jsonl'), hint.replaceAll('{', '[').replaceAll('"run"', '7'))
  expect(lastGoodRun(runsDir, { plan, identity })?.runId).toBe(ids[2])
  rmSync(join(runsDir, 'runs.jsonl'))
  expect(lastGoodRun(runsDir, { plan, identity }, ids[2])?.runId).toBe(ids[1])
  expect(existsSync(join(runsDir, 'runs.jsonl'))).toBe(false)
})

test('a stored input is removed without a look at the journals of finished runs', async () => {
  const { metadata } = await run(here.pipeline(), here.options())
  // A later run has removed what the first one left.
  await run(here.pipeline(), { ...here.options(), fresh: true })
  const name = `${'a'.repeat(64)}.csv`
  mkdirSync(join(runsDir, 'inputs'), { recursive: true })
  writeFileSync(join(runsDir, 'inputs', name), 'x')
  expect(await pathsRead(() => removeStaged(runsDir, 'stdin', name))).not.toContain(runDirectory(runsDir, metadata.runId).journal)
})

test('prune names the runs that it could not remove', async () => {
  const { metadata } = await run(here.pipeline(), here.options())
  const { rmSync: real } = fs
  const rmSync = (...args: Parameters<typeof real>) => {
    if (String(args[0]).endsWith(metadata.runId)) throw new Error('EBUSY: resource busy')
    return real(...args)
  }
  const restore = replaceBuiltin(fs, { rmSync })
  const found = await pruneRuns(runsDir, { olderThanMs: 0, all: true, now: () => Date.now() + 10_000 })
  restore()
  expect(found).toEqual({ removed: [], kept: [], failed: [{ runId: metadata.runId, why: 'EBUSY: resource busy' }] })
})
