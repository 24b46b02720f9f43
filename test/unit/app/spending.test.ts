/** What costs a look at many runs: each journal of a finished run is read once, and what cannot be removed is named. */
import fs, { mkdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { pruneRuns } from '../../../src/app/runs/prune.ts'
import { spendingOfRuns, withSpendingLock } from '../../../src/app/runs/spending.ts'
import { removeStaged } from '../../../src/app/staging/staged-input.ts'
import { realClock } from '../../../src/client/clock.ts'
import { run } from '../../../src/index.ts'
import { replaceBuiltin } from '../../support/builtin.ts'
import { type Place, place } from './place.ts'

let here: Place
beforeEach(() => {
  here = place()
})
afterEach(() => here.leave())

const journalOf = (runId: string): string => join(here.folder, 'runs', runId, 'journal.jsonl')

/** Writes over everything but the last line, with as many bytes. */
function garble(path: string): void {
  const bytes = readFileSync(path)
  bytes.fill('x', 0, bytes.lastIndexOf('\n', -2))
  writeFileSync(path, bytes)
}

test('a month is counted without reading the journals of runs that were finished, until one has grown', async () => {
  const runsDir = join(here.folder, 'runs')
  const { metadata } = await run(here.pipeline(), here.options())
  await withSpendingLock(runsDir, realClock, () => {})
  const before = spendingOfRuns(runsDir)
  expect(before.runs.map(({ runId }) => runId)).toEqual([metadata.runId])
  garble(journalOf(metadata.runId))
  expect(spendingOfRuns(runsDir)).toEqual(before)
  truncateSync(journalOf(metadata.runId), statSync(journalOf(metadata.runId)).size - 1)
  expect(spendingOfRuns(runsDir).unread).toEqual([metadata.runId])
  // Without the record, each run is read from its journal again.
  rmSync(join(runsDir, 'spending.jsonl'))
  expect(spendingOfRuns(runsDir).unread).toEqual([metadata.runId])
})

test('a stored input is removed without reading the journals of finished runs', async () => {
  const runsDir = join(here.folder, 'runs')
  const { metadata } = await run(here.pipeline(), here.options())
  garble(journalOf(metadata.runId))
  const name = `${'a'.repeat(64)}.csv`
  mkdirSync(join(runsDir, 'inputs'), { recursive: true })
  writeFileSync(join(runsDir, 'inputs', name), 'x')
  const journal = journalOf(metadata.runId)
  const read: string[] = []
  const { readFileSync: real } = fs
  const readFileSync = (...args: Parameters<typeof real>) => {
    read.push(String(args[0]))
    return real(...args)
  }
  const restore = replaceBuiltin(fs, { readFileSync })
  removeStaged(runsDir, 'stdin', name)
  restore()
  expect(read).not.toContain(journal)
})

test('prune names the runs that it could not remove', async () => {
  const runsDir = join(here.folder, 'runs')
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
