/** A disk that fails in the middle of a line: the line is reported as not recorded, and the next one replaces it. */
import fs, { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { FettleError, issue } from '../../../src/errors.ts'
import { takeLock } from '../../../src/files/process-lock.ts'
import { openJournal, readJournal } from '../../../src/journal/file.ts'
import type { RunEventInput } from '../../../src/journal/index.ts'
import { replaceBuiltin } from '../../support/builtin.ts'
import { worldOf } from '../run/world.ts'
import { freshFolder } from './fresh-folder.ts'

/** What fails from now on: `half` writes half of it and then has no room, `second` does so after one whole writing. */
const disk = { fails: null as string | null }

function failOnCommand(): () => void {
  const real = { ...fs }
  const failure = (code: string): Error => Object.assign(new Error(`${code}: no`), { code, syscall: 'x' })
  const failing =
    <T extends unknown[], R>(name: string, call: (...args: T) => R) =>
    (...args: T): R => {
      if (disk.fails === name) throw failure('EIO')
      return call(...args)
    }
  const writeSync = (file: number, bytes: Buffer, offset: number): number => {
    if (disk.fails === 'second') {
      disk.fails = 'half'
      return real.writeSync(file, bytes, offset)
    }
    if (disk.fails === 'half') {
      if (offset > 0) throw failure('ENOSPC')
      return real.writeSync(file, bytes, 0, bytes.length >> 1)
    }
    return real.writeSync(file, bytes, offset)
  }
  return replaceBuiltin(fs, {
    writeSync,
    fsyncSync: failing('fsync', real.fsyncSync),
    linkSync: failing('link', real.linkSync),
    rmSync: failing('rm', real.rmSync),
    utimesSync: failing('utimes', real.utimesSync),
  })
}

afterAll(failOnCommand())

const now = (): number => Date.UTC(2025, 0, 1)
beforeEach(() => {
  disk.fails = null
})

const thrown = (action: () => unknown): FettleError => {
  try {
    action()
  } catch (error) {
    if (FettleError.is(error)) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

test.each(['half', 'fsync'])('an append that fails (%s) is not recorded, and the next one is whole', how => {
  const facts = worldOf().journal.events.map(({ at: _, ...fact }) => fact)
  const path = join(freshFolder(), 'journal.jsonl')
  const journal = openJournal(path, now, 'new')
  const state = journal.append(facts[0]!)
  disk.fails = how
  const error = thrown(() => journal.append({ type: 'stage.started', stage: 'create' }))
  expect(error).toMatchObject({ code: 'FETTLE_JOURNAL_WRITE', exitCode: 73, message: expect.stringContaining(path) })
  expect(journal.state).toBe(state)
  disk.fails = null
  journal.append({ type: 'stage.started', stage: 'upload' })
  journal.close()
  expect(readJournal(path).events.map(event => event.type)).toEqual(['run.started', 'stage.started'])
})

test.each(['half', 'second', 'fsync'])('an event with cells that fails (%s) is not recorded, and the next one is whole', how => {
  const path = join(freshFolder(), 'journal.jsonl')
  const journal = openJournal(path, now, 'new')
  journal.append(worldOf().journal.events.map(({ at: _, ...fact }) => fact)[0]!)
  const raised = (message: string): RunEventInput => ({ type: 'issue.raised', issue: issue('FETTLE_INPUT_ENCODING', message) })
  journal.append(raised('first'))
  disk.fails = how
  thrown(() => journal.append(raised('lost, and longer than those around it')))
  disk.fails = null
  for (const message of ['second', 'third']) journal.append(raised(message))
  journal.close()
  const { events } = readJournal(path)
  expect(events.flatMap(event => (event.type === 'issue.raised' ? [event.issue.message] : []))).toEqual([
    'first',
    'second',
    'third',
  ])
})

test('drops a torn last line in the next process', () => {
  const [first] = worldOf().journal.events
  const path = join(freshFolder(), 'journal.jsonl')
  const journal = openJournal(path, now, 'new')
  journal.append(first!)
  disk.fails = 'half'
  thrown(() => journal.append({ type: 'stage.started', stage: 'create' }))
  journal.close()
  expect(readFileSync(path, 'utf8')).not.toMatch(/\n$/)
  disk.fails = null
  const again = openJournal(path, now, 'existing')
  again.append({ type: 'stage.started', stage: 'upload' })
  again.close()
  expect(readJournal(path).events.map(event => event.type)).toEqual(['run.started', 'stage.started'])
})

test('a lock that the disk refuses is 73 with its path', () => {
  const path = join(freshFolder(), 'run.lock')
  disk.fails = 'link'
  expect(thrown(() => takeLock(path, now))).toMatchObject({
    code: 'FETTLE_OUTPUT_WRITE',
    exitCode: 73,
    message: expect.stringMatching(/run\.lock: EIO/),
  })
})

test('ignores a lock whose heartbeat and removal fail', () => {
  const folder = freshFolder()
  const path = join(folder, 'run.lock')
  const lock = takeLock(path, now)
  disk.fails = 'utimes'
  lock.beat()
  disk.fails = 'rm'
  lock.release()
  disk.fails = null
  expect(takeLock(path, now).takenFrom?.token).toBe(lock.owner.token)
  rmSync(folder, { recursive: true })
})
