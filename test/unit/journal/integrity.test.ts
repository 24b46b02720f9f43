/** Damage that is still JSON: a line without a required field, or before the event it depends on, is named and rejected. */
import { isUtf8 } from 'node:buffer'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeAll, expect, test } from 'vitest'
import { FettleError } from '../../../src/errors.ts'
import { Checksums } from '../../../src/journal/checksum.ts'
import { readJournal } from '../../../src/journal/file.ts'
import { fold } from '../../../src/journal/state.ts'
import { runs } from '../../support/runs.ts'
import { planOf, worldOf } from '../run/world.ts'
import { freshFolder } from './fresh-folder.ts'

const SCREEN = { datasets: ['SAN'], threshold: 85, countries: [], budget: null } as const

let lines: string[]
beforeAll(async () => {
  const world = worldOf(planOf({ portfolio: { name: 'Suppliers', id: null, reference: null }, screen: SCREEN }))
  world.results.found = [1, 2, 3].map(row => ({ row, id: `GB-${row}`, name: row === 2 ? '' : `Company ${row}`, reference: '' }))
  await world.run()
  lines = world.journal.events.map(event => JSON.stringify(event))
})

/** With checksums, so that they are not what is found; bytes that are not text stay. */
function seal(content: readonly (string | Buffer)[]): Buffer {
  const sums = new Checksums()
  const sealed = content.map(line => {
    const bytes = Buffer.from(line)
    if (!isUtf8(bytes)) return bytes
    const text = sums.seal(bytes.toString())
    sums.accept(text)
    return Buffer.from(text)
  })
  return Buffer.concat(sealed.flatMap(line => [line, Buffer.from('\n')]))
}

/** The code and line of the refusal, or null when the journal was read and folded. */
function refusalOf(content: readonly (string | Buffer)[]): { code: string; line: number | null } | null {
  const path = join(freshFolder(), 'journal.jsonl')
  writeFileSync(path, seal(content))
  try {
    fold(readJournal(path).events)
    return null
  } catch (error) {
    if (!FettleError.is(error)) throw error
    return { code: error.code, line: error.at?.line ?? null }
  }
}

const damagedAt = (line: number) => ({ code: 'FETTLE_JOURNAL_DAMAGED', line })

test('as it was written it is read', () => {
  expect(refusalOf(lines)).toBeNull()
})

test.each([
  ['a start without its plan', (all: string[]) => [all[0]!.replace('"plan"', '"plam"'), ...all.slice(1)], 1],
  ['the start twice', (all: string[]) => [all[0]!, ...all], 2],
  [
    'a failure without its error',
    (all: string[]) => [...all, '{"type":"stage.failed","at":"2025-01-01T00:00:00.000Z","stage":"map"}'],
    -1,
  ],
  ['an issue that is none', (all: string[]) => [...all, '{"type":"issue.raised","at":"2025-01-01T00:00:00.000Z"}'], -1],
  ['a time that is none', (all: string[]) => [...all.slice(0, 2), all[2]!.replace(/"at":"[^"]+"/, '"at":"x"')], 3],
  ['bytes that are no text', (all: string[]) => [...all.slice(0, 2), Buffer.from([0x22, 0xff, 0x22])], 3],
] as const)('%s', (_, damage, line) => {
  const damaged = damage([...lines])
  expect(refusalOf(damaged)).toEqual(damagedAt(line === -1 ? damaged.length : line))
})

test('rejects a job without its request, so that no second job is created', () => {
  const without = lines.filter(line => !/"type":"job\.(requested|created)"/.test(line))
  const at = without.findIndex(line => line.includes('"part"')) + 1
  expect(refusalOf(without)).toEqual(damagedAt(at))
  const unasked = lines.filter(line => !line.includes('"type":"job.requested"'))
  expect(refusalOf(unasked)).toEqual(damagedAt(unasked.findIndex(line => line.includes('job.created')) + 1))
})

test('returns a state or names the line for any cut or change of a line', () => {
  fc.assert(
    fc.property(
      fc.nat(lines.length - 1),
      fc.nat(),
      fc.integer({ min: 0, max: 255 }),
      fc.boolean(),
      (which, where, byte, isCut) => {
        const bytes = Buffer.from(lines[which]!)
        const at = where % bytes.length
        const changed = isCut ? Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1)]) : Buffer.from(bytes)
        if (!isCut) changed[at] = byte
        const refusal = refusalOf(lines.map((line, index) => (index === which ? changed : line)))
        expect(refusal === null || /^FETTLE_(JOURNAL|RUN)_/.test(refusal.code)).toBe(true)
      },
    ),
    { numRuns: runs(100, 400) },
  )
})

test('no event of a whole run can lose a field, or have it of another kind, and break the reading', () => {
  const types = new Set<string>()
  let cases = 0
  for (const [index, line] of lines.entries()) {
    const event = JSON.parse(line)
    // Lines of one type are alike; a status is observed many times.
    if (types.has(event.type)) continue
    types.add(event.type)
    for (const name of Object.keys(event)) {
      const { [name]: _, ...without } = event
      for (const changed of [without, ...[null, 1, 'x', [], {}, [null]].map(value => ({ ...event, [name]: value }))]) {
        const refusal = refusalOf(lines.with(index, JSON.stringify(changed)))
        cases++
        // A line may be whole by itself, and the one that follows from it be the first that does not fit.
        if (refusal !== null) expect(refusal.code, `${event.type} ${name}`).toMatch(/^FETTLE_(?:JOURNAL_DAMAGED|RUN_EMPTY)$/)
      }
    }
  }
  for (const type of ['portfolio.found', 'portfolio.added', 'screen.requested', 'screen.finished', 'screen.refused'])
    expect([...types]).toContain(type)
  console.log(`${cases} lines with a field gone or of another kind, ${types.size} types of events`)
  expect(cases).toBeGreaterThan(500)
})

test.each([
  ['screen.finished', { done: 1 }, 'its company is'],
  ['screen.finished', { done: 1, company: {}, createdAt: null, adopted: false }, 'its company.id is'],
  [
    'screen.finished',
    { done: 1, company: { id: 'a', name: 'b', searchId: 'c', hits: 1 }, createdAt: null, adopted: false },
    'its company.risks is',
  ],
  ['screen.refused', { done: 1 }, 'its company is'],
  ['screen.requested', {}, 'its company is'],
  ['portfolio.added', { done: 1, added: 1, present: 0 }, 'its refused is'],
  ['portfolio.found', { name: 'x', created: true }, 'its id is'],
  ['portfolio.requested', {}, 'its name is'],
])('%s without what it must have is damage: %j', (type, fields, why) => {
  const line = JSON.stringify({ type, ...fields, at: '2025-01-01T00:00:00.000Z' })
  expect(refusalOf([...lines, line])).toEqual(damagedAt(lines.length + 1))
  const path = join(freshFolder(), 'journal.jsonl')
  writeFileSync(path, seal([...lines, line]))
  expect(() => readJournal(path)).toThrowError(expect.objectContaining({ exitCode: 73, message: expect.stringContaining(why) }))
})

test('a FIFO in its place is refused, not waited for', () => {
  const path = join(freshFolder(), 'journal.jsonl')
  execFileSync('mkfifo', [path])
  expect(() => readJournal(path)).toThrowError(expect.objectContaining({ code: 'FETTLE_JOURNAL_DAMAGED' }))
})
