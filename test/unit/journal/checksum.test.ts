/** Checksums of journal lines: any changed, removed, added or moved line is found, with its number. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { FettleError } from '../../../src/errors.ts'
import { openJournal, readJournal } from '../../../src/journal/file.ts'
import { resealed } from '../../../src/journal/index.ts'
import { worldOf } from '../run/world.ts'
import { freshFolder } from './fresh-folder.ts'

const SUM = /,"sum":"[0-9a-f]{16}"\}$/
const now = (): number => Date.UTC(2025, 0, 1)

let lines: string[]
let path: string

beforeAll(async () => {
  const world = worldOf()
  await world.run()
  const folder = mkdtempSync(join(tmpdir(), 'fettle-test-'))
  const journal = openJournal(join(folder, 'journal.jsonl'), now, 'new')
  for (const { at: _, ...fact } of world.journal.events) journal.append(fact)
  journal.close()
  lines = readFileSync(journal.path, 'utf8').trimEnd().split('\n')
  rmSync(folder, { recursive: true })
})
beforeEach(() => {
  path = join(freshFolder(), 'journal.jsonl')
})

/** The line at which a journal of these lines is refused; null when it is read. */
function damagedAt(content: readonly string[]): number | null {
  writeFileSync(path, content.map(line => `${line}\n`).join(''))
  try {
    readJournal(path)
    return null
  } catch (error) {
    if (!FettleError.is(error) || error.code !== 'FETTLE_JOURNAL_DAMAGED') throw error
    return error.at?.line ?? -1
  }
}

test('every line ends with a checksum, and no event has one', () => {
  expect(lines.length).toBeGreaterThan(30)
  expect(lines.filter(line => !SUM.test(line))).toEqual([])
  expect(damagedAt(lines)).toBeNull()
  expect(readJournal(path).events.filter(event => 'sum' in event)).toEqual([])
})

test('one flipped digit is found in every line, with its line', () => {
  for (const [index, line] of lines.entries()) {
    const at = line.search(/\d/)
    const flipped = `${line.slice(0, at)}${(Number(line[at]) + 1) % 10}${line.slice(at + 1)}`
    // The first digit of the first line is the version of the journal.
    const damaged = index === 0 ? line.replace(/"runId":"r1"/, '"runId":"r2"') : flipped
    expect(damaged).not.toBe(line)
    expect(damagedAt(lines.with(index, damaged)), line).toBe(index + 1)
  }
})

test.each<[string, (all: string[]) => string[], number]>([
  ['a line removed', all => all.toSpliced(5, 1), 6],
  ['several lines removed', all => all.toSpliced(5, 4), 6],
  ['a line doubled', all => all.toSpliced(5, 0, all[4]!), 6],
  ['two lines swapped', all => all.with(5, all[6]!).with(6, all[5]!), 6],
  ['a checksum stripped', all => all.with(5, all[5]!.replace(SUM, '}')), 6],
  ['the checksums of all lines after one stripped', all => all.map((line, at) => (at < 5 ? line : line.replace(SUM, '}'))), 6],
  ['a line of an older fettle behind them', all => [...all, '{"type":"run.detached","at":"2025-01-01T00:00:00.000Z"}'], -1],
  ['a line of another run', all => all.with(5, all[5]!.replace(/[0-9a-f]{16}"\}$/, '0123456789abcdef"}')), 6],
])('%s is damage', (_, damage, line) => {
  const damaged = damage([...lines])
  expect(damagedAt(damaged)).toBe(line === -1 ? damaged.length : line)
})

test('a torn last line is dropped, and the next one follows the last whole line', () => {
  writeFileSync(
    path,
    lines
      .slice(0, 5)
      .map(line => `${line}\n`)
      .join(''),
  )
  appendFileSync(path, lines[5]!.slice(0, 30))
  const journal = openJournal(path, now, 'existing')
  journal.append({ type: 'run.detached' })
  journal.close()
  expect(
    readJournal(path)
      .events.map(event => event.type)
      .slice(-1),
  ).toEqual(['run.detached'])
})

test('lines that are left out on purpose leave a journal that can be read', () => {
  const kept = lines.filter(line => !line.includes('"correlation.noted"') && !line.includes('"status.observed"'))
  expect(damagedAt(kept)).not.toBeNull()
  expect(damagedAt(resealed(kept))).toBeNull()
  expect(resealed(lines)).toEqual(lines)
})
