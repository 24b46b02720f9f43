/** What happened to companies, counted in words. */
import { expect, test } from 'vitest'
import { countKinds, kindWords } from '../../../src/model/event-kinds.ts'
import { RULES } from '../../../src/service/monitoring/events.ts'

const event = (id: string, rule: string, now = '') => ({ company: { id }, rule: { name: rule }, new: now })

test('counts companies, each once for what happened to it', () => {
  const counts = countKinds([
    event('1', 'Company Status', 'liquidation'),
    event('2', 'Company Status', 'Dissolved'),
    event('2', 'Company No Longer Active', 'Dissolved'),
    event('3', 'Address'),
    event('3', 'Address'),
    event('4', 'Filing of accounts'),
  ])
  expect(counts).toEqual({ status: 1, dissolved: 1, address: 1, 'Filing of accounts': 1 })
  expect(kindWords(counts)).toBe('1 changed status, 1 moved, 1 dissolved, 1 with "Filing of accounts"')
  expect(kindWords({})).toBe('')
})

test('every rule of the service has its own words', () => {
  for (const { name } of RULES) expect(kindWords(countKinds([event('1', name, 'x')]))).not.toContain('"')
})
