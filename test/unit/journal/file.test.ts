/** The journal on disk: torn at every byte, damaged in the middle, or of another version, it is reported and never guessed. */
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isMainThread } from 'node:worker_threads'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { FettleError } from '../../../src/errors.ts'
import type { RunEventInput } from '../../../src/journal/events.ts'
import { journalHead, openJournal, readJournal } from '../../../src/journal/file.ts'
import { fold } from '../../../src/journal/state.ts'
import { worldOf } from '../run/world.ts'
import { freshFolder } from './fresh-folder.ts'

let path: string
beforeEach(() => {
  path = join(freshFolder(), 'journal.jsonl')
})

const now = (): number => Date.UTC(2025, 0, 1)

/** All facts of a whole run; with a name that is more than one byte a character. */
async function factsOfRun(): Promise<RunEventInput[]> {
  const world = worldOf()
  await world.run()
  return world.journal.events.map(
    ({ at, ...fact }) => (fact.type === 'run.started' ? { ...fact, traceId: 'Größe 株式会社' } : fact) as RunEventInput,
  )
}

function write(facts: readonly RunEventInput[]): void {
  const journal = openJournal(path, now, 'new')
  for (const fact of facts) journal.append(fact)
  journal.close()
}

const codeOf = (action: () => unknown): Partial<FettleError> => {
  try {
    action()
  } catch (error) {
    if (FettleError.is(error)) return error
  }
  throw new Error('nothing was thrown')
}

test('reads back the appended events, with the same state', async () => {
  const facts = await factsOfRun()
  write(facts)
  const { events, wholeBytes } = readJournal(path)
  expect(events).toEqual(facts.map(fact => ({ ...JSON.parse(JSON.stringify(fact)), at: '2025-01-01T00:00:00.000Z' })))
  expect(wholeBytes).toBe(statSync(path).size)
  const again = openJournal(path, now, 'existing')
  expect(again.state).toEqual(fold(events))
  expect(again.state).toMatchObject({ finished: true, traceId: 'Größe 株式会社' })
  again.close()
})

test('a last line torn at any byte is dropped, cut off and written over', async () => {
  const facts = (await factsOfRun()).slice(0, 4)
  write(facts)
  const bytes = readFileSync(path)
  const lastLine = bytes.lastIndexOf(0x0a, bytes.length - 2) + 1
  const before = readJournal(path).events.slice(0, 3)
  for (let length = lastLine; length < bytes.length; length++) {
    writeFileSync(path, bytes.subarray(0, length))
    const content = readJournal(path)
    expect(content.wholeBytes).toBe(lastLine)
    expect(content.events).toEqual(before)
    const journal = openJournal(path, now, 'existing')
    journal.append(facts[3]!)
    journal.close()
    expect(readFileSync(path).equals(bytes), `torn at byte ${length}`).toBe(true)
  }
})

test('a first line torn at any byte leaves a run that recorded nothing', async () => {
  write((await factsOfRun()).slice(0, 1))
  const bytes = readFileSync(path)
  for (let length = 0; length < bytes.length; length += 7) {
    writeFileSync(path, bytes.subarray(0, length))
    expect(readJournal(path)).toMatchObject({ events: [], wholeBytes: 0 })
  }
})

describe('damage other than a torn last line is 73 and names the line', () => {
  test.each<[string, (lines: string[]) => string[], number]>([
    ['half a line in the middle', lines => lines.with(2, lines[2]!.slice(0, 20)), 3],
    ['an empty line', lines => lines.toSpliced(1, 0, ''), 2],
    ['NUL bytes', lines => lines.with(3, '\0'.repeat(40)), 4],
    ['JSON that is no event', lines => lines.with(1, '[1]'), 2],
    ['an event without its time', lines => lines.with(1, '{"type":"stage.started"}'), 2],
    ['a whole last line that is not JSON', lines => lines.with(-1, '{"type":'), 6],
    ['a beginning that is gone', lines => lines.slice(1), 1],
  ])('%s', async (_, damage, line) => {
    write((await factsOfRun()).slice(0, 6))
    const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1)
    const text = `${damage(lines).join('\n')}\n`
    writeFileSync(path, text)
    for (const open of [() => readJournal(path), () => openJournal(path, now, 'existing')])
      expect(codeOf(open)).toMatchObject({ code: 'FETTLE_JOURNAL_DAMAGED', exitCode: 73, at: { file: path, line } })
    expect(readFileSync(path, 'utf8')).toBe(text)
  })
})

test('rejects a journal of a newer version with exit code 2, also with unknown events', async () => {
  const [started] = await factsOfRun()
  writeFileSync(path, `${JSON.stringify({ ...started, journal: 2, at: '2030-01-01T00:00:00.000Z' })}\n`)
  expect(codeOf(() => readJournal(path))).toMatchObject({
    code: 'FETTLE_JOURNAL_NEWER',
    exitCode: 2,
    message: expect.stringMatching(/written by a newer fettle.*version is 2.*reads version 1/),
  })
})

test.each([0, -1, '2', null, undefined, {}])('a journal of version %j is damaged: there has been none', async journal => {
  const [started] = await factsOfRun()
  writeFileSync(path, `${JSON.stringify({ ...started, journal, at: '2030-01-01T00:00:00.000Z' })}\n`)
  expect(codeOf(() => readJournal(path))).toMatchObject({ code: 'FETTLE_JOURNAL_DAMAGED', exitCode: 73, at: { line: 1 } })
})

test('events of a newer minor version are passed over', async () => {
  write((await factsOfRun()).slice(0, 3))
  const known = openJournal(path, now, 'existing')
  const state = known.state
  known.append({ type: 'row.glanced', row: 1 } as unknown as RunEventInput)
  known.close()
  expect(fold(readJournal(path).events)).toEqual(state)
})

test('no such run is 2, one that cannot be read is 73', () => {
  expect(codeOf(() => readJournal(path))).toMatchObject({ code: 'FETTLE_RUN_UNKNOWN', exitCode: 2 })
  mkdirSync(path)
  expect(codeOf(() => readJournal(path))).toMatchObject({ code: 'FETTLE_JOURNAL_DAMAGED', exitCode: 73 })
})

test('a new journal never goes over an old one, nor through a link', async () => {
  const facts = await factsOfRun()
  write(facts.slice(0, 1))
  expect(codeOf(() => openJournal(path, now, 'new'))).toMatchObject({ code: 'FETTLE_JOURNAL_WRITE', exitCode: 73 })
  const link = `${path}.link`
  symlinkSync(path, link)
  expect(codeOf(() => openJournal(link, now, 'existing'))).toMatchObject({ code: 'FETTLE_JOURNAL_WRITE' })
  expect(readJournal(path).events).toHaveLength(1)
})

test('an append that fails moves neither the state on nor the head', async () => {
  const facts = await factsOfRun()
  const journal = openJournal(path, now, 'new')
  const state = journal.append(facts[0]!)
  const { head } = journal
  journal.close()
  expect(codeOf(() => journal.append(facts[1]!))).toMatchObject({ code: 'FETTLE_JOURNAL_WRITE', exitCode: 73 })
  expect(journal.state).toBe(state)
  expect(journal.head).toEqual(head)
})

test('an open journal has the head of its file after each event, and when it is opened again', async () => {
  const facts = await factsOfRun()
  const journal = openJournal(path, now, 'new')
  expect(journal.head).toBeNull()
  for (const [at, fact] of facts.entries()) {
    journal.append(fact)
    expect(journal.head).toEqual(journalHead(path))
    expect(journal.head?.events).toBe(at + 1)
  }
  journal.close()
  const again = openJournal(path, now, 'existing')
  expect(again.head).toEqual(journalHead(path))
  again.close()
})

// A worker thread, in which mutants are tried, has no umask of its own.
test.runIf(isMainThread)('the file is for its owner alone, even under umask 000', async () => {
  const facts = await factsOfRun()
  const umask = process.umask(0)
  onTestFinished(() => void process.umask(umask))
  write(facts.slice(0, 1))
  expect(statSync(path).mode & 0o777).toBe(0o600)
})
