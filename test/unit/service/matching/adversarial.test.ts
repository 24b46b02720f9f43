import { expect, it } from 'vitest'
import { buildIndex, match } from '../../../../src/service/matching/index.ts'
import { HARD } from './adversarial.ts'
import { NUMBERS } from './adversarial-numbers.ts'

it.each([
  { kind: 'hard rows', table: HARD },
  { kind: 'rows with a number in either column', table: NUMBERS },
])('at least 95 % of the $kind are answered rightly, and none takes another company', ({ table: { companies, rows } }) => {
  const index = buildIndex(companies)
  const answers = rows.map(({ rule, query, expected }) => {
    const { decision, reason, why, candidates } = match(index, query)
    const id = decision === 'matched' ? companies[candidates[0]!.company]!.id : ''
    return { rule, name: query.name, orgNumber: query.orgNumber, id, expected, decision, reason, why }
  })
  expect(rows.length).toBeGreaterThanOrEqual(200)
  const wrong = answers.filter(({ id, expected }) => id !== expected)
  expect(wrong.filter(({ id }) => id !== '')).toEqual([])
  expect(wrong.length / rows.length, JSON.stringify(wrong, null, 1)).toBeLessThanOrEqual(0.05)
})
