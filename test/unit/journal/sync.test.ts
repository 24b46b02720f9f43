/** Durability: every line is synced before anything is done because of it. */
import fs from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { RunEventInput } from '../../../src/journal/events.ts'
import { openJournal } from '../../../src/journal/file.ts'
import { replaceBuiltin } from '../../support/builtin.ts'
import { worldOf } from '../run/world.ts'
import { freshFolder } from './fresh-folder.ts'

/** Notes every write and sync from here to the end of the test. */
function noteCalls(): string[] {
  const done: string[] = []
  const real = { ...fs }
  const noted =
    <T extends unknown[], R>(name: string, call: (...args: T) => R) =>
    (...args: T): R => {
      done.push(name)
      return call(...args)
    }
  // Three bytes at most go at once: a short write is legal and must not lose the rest.
  const writeSync = (file: number, bytes: Buffer, offset: number): number =>
    real.writeSync(file, bytes, offset, Math.min(3, bytes.length - offset))
  onTestFinished(replaceBuiltin(fs, { writeSync: noted('write', writeSync), fsyncSync: noted('sync', real.fsyncSync) }))
  return done
}

test('a new file syncs its folder, and each append itself, whole and before it returns', () => {
  const [event] = worldOf().journal.events
  const { at, ...fact } = event!
  const done = noteCalls()
  const journal = openJournal(join(freshFolder(), 'journal.jsonl'), () => Date.parse(at), 'new')
  expect(done).toEqual(['sync'])
  journal.append(fact)
  expect(new Set(done.slice(1, -1))).toEqual(new Set(['write']))
  expect(done.at(-1)).toBe('sync')
  journal.close()
  const again = openJournal(journal.path, () => 0, 'existing')
  expect(again.state).toEqual(journal.state)
  again.close()
})

test('of polls that find a job unchanged, only the first is synced; the next event syncs them all', () => {
  const { events } = worldOf().journal
  const { at, ...fact } = events[0]!
  const done = noteCalls()
  const journal = openJournal(join(freshFolder(), 'journal.jsonl'), () => Date.parse(at), 'new')
  journal.append(fact)
  const syncs = (event: RunEventInput): number => {
    const before = done.filter(call => call === 'sync').length
    journal.append(event)
    return done.filter(call => call === 'sync').length - before
  }
  const poll = (status: string, totalRows: number): RunEventInput => ({
    type: 'status.observed',
    part: 0,
    stage: 'match',
    status,
    summary: { totalRows },
  })
  expect(
    [poll('matching', 5), poll('matching', 5), poll('matching', 6), poll('enriching', 6), poll('enriching', 6)].map(syncs),
  ).toEqual([1, 0, 1, 1, 0])
  expect(syncs({ type: 'match.requested', part: 0 })).toBe(1)
  journal.close()
  expect(journal.state?.jobs[0]).toMatchObject({ polls: 5, matchRequested: true })
})
