/** Whether an earlier answer may be used, and which companies it is about. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { digestOf } from '../../../src/files/file-chunks.ts'
import { type Rules, verdictOf } from '../../../src/reuse/choose.ts'
import { AnswersWriter } from '../../../src/reuse/files/answers.ts'
import { KnownAnswers } from '../../../src/reuse/known-answers.ts'
import { NO_REFRESH } from '../../../src/reuse/settings.ts'

const DAY = 86_400_000
const NOW = Date.parse('2026-03-01T00:00:00Z')
const RULES: Rules = { ages: { matched: 30 * DAY, unmatched: 7 * DAY, review: 7 * DAY }, now: NOW, refresh: NO_REFRESH }

const answered = (daysAgo: number, more: object = {}) => ({
  outcome: 'matched' as const,
  source: { run: 'r', job: '1', at: new Date(NOW - daysAgo * DAY).toISOString(), columns: [] },
  sourceNumber: 0,
  isWide: true,
  text: () => '[]',
  isExpired: false,
  company: () => ({ id: '42', name: 'Northwind' }),
  ...more,
})

test('an answer is used until the age of its outcome, and not one from the future', () => {
  expect(verdictOf(answered(29), null, RULES)).toBe('known')
  expect(verdictOf(answered(30), null, RULES)).toBe('tooOld')
  expect(verdictOf(answered(8, { outcome: 'unmatched' }), null, RULES)).toBe('tooOld')
  expect(verdictOf(answered(8, { outcome: 'duplicate' }), null, RULES)).toBe('known')
  expect(verdictOf(answered(-1), null, RULES)).toBe('tooOld')
  expect(verdictOf(answered(1, { isExpired: true }), null, RULES)).toBe('tooOld')
  expect(verdictOf(answered(1, { isWide: false }), null, RULES)).toBe('lacking')
})

test('an answer about a company with an event is too old', () => {
  expect(verdictOf(answered(1), null, { ...RULES, changedCompanies: new Map([['42', NOW]]) })).toBe('tooOld')
  expect(verdictOf(answered(1), null, { ...RULES, changedCompanies: new Map([['43', NOW]]) })).toBe('known')
  // An answer that is younger than the event has it.
  expect(verdictOf(answered(1), null, { ...RULES, changedCompanies: new Map([['42', 0]]) })).toBe('known')
})

test('a stored answer names its company, and one without a company names none', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fettle-answers-'))
  const writer = new AnswersWriter(join(folder, 'run.answers'))
  const ids = ['42', ' 43 ', '']
  for (const id of ids)
    await writer.add({ key: digestOf(`q${id}`), owner: null, row: null, source: 0, outcome: 'matched', cells: ['A Ltd', id] })
  const source = { run: 'r', job: 'j', at: '2026-02-28T00:00:00Z', columns: ['general.companyName', 'general.connectId'] }
  await writer.publish({ scope: 's', tags: [], age: DAY, sources: [source] })
  const known = KnownAnswers.open(folder, [], NOW)
  try {
    expect(ids.map(id => known.find(digestOf(`q${id}`))?.company().id)).toEqual(['42', '43', ''])
  } finally {
    known.close()
    rmSync(folder, { recursive: true })
  }
})
