/** Runs that use the answers of earlier runs: what goes up, what is written, and what is kept. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { verifyRun } from '../../../src/app/operations/verify.ts'
import { merge, type PipelineInput, run } from '../../../src/index.ts'
import { runs } from '../../support/runs.ts'
import { nightsAt, type Row, SUPPLIERS } from './nights.ts'
import { type Place, place } from './place.ts'

let here: Place
beforeEach(() => {
  here = place()
})
afterEach(() => here.leave())

const listOf = (from: number, to: number): Row[] => Array.from({ length: to - from }, (_, at) => [`K${from + at}`, from + at])

test('the second night of the same list sends nothing and writes what a full night writes', async () => {
  const night = nightsAt(here)
  const first = await night(0, listOf(0, 40))
  expect(first.reuse).toMatchObject({ asked: 40, known: 0 })
  const second = await night(1, listOf(0, 40))
  expect(second.report).toMatchObject({ results: [{ plan: { sent: 0 }, jobs: [] }] })
  expect(second.reuse).toMatchObject({ asked: 40, known: 40, sent: 0 })
  for (const { report } of [first, second])
    expect((await verifyRun(report.metadata.runId, { runsDir: join(here.folder, 'runs'), cwd: here.folder })).faults).toEqual([])
})

test('rows that are new, changed or too old go up, each with its reason, and those that repeat one of them do not', async () => {
  const night = nightsAt(here)
  await night(0, listOf(0, 90))
  const changed = listOf(0, 90).map(([key, supplier]): Row => (supplier < 3 ? [key, 100 + supplier] : [key, supplier]))
  const list: Row[] = [...changed, ['N1', 103], ['N2', 104], ['N3', 104], ['N4', 10]]
  const second = await night(1, list)
  expect(second.reuse).toMatchObject({ asked: 94, known: 88, sent: 5, repeated: 1, fresh: 2, changed: 3, tooOld: 0 })
  const outcomes = second.rows.map(row => row['match.outcome'])
  const short = outcomes.filter(one => one === 'unmatched' || one === 'review').length
  expect(short).toBeGreaterThan(2)
  // Unmatched and review are too old after five days, and what was asked in the second night is not yet.
  const third = await night(5.5, list)
  expect(third.reuse.tooOld).toBeGreaterThan(0)
  expect(third.reuse).toMatchObject({ fresh: 0, changed: 0, lacking: 0, known: 94 - third.reuse.sent - third.reuse.repeated })
  const fourth = await night(40, list)
  expect(fourth.reuse).toMatchObject({ known: 0, fresh: 0, changed: 0, tooOld: fourth.reuse.sent })
})

test('a row whose key was known is changed and not new, also if its answer was that of another row', async () => {
  const night = nightsAt(here)
  await night(0, [...listOf(0, 30), ['same', 5]])
  const second = await night(1, [...listOf(0, 30), ['same', 40]])
  expect(second.reuse).toMatchObject({ sent: 1, fresh: 0, changed: 1 })
})

test('rows are asked again when the caller wants it: all, by outcome, by key', async () => {
  const night = nightsAt(here)
  const list = listOf(0, 30)
  const { rows } = await night(0, list)
  const count = rows.filter(row => row['match.outcome'] === 'unmatched').length
  expect(count).toBeGreaterThan(0)
  expect((await night(1, list, { refresh: { outcomes: ['unmatched'] } })).reuse).toMatchObject({ refreshed: count, sent: count })
  expect((await night(2, list, { refresh: { keys: ['K7'] } })).reuse).toMatchObject({ refreshed: 1, sent: 1 })
  expect((await night(3, list, { refresh: { all: true } })).reuse).toMatchObject({ refreshed: 30, known: 0 })
  expect((await night(4, list)).reuse).toMatchObject({ sent: 0 })
})

test('answers are kept in a folder of their own that only its owner can read, and it does not grow from night to night', async () => {
  const night = nightsAt(here)
  const folder = join(here.folder, 'answers')
  const bytes = (): number => readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
  const list = listOf(0, 40)
  await night(0, list, { answersDir: folder })
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  for (const name of readdirSync(folder).filter(one => one.endsWith('.answers')))
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
  const before = bytes()
  for (let day = 1; day < 5; day++) await night(day, list, { answersDir: folder, refresh: { all: true } })
  expect(bytes()).toBeLessThan(before * 1.5)
})

/** Each list is that of the night before, with rows changed, gone, moved and new. */
const change = fc.record({
  days: fc.constantFrom(0.5, 1, 3, 7),
  changed: fc.array(fc.tuple(fc.nat(200), fc.nat(90)), { maxLength: 4 }),
  gone: fc.array(fc.nat(200), { maxLength: 3 }),
  added: fc.array(fc.nat(90), { maxLength: 5 }),
  turned: fc.nat(20),
  /** The run is stopped at this event, and goes on. */
  stop: fc.option(fc.integer({ min: 1, max: 25 }), { nil: null }),
})

const wanted = fc.record({
  collapse: fc.boolean(),
  split: fc.constantFrom(null, 7, 30),
  mapped: fc.boolean(),
  accept: fc.boolean(),
})

test('any nights of any list, stopped anywhere, write what full nights write and ask nothing twice within its age', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(90), { minLength: 1, maxLength: 40 }),
      fc.array(change, { minLength: 1, maxLength: 3 }),
      wanted,
      async (first, changes, { collapse, split, mapped, accept }) => {
        here.leave()
        here = place()
        const job = { collapse, ...(split === null ? {} : { split }) }
        const more: Partial<PipelineInput> = {
          job,
          ...(mapped ? { send: 'mapped' } : {}),
          ...(accept ? { accept: { banding: ['A', 'B'], review: ['C', 'D'] } } : {}),
        }
        const night = nightsAt(here, more)
        let list: Row[] = first.map((supplier, at) => [`K${at}`, supplier % SUPPLIERS.length])
        let key = list.length
        let day = 0
        await night(day, list)
        for (const { days, changed, gone, added, turned, stop } of changes) {
          day += days
          for (const [at, supplier] of changed) {
            const row = list[at % list.length]
            if (row !== undefined) list[at % list.length] = [row[0], supplier]
          }
          list = list.filter((_, at) => at === 0 || !gone.includes(at))
          list.push(...added.map((supplier): Row => [`K${key++}`, supplier]))
          const by = turned % list.length
          list = [...list.slice(by), ...list.slice(0, by)]
          const controller = new AbortController()
          let events = 0
          const onEvent = (): void => {
            if (++events === stop) controller.abort()
          }
          await night(day, list, { signal: controller.signal, reporters: [{ name: 'stop', onEvent }] })
        }
      },
    ),
    { numRuns: runs(3, 60), endOnFailure: true },
  )
}, 600_000)

test('decisions and checks count for rows with an earlier answer as for all others', async () => {
  const list = listOf(0, 60)
  here.write('decisions.csv', 'fingerprint,decision,company,companyName,by,at\n')
  const night = nightsAt(here, { review: { decisions: 'decisions.csv' }, checks: { unmatched: { warn: '> 0' } } })
  const first = await night(0, list)
  const [row] = first.report.results[0]!.review
  expect(row).toBeDefined()
  here.write('decisions.csv', `fingerprint,decision,company,companyName,by,at\n${row!.fingerprint},reject,,,ann,2026-11-24\n`)
  const second = await night(1, list)
  expect(second.reuse).toMatchObject({ known: 60, sent: 0 })
  expect(second.report.results[0]).toMatchObject({ decisions: { rejected: 1 } })
  const actual = ({ report }: typeof second): unknown => report.results[0]!.checks.map(one => one.actual)
  expect(actual(second)).not.toEqual(actual(first))
})

test('the merge of shards keeps their answers, and the next night sends what is new', async () => {
  const rows = listOf(0, 90)
  // Numbers and marks of a job differ between shards.
  const columns = ['*', 'general.connectId', 'match.outcome', 'match.score']
  const night = nightsAt(here, {}, columns)
  night.write(rows)
  for (const shard of ['1/2', '2/2'] as const) await run(night.pipeline, { ...here.options({}), shard })
  expect(await merge(['nightly'], here.options({}))).toMatchObject({ exitCode: 0, ledger: { adds: true } })
  night.write([...rows, ['N', 100]])
  const next = await run(night.pipeline, here.options({}))
  expect(next).toMatchObject({ exitCode: 0, ledger: { adds: true } })
  expect(next.results[0]?.reuse).toMatchObject({ known: 90, sent: 1, fresh: 1 })
})
