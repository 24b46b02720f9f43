/** A small engine for the service's tests: it answers at once and predictably. */

import type { Answer, Company } from '../../../src/service/matching/types.ts'
import type { Engine } from '../../../src/service/registers/engine.ts'

const company = (id: string, name: string, country: string): Company => ({
  id,
  connectId: `${country}-X-${id}`,
  name,
  country,
  orgNumber: id,
  vatNumber: '',
  tradingNames: [],
  previousNames: [],
  address1: '1 High Street',
  address2: '',
  town: 'Leeds',
  postcode: 'LS1 1AA',
  phone: '',
  email: '',
  website: '',
  status: 'active',
})

const COMPANIES = [company('01', 'ACME LTD', 'GB'), company('02', 'BOLT LTD', 'GB'), company('03', 'CORK SA', 'FR')]

const NEVER = Number.POSITIVE_INFINITY
const NEVER_MATCHED = { matchedFrom: NEVER, wholeNameFrom: NEVER, besides: 'nothing', numberHolds: null } as const

/** Matches equal names; a name that only begins like a company's goes to review. */
export const engine: Engine = {
  at: position => COMPANIES[position] as Company,
  registerOf: () => 'test',
  registers: 1,
  size: COMPANIES.length,
  countries: ['FR', 'GB'],
  find: id => COMPANIES.find(one => one.connectId === id) ?? null,
  rowEvidence: () => ({ ...NEVER_MATCHED, matchedFrom: 0 }),
  absentEvidence: () => NEVER_MATCHED,
  match({ name = '' }): Answer {
    const equal = COMPANIES.findIndex(one => one.name === name.toUpperCase())
    const near = COMPANIES.findIndex(one => name !== '' && one.name.startsWith(name.toUpperCase().slice(0, 4)))
    const found = equal >= 0 ? equal : near
    const common = {
      margin: 20,
      why: 'name',
      pattern: 'name',
      candidates: found < 0 ? [] : [{ company: found, others: [], score: 1, chance: 1, features: {}, why: 'name' }],
    }
    if (equal >= 0) return { ...common, decision: 'matched', score: 0.9876, reason: null, banding: 'A' }
    if (near >= 0) return { ...common, decision: 'review', score: 0.6, reason: 'between-thresholds', banding: 'D' }
    return { ...common, decision: 'unmatched', score: 0, why: '', pattern: '', reason: 'no-candidate', banding: 'F' }
  },
}
