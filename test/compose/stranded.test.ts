/** A run that the disk or another process stopped: what it did is told from memory, and recorded if the disk lets it. */
import { expect, test } from 'vitest'
import { guarded, guardOf } from '../../src/compose/guard.ts'
import { isStranding, recordOf } from '../../src/compose/stranded.ts'
import { FettleError } from '../../src/errors.ts'
import type { Journal, Lock, RunFact } from '../../src/journal/index.ts'
import { FakeService } from '../run/fake-service.ts'
import { type MemoryJournal, OUTCOMES, worldOf } from '../run/world.ts'

const full = new FettleError('FETTLE_JOURNAL_WRITE', 'cannot write the journal j: ENOSPC')
const created: RunFact = { type: 'job.created', part: 0, id: 'j1', name: 'n', adopted: false }
const now = (): number => 0

/** A journal that refuses while `isFull`. */
function diskOf() {
  const { journal } = worldOf()
  const disk = { isFull: false, isOurs: true }
  const refusing: Journal = {
    path: 'j',
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
  return { disk, journal, record: recordOf(refusing, guard, now) }
}

const typesOf = (journal: MemoryJournal): string[] => journal.events.map(event => event.type)

test('on a disk that stays full the job is told from memory', () => {
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

test('on a disk that has room again what was lost is recorded after all, then the stop', () => {
  const { disk, journal, record } = diskOf()
  disk.isFull = true
  expect(() => record.append(created)).toThrow(full)
  disk.isFull = false
  record.strand(full)
  expect(typesOf(journal)).toEqual(['run.started', 'job.created', 'run.paused'])
})

test('what was recorded is not recorded twice', () => {
  const { journal, record } = diskOf()
  record.append(created)
  record.strand(full)
  expect(typesOf(journal)).toEqual(['run.started', 'job.created', 'run.paused'])
})

test('a run at its end keeps its end in the journal; told is that its documents are wanting', () => {
  const { journal, record } = diskOf()
  record.append({ type: 'run.finished', status: 'success', exitCode: 0, outcomes: OUTCOMES, checks: [], error: null })
  const unwritten = new FettleError('FETTLE_OUTPUT_WRITE', 'cannot write report.html: EFBIG')
  expect(record.strand(unwritten)).toMatchObject({ finished: false, exitCode: 73, status: 'error' })
  expect(typesOf(journal)).toEqual(['run.started', 'run.finished'])
})

test('an end that could not be recorded is none: the run can be resumed; one recorded after all is the end', () => {
  const { disk, journal, record } = diskOf()
  disk.isFull = true
  const end: RunFact = { type: 'run.finished', status: 'success', exitCode: 0, outcomes: OUTCOMES, checks: [], error: null }
  expect(() => record.append(end)).toThrow(full)
  expect(record.strand(full)).toMatchObject({ finished: false, exitCode: 73, outcomes: OUTCOMES })
  disk.isFull = false
  expect(record.strand(full)).toMatchObject({ finished: false, exitCode: 73 })
  expect(typesOf(journal)).toEqual(['run.started', 'run.finished'])
  expect(journal.state).toMatchObject({ finished: true, exitCode: 0 })
})

test('whoever was taken over writes nothing, and tells what it did last', () => {
  const { disk, journal, record } = diskOf()
  disk.isOurs = false
  expect(() => record.append(created)).toThrow('Another process')
  expect(record.strand(new FettleError('FETTLE_LOCKED'))).toMatchObject({ exitCode: 75, jobs: [{ id: 'j1' }] })
  expect(typesOf(journal)).toEqual(['run.started'])
})

test('a disk and a takeover strand a run; a service and a mistake do not', () => {
  expect(isStranding(full)).toBe(true)
  expect(isStranding(new FettleError('FETTLE_OUTPUT_WRITE'))).toBe(true)
  expect(isStranding(new FettleError('FETTLE_LOCKED'))).toBe(true)
  expect(isStranding(new FettleError('FETTLE_NETWORK'))).toBe(false)
  expect(isStranding(new Error('ENOSPC'))).toBe(false)
})

test('the lock is asked before every effect; looking is free', async () => {
  const service = new FakeService()
  const job = service.add('n')
  let isHeld = false
  const lock = { path: '/nowhere', held: () => isHeld } as Lock
  const run: Pick<FakeService, 'createJob' | 'upload' | 'setMappings' | 'submit' | 'setEnrichments' | 'enrich' | 'readJob'> = {
    createJob: (...args) => service.createJob(...args),
    upload: (...args) => service.upload(...args),
    setMappings: (...args) => service.setMappings(...args),
    submit: (...args) => service.submit(...args),
    setEnrichments: (...args) => service.setEnrichments(...args),
    enrich: (...args) => service.enrich(...args),
    readJob: (...args) => service.readJob(...args),
  }
  const ours = guarded(run as FakeService, guardOf(lock, 'r1', now))
  const effect = { key: 'k', look: async () => undefined }
  const effects = [
    () => ours.createJob('n', effect),
    () => ours.upload(job.id, {} as never, effect),
    () => ours.setMappings(job.id, []),
    () => ours.submit(job.id, effect),
    () => ours.setEnrichments(job.id, []),
    () => ours.enrich(job.id, effect),
  ]
  for (const send of effects) await expect(send()).rejects.toThrow('another process took over the run r1: nothing more is sent')
  expect(service.calls).toEqual([])
  expect(await ours.readJob(job.id)).toMatchObject({ name: 'n' })
  isHeld = true
  await ours.createJob('m', effect)
  expect(service.calls).toEqual(['readJob', 'createJob'])
})
