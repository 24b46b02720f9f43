/** The training compares what the engine compares: else its weights would be for other features than those they are used with. */
import { expect, test } from 'vitest'
import { choiceOf } from '../../../../scripts/train-matching-choices.mjs'
import { namedFeatures } from '../../../../src/service/matching/features.ts'
import { buildIndex, match } from '../../../../src/service/matching/index.ts'
import { COMPANIES } from './companies.ts'

test('the training sees the candidates of the engine, with the same features', () => {
  const companies = COMPANIES.map(company => ({ ...company, tradingNames: [], previousNames: [] }))
  const index = buildIndex(companies)
  for (const { name, country, postcode, address1 } of companies) {
    for (const query of [{ name }, { name: name.slice(0, -3), country }, { name, country, postcode, address1 }]) {
      const found = match(index, query, companies.length).candidates
      const { ids, rows } = choiceOf(index, query, '')
      const learned = Object.fromEntries(ids.map((id: string, at: number) => [id, namedFeatures(rows[at]!)]))
      expect(learned).toEqual(Object.fromEntries(found.map(one => [companies[one.company]!.id, { ...one.features }])))
    }
  }
})
