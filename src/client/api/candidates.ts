/** Companies that a row may be: the answers of `/companies/match` and `/companies` in one form. */
import type { FoundCompany, MatchedCompany } from '../../contract/index.ts'
import type { CandidateRequests, ProposedCompany } from '../../model/requests.ts'
import type { Api } from './api.ts'
import type { Core } from './core.ts'

/** The confidence of `/companies/match` (contract §9.2). */
const [LOWEST, HIGHEST] = [893, 999]
/** A good match of the name (contract §9.2): anything lower would fill a review with companies that no person accepts. */
const GOOD_NAME = 898
const MOST = 5

const WORDS = {
  matchScoreName: 'name',
  matchScoreRegNo: 'number',
  matchScoreVatNo: 'vat',
  matchScoreStreet: 'street',
  matchScoreCity: 'town',
  matchScorePostCode: 'postcode',
  matchScoreCountry: 'country',
  matchScorePhoneNo: 'phone',
} as const

/** A is the best letter and F the worst; any other, as Z, compares nothing. */
function signOf(letter: string): string | null {
  if (letter === 'A') return '='
  return /^[B-D]$/.test(letter) ? '≈' : /^[EF]$/.test(letter) ? '≠' : null
}

function whyOf({ matchScoreConfidence, matchScoreExplainPlan: plan = {} }: MatchedCompany): string {
  const parts = Object.entries(WORDS).flatMap(([key, word]) => {
    const sign = signOf(String(plan[key] ?? ''))
    return sign === null ? [] : [`${word} ${sign}`]
  })
  return [...parts, `confidence ${matchScoreConfidence}`].join(' | ')
}

const filled = (fields: Readonly<Record<string, string | null | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(fields).flatMap(([name, text]) => (text == null || text === '' ? [] : [[name, text]])))

const tagsOf = ({ id, safeNo, name }: MatchedCompany | FoundCompany): Record<string, string> =>
  filled({ 'general.connectId': id, 'general.safeNumber': safeNo, 'general.companyName': name })

const ofMatch = (company: MatchedCompany): ProposedCompany => {
  const { id, name = '', country, regNo, status, address, matchScoreConfidence: confidence } = company
  const fields = { name, orgNumber: regNo, address1: address?.street, town: address?.city, postcode: address?.postcode }
  return {
    id,
    name,
    score: Math.min(1, Math.max(0, (confidence - LOWEST) / (HIGHEST - LOWEST))),
    why: whyOf(company),
    parts: {},
    fields: filled({ ...fields, country, status }),
    tags: tagsOf(company),
  }
}

const ofSearch = (company: FoundCompany): ProposedCompany => {
  const { id, name = '', country, regNo, status, address } = company
  const fields = { name, orgNumber: regNo, address1: address?.street, town: address?.city, postcode: address?.postalCode }
  return { id, name, score: null, why: '', parts: {}, fields: filled({ ...fields, country, status }), tags: tagsOf(company) }
}

export function createCandidates(core: Core, api: Api): CandidateRequests {
  const { clean } = core.opener.tools.redactor
  const shown = (one: ProposedCompany): ProposedCompany => ({ ...one, name: clean(one.name) })
  return {
    async findCandidates(query, by, options = {}) {
      const { country = '', name = '', ...rest } = query
      if (by === 'match') {
        const { value } = await core.call('matchCompanies', {
          query: { matchThreshold: String(GOOD_NAME), country, name, ...rest },
          read: ({ matchedCompanies }) => matchedCompanies.slice(0, MOST).map(ofMatch).map(shown),
          options,
        })
        return value
      }
      // The vendor advises to search by number where it is known, else by name and postcode (contract §9.1).
      const { regNo, postCode } = rest
      const narrow = regNo === undefined ? { name, ...(postCode === undefined ? {} : { postCode }) } : { regNo }
      const { companies } = await api.searchCompanies({ query: { countries: country, pageSize: MOST, ...narrow } }, options)
      return Array.isArray(companies) ? companies.slice(0, MOST).map(ofSearch).map(shown) : []
    },
  }
}
