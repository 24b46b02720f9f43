/** A run stopped by the disk or another process: its state is kept in memory, and recorded if the disk allows it. */
import { expect, test } from 'vitest'
import { FettleError } from '../../../src/errors.ts'
import { createTakeoverGuard } from '../../../src/execution/run-execution.ts'
import { createRecord, isLocalFailure } from '../../../src/execution/run-recorder.ts'
import type { Lock } from '../../../src/files/process-lock.ts'
import type { Journal, RunEventInput } from '../../../src/journal/index.ts'
import { type MemoryJournal, OUTCOMES, worldOf } from '../run/world.ts'

const full = new FettleError('FETTLE_JOURNAL_WRITE', 'cannot write the journal j: ENOSPC')
const created: RunEventInput = { type: 'job.created', part: 0, id: 'j1', name: 'n', adopted: false }
const now = (): number => 0

/** A journal that refuses while `isFull`. */
function diskOf() {
  const { journal } = worldOf()
  const disk = { isFull: false, isOurs: true }
  const refusing: Journal = {
    path: 'j',
    head: null,
    get state() {
      return journal.state
    },
    append(fact) {
      if (disk.isFull) throw full
      return journal.append(fact)
    },
    close() {},
  }
  const guard = (): void => {
    if (!disk.isOurs) throw new FettleError('FETTLE_LOCKED')
  }
  return { disk, journal, record: createRecord(refusing, guard, now) }
}

const typesOf = (journal: MemoryJournal): string[] => journal.events.map(event => event.type)

test('keeps the job in memory while the disk stays full', () => {
  const { disk, journal, record } = diskOf()
  disk.isFull = true
  expect(() => record.append(created)).toThrow(full)
  expect(record.strand(full)).toMatchObject({
    status: 'error',
    exitCode: 73,
    finished: false,
    jobs: [{ id: 'j1' }],
    error: { code: 'FETTLE_JOURNAL_WRITE' },
  })
  expect(typesOf(journal)).toEqual(['run.started'])
})

test('records the lost events, then the stop, once the disk has room again', () => {
  const { disk, journal, record } = diskOf()
  disk.isFull = true
  expect(() => record.append(created)).toThrow(full)
  disk.isFull = false
  record.strand(full)
  expect(typesOf(journal)).toEqual(['run.started', 'job.created', 'run.paused'])
})

test('records no event twice', () => {
  const { journal, record } = diskOf()
  record.append(created)
  record.strand(full)
  expect(typesOf(journal)).toEqual(['run.started', 'job.created', 'run.paused'])
})

test('keeps the end of a finished run in the journal, and reports missing documents', () => {
  const { journal, record } = diskOf()
  record.append({ type: 'run.finished', status: 'success', exitCode: 0, outcomes: OUTCOMES, checks: [], error: null })
  const unwritten = new FettleError('FETTLE_OUTPUT_WRITE', 'cannot write report.html: EFBIG')
  expect(record.strand(unwritten)).toMatchObject({ finished: false, exitCode: 73, status: 'error' })
  expect(typesOf(journal)).toEqual(['run.started', 'run.finished'])
})

test('a run whose end was not recorded can be resumed; an end recorded later is final', () => {
  const { disk, journal, record } = diskOf()
  disk.isFull = true
  const end: RunEventInput = { type: 'run.finished', status: 'success', exitCode: 0, outcomes: OUTCOMES, checks: [], error: null }
  expect(() => record.append(end)).toThrow(full)
  expect(record.strand(full)).toMatchObject({ finished: false, exitCode: 73, outcomes: OUTCOMES })
  disk.isFull = false
  expect(record.strand(full)).toMatchObject({ finished: false, exitCode: 73 })
  expect(typesOf(journal)).toEqual(['run.started', 'run.finished'])
  expect(journal.state).toMatchObject({ finished: true, exitCode: 0 })
})

test('writes nothing after a takeover, and returns its last state', () => {
  const { disk, journal, record } = diskOf()
  disk.isOurs = false
  expect(() => record.append(created)).toThrow('Another process')
  expect(record.strand(new FettleError('FETTLE_LOCKED'))).toMatchObject({ exitCode: 75, jobs: [{ id: 'j1' }] })
  expect(typesOf(journal)).toEqual(['run.started'])
})

test('a disk error and a takeover are local failures; service errors and bugs are not', () => {
  expect(isLocalFailure(full)).toBe(true)
  expect(isLocalFailure(new FettleError('FETTLE_OUTPUT_WRITE'))).toBe(true)
  expect(isLocalFailure(new FettleError('FETTLE_LOCKED'))).toBe(true)
  expect(isLocalFailure(new FettleError('FETTLE_NETWORK'))).toBe(false)
  expect(isLocalFailure(new Error('ENOSPC'))).toBe(false)
})

test('the guard throws once another process holds the lock', () => {
  let isHeld = true
  const guard = createTakeoverGuard({ path: '/nowhere', held: () => isHeld } as Lock, 'r1', now)
  expect(guard).not.toThrow()
  isHeld = false
  expect(guard).toThrow('another process took over the run r1: nothing more is sent')
})
