/** Finds a company by its number in the register of a country. */

import { normaliseCountry } from '../../normalise/country.ts'
import { normaliseOrgNumber } from '../../normalise/identifiers.ts'
import type { Company } from '../matching/types.ts'
import type { Engine } from './engine.ts'

export function findByNumber(engine: Engine, number: string, country: string): Company | null {
  const code = normaliseCountry(country)
  const wanted = normaliseOrgNumber(number, code)
  if (code === '' || wanted === '') return null
  const plain = engine.find(`${code}-X-${number}`) ?? engine.find(`${code}-X-${wanted}`)
  if (plain !== null) return plain
  const { candidates } = engine.match({ orgNumber: number, countryCode: code })
  const found = candidates
    .map(({ company }) => engine.at(company))
    .filter(one => one.country === code && normaliseOrgNumber(one.orgNumber, code) === wanted)
  return found.length === 1 ? (found[0] ?? null) : null
}
