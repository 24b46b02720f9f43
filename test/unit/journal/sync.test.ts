/** Durability: every line is synced before anything is done because of it. */
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { openJournal } from '../../../src/journal/file.ts'
import { worldOf } from '../run/world.ts'
import { freshFolder } from './fresh-folder.ts'

const done = vi.hoisted(() => [] as string[])
vi.mock('node:fs', async importOriginal => {
  const fs = await importOriginal<typeof import('node:fs')>()
  const noted =
    <T extends unknown[], R>(name: string, call: (...args: T) => R) =>
    (...args: T): R => {
      done.push(name)
      return call(...args)
    }
  // Three bytes at most go at once: a short write is legal and must not lose the rest.
  const writeSync = (file: number, bytes: Buffer, offset: number): number =>
    fs.writeSync(file, bytes, offset, Math.min(3, bytes.length - offset))
  return { ...fs, writeSync: noted('write', writeSync), fsyncSync: noted('sync', fs.fsyncSync) }
})

test('a new file syncs its folder, and each append itself, whole and before it returns', () => {
  const [event] = worldOf().journal.events
  const { at, ...fact } = event!
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
