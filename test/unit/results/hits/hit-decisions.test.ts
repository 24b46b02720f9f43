/** The file of decisions about hits, and what a hit says. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readHit } from '../../../../src/model/hit-facts.ts'
import {
  HIT_COLUMNS,
  type HitDecision,
  hitLine,
  readHitDecisions,
  writeHitDecisions,
} from '../../../../src/results/hits/hit-decisions.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fettle-hits-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const same = (text: string): string => text
const RECORD = {
  id: 'a6f2',
  hitScore: 91,
  name: 'Acme, "Old" & Sons',
  match: 'Acme',
  decision: 'undecided',
  countries: ['RU', 'GB'],
  datasets: ['SAN', 'SAN-CURRENT'],
  aliases: [{ type: 'alias', name: 'ACME SA' }],
  identifiers: [
    { type: 'passport', value: 'X1' },
    { type: 'list entry', value: 'ours R 17' },
  ],
  amlResults: {
    SAN: {
      CURRENT: [{ type: 'sanction', value: { sanctionId: 'R 17', regime: 'Russia', measures: ['freeze', 'ban'] }, events: [] }],
    },
    ENF: [],
  },
  sources: [{ title: 'Our list', link: 'https://example.test/R-17' }],
}

test('a hit has list, entry and facts: without ids, score, decision and addresses, and without an order', () => {
  const hit = readHit(RECORD, same)
  expect(hit).toMatchObject({ list: 'ours', entry: 'R 17', score: 91, datasets: ['SAN', 'SAN-CURRENT'] })
  expect(hit.facts).toEqual({
    'SAN.CURRENT': ['{measures [ban, freeze], regime Russia, type sanction}'],
    aliases: ['{name ACME SA, type alias}'],
    countries: ['GB', 'RU'],
    datasets: ['SAN', 'SAN-CURRENT'],
    identifiers: ['{type passport, value X1}'],
    name: ['Acme, "Old" & Sons'],
    sources: ['{title Our list}'],
  })
  const again = {
    ...RECORD,
    ...{ id: 'b7', hitScore: 80, decision: 'falsePositive', countries: ['GB', 'RU'], modifiedAt: '2026-11-28' },
    identifiers: [{ value: 'ours 99', type: 'list entry' }, RECORD.identifiers[0]],
  }
  expect(readHit(again, same)).toEqual({ ...hit, entry: '99', score: 80 })
})

test.each([
  { countries: ['GB'] },
  { name: 'Acme' },
  { isDeceased: true },
  { aliases: [{ type: 'weak alias', name: 'ACME SA' }] },
  { addresses: [{ city: 'Riga', line1: '1, High St' }] },
  { amlResults: { SAN: { CURRENT: [{ type: 'sanction', value: { regime: 'Russia', measures: ['freeze'] } }] } } },
  { somethingNew: { deep: [1] } },
])('a hit with %j has other facts', change => {
  expect(readHit({ ...RECORD, ...change }, same).facts).not.toEqual(readHit(RECORD, same).facts)
})

test('texts of a service that look like the form of a value make no other value', () => {
  const address = (...parts: object[]) => JSON.stringify(readHit({ ...RECORD, addresses: parts }, same).facts.addresses)
  expect(address({ city: 'Riga, line1 X' })).not.toBe(address({ city: 'Riga', line1: 'X' }))
  expect(address({ city: 'A} | {city B' })).not.toBe(address({ city: 'A' }, { city: 'B' }))
})

test('where a service names no entry, list and entry are its sources and ids of sanctions', () => {
  const { identifiers: _, ...record } = RECORD
  expect(readHit(record, same)).toMatchObject({ list: 'Our list', entry: 'R 17' })
  expect(readHit({ id: 'x', name: 'A' }, same)).toEqual({
    list: '',
    entry: '',
    name: 'A',
    score: 0,
    datasets: [],
    facts: { name: ['A'] },
  })
})

const line = (decision: HitDecision['decision'] = 'clear'): HitDecision => ({
  ...{ ...hitLine({ id: 'GB-1', name: '=Acme' }, readHit(RECORD, same)), decision, by: 'ann', at: '2026-11-28', expires: '' },
})

test('what is written is read again', async () => {
  await writeHitDecisions(join(folder, 'hits.csv'), [line(), { ...line('confirm'), company: 'GB-2' }])
  expect(await readHitDecisions('hits.csv', folder)).toEqual({
    issues: [],
    lines: [line(), { ...line('confirm'), company: 'GB-2' }],
  })
})

test('all problems of a file are reported with line and column, and none of its lines holds', async () => {
  await writeHitDecisions(join(folder, 'good.csv'), [line()])
  const { facts, digest, ...rest } = line()
  const cells = { ...rest, facts: JSON.stringify(facts), digest }
  const toText = (row: Partial<typeof cells>): string =>
    HIT_COLUMNS.map(column => `"${({ ...cells, ...row } as Record<string, string>)[column]!.replaceAll('"', '""')}"`).join(',')
  const rows = [
    toText({ decision: 'maybe' as never }),
    toText({ facts: JSON.stringify({ ...facts, name: ['Another'] }) }),
    toText({ facts: '{"name":"text"}', company: '' }),
    toText({ at: 'yesterday', expires: '2026-02-30' }),
    toText({ decision: '' as never, facts: 'not decided' }),
    toText({}),
    toText({ decision: 'confirm' }),
    toText({ decision: 'undo' }),
    toText({ decision: 'confirm' }),
  ]
  writeFileSync(join(folder, 'bad.csv'), [HIT_COLUMNS.join(','), ...rows, ''].join('\n'))
  const { lines, issues } = await readHitDecisions('bad.csv', folder)
  expect(lines).toEqual([])
  expect(issues.map(({ code, at, column, message }) => [code, at?.line, column, message.replace(/^bad.csv: /, '')])).toEqual([
    ['FETTLE_DECISIONS', 2, 'decision', '"maybe" is not a decision: expected clear, confirm or undo'],
    ['FETTLE_DECISIONS', 3, 'digest', 'digest does not belong to the facts: one of them was changed'],
    ['FETTLE_DECISIONS', 4, 'company', 'company is empty: a decision is about the hit of a company'],
    ['FETTLE_DECISIONS', 4, 'facts', 'facts cannot be read: expected a JSON object with lists of texts, as in an exported table'],
    ['FETTLE_DECISIONS', 5, 'at', 'at: "yesterday" is not a date such as 2026-11-21'],
    ['FETTLE_DECISIONS', 5, 'expires', 'expires: "2026-02-30" is not a date such as 2027-11-21'],
    ['FETTLE_DECISIONS', 8, 'decision', 'line 7 already decides about this hit: clear. Remove one, or undo the first'],
  ])
  const found = issues.map(({ at }) => rows[at!.line! - 2]!.slice(at!.column! - 1))
  const begins = ['"maybe",', `"${digest}",`, '"",', '"{""name"":""text""}",', '"yesterday",', '"2026-02-30"', '"confirm",']
  expect(found.map((text, at) => text.slice(0, begins[at]!.length))).toEqual(begins)
})

test('a table that lacks a column is refused by its name', async () => {
  writeFileSync(join(folder, 'rows.csv'), 'fingerprint,decision,company\nab,accept,GB-1\n')
  const { issues } = await readHitDecisions('rows.csv', folder)
  expect(issues).toMatchObject([{ code: 'FETTLE_DECISIONS', at: { line: 1 } }])
  expect(issues[0]!.message).toContain('companyName, facts and digest are missing')
})
