/** Durability: every line is synced before anything is done because of it. */
import fs from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
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
