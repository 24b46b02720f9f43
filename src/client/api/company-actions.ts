/** The requests of the stages about companies: portfolios by name, companies added to them, AML searches and their hits. */
import {
  type BusinessSearch,
  type CompanyAddress,
  type CompanyReport,
  type FoundCompany,
  type MatchedCompany,
  parseWireDate,
  streetLine,
} from '../../contract/index.ts'
import { FettleError } from '../../errors.ts'
import type { CompanyRequests, Portfolio, ProposedCompany, Screening, ScreenQuery } from '../../model/requests.ts'
import type { Api } from './api.ts'
import type { Core } from './core.ts'
import { createPortfolioSync } from './portfolio-sync.ts'

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

/** Each tag by where a report has it; the first that is filled. */
const TAGS: Readonly<Record<string, (report: CompanyReport) => readonly (string | undefined)[]>> = {
  'general.connectId': ({ companyId }) => [companyId],
  'general.safeNumber': ({ companySummary }) => [companySummary?.companyNumber],
  'general.companyName': ({ companySummary, companyIdentification: own }) => [
    companySummary?.businessName,
    own?.basicInformation?.registeredCompanyName,
    own?.basicInformation?.businessName,
  ],
  'general.legalName': ({ companyIdentification: own }) => [own?.basicInformation?.registeredCompanyName],
  'general.companyNumber': numberOf,
  'general.organisationNumber': numberOf,
  'general.legalRegistrationNumber': numberOf,
  'general.vatNumber': ({ companyIdentification: own }) => [own?.basicInformation?.vatRegistrationNumber],
  'general.website': ({ contactInformation }) => [contactInformation?.websites?.[0]],
  'general.status': statusOf,
  'general.statusDesc.en': statusOf,
  'general.tradingName': tradingOf,
  'general.tradeName': tradingOf,
  'contact.country': ({ companySummary, companyIdentification: own }) => [
    companySummary?.country,
    own?.basicInformation?.country,
  ],
  'contact.city': report => addressesOf(report).map(address => address.city),
  'contact.addressLine1': report => addressesOf(report).map(address => streetOf(address, report.companySummary?.country ?? '')),
  'contact.postalCode': report => addressesOf(report).flatMap(({ postalCode, postCode }) => [postalCode, postCode]),
  'contact.contactPhone': report => addressesOf(report).map(address => address.telephone),
  'contact.email': ({ contactInformation }) => [contactInformation?.emailAddresses?.[0]],
}

function statusOf({ companySummary, companyIdentification: own }: CompanyReport): (string | undefined)[] {
  return [companySummary?.companyStatus, own?.basicInformation?.companyStatus].flatMap(status =>
    typeof status === 'object' ? [status.description, status.status] : [status],
  )
}

function numberOf({ companySummary, companyIdentification: own }: CompanyReport): (string | undefined)[] {
  return [companySummary?.companyRegistrationNumber, own?.basicInformation?.companyRegistrationNumber]
}

function tradingOf({ companyIdentification: own }: CompanyReport): (string | undefined)[] {
  return [own?.tradingNames?.[0]?.name]
}

const addressesOf = ({ contactInformation, companyIdentification: own }: CompanyReport) =>
  [contactInformation?.mainAddress, own?.basicInformation?.contactAddress].flatMap(one => (one == null ? [] : [one]))

function streetOf(
  { street, houseNumber, houseNo, simpleValue, country }: CompanyAddress,
  registered: string,
): string | undefined {
  const number = houseNumber ?? houseNo
  if (street === undefined || number === undefined) return street ?? simpleValue
  return streetLine(street, number, country ?? registered)
}

/** The filled ones. */
const tagsOfReport = (report: CompanyReport): Record<string, string> =>
  Object.fromEntries(
    Object.entries(TAGS).flatMap(([tag, of]) => {
      const text = of(report).find(one => typeof one === 'string' && one.trim() !== '')
      return text === undefined ? [] : [[tag, text]]
    }),
  )

const PAGE_SIZE = 100

type Threshold = Parameters<Api['createBusinessSearch']>[0]['body']['threshold']

const screeningOf = ({ id, createdAt, totalHitCount }: BusinessSearch): Screening => ({
  id,
  createdAt: createdAt ?? null,
  hits: totalHitCount ?? null,
})

const sorted = (words: readonly string[]): string => JSON.stringify(words.map(word => word.toUpperCase()).sort())

const hasQuery = (search: BusinessSearch, query: ScreenQuery): boolean =>
  search.name === query.name &&
  search.threshold === query.threshold &&
  sorted(search.datasets) === sorted(query.datasets) &&
  sorted(search.countryCodes ?? []) === sorted(query.countries)

/** Whether a record in a list lacks what is compared, so that it has to be read by itself. */
const isPartial = ({ name, threshold, datasets }: Partial<BusinessSearch>): boolean =>
  name == null || threshold === undefined || datasets === undefined

const plain = (text: string): string => text.trim().replace(/\s+/g, ' ').toLowerCase()

/** Throws FETTLE_CONTRACT for an answer that names a subject other than the one that was asked for. */
function proveSubject(what: string, asked: string, answered: unknown): void {
  if (typeof answered !== 'string' || answered === '' || plain(answered) === plain(asked)) return
  throw new FettleError('FETTLE_CONTRACT', `the service answered the ${what} of ${asked} with the one of ${answered}`)
}

export function createCompanyActions(core: Core, api: Api): CompanyRequests {
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
      const narrow = regNo === undefined ? { name, postCode } : { regNo }
      const { companies } = await api.searchCompanies({ query: { countries: country, pageSize: MOST, ...narrow } }, options)
      return Array.isArray(companies) ? companies.slice(0, MOST).map(ofSearch).map(shown) : []
    },
    ...createPortfolioSync(api),
    async readTags(id, options = {}) {
      const { report } = await api.readReport({ id }, options)
      if (report == null) return {}
      proveSubject('report', id, report.companyId)
      return tagsOfReport(report)
    },
    async findPortfolios(name, options = {}) {
      const found: Portfolio[] = []
      const query = { searchQuery: name, pageSize: PAGE_SIZE }
      for await (const one of api.listPortfolios.all({ query }, options))
        if (one.name === name) found.push({ id: one.portfolioId, name: one.name })
      return found
    },
    async readPortfolio(id, options = {}) {
      const { portfolioId, name } = await api.readPortfolio({ portfolioId: String(id) }, options)
      return { id: portfolioId, name: clean(name) }
    },
    createPortfolio: (name, options) =>
      core.call('createPortfolio', {
        json: { name },
        read: ({ portfolioId }) => ({ id: portfolioId, name }),
        options,
        subject: name,
      }),
    async addCompany(portfolio, { id, reference }, options = {}) {
      const body = { id, personalReference: reference, freeText: '', personalLimit: '' }
      try {
        await api.addCompany({ portfolioId: String(portfolio), body }, options)
        return 'added'
      } catch (error) {
        if (FettleError.is(error) && error.status === 409) return 'present'
        throw error
      }
    },
    screenBusiness: ({ name, threshold, datasets, countries }, options) =>
      core.call('createBusinessSearch', {
        json: {
          name,
          threshold: threshold as Threshold,
          datasets,
          ...(countries.length === 0 ? {} : { countryCodes: countries }),
        },
        read: search => {
          proveSubject('AML search', name, search.name)
          return screeningOf(search)
        },
        options,
        subject: `of ${name}`,
      }),
    async findScreening(query, { at, other }, options = {}) {
      const since = parseWireDate(at) ?? 0
      const time = (text: string | null | undefined): number => parseWireDate(text ?? '') ?? Number.POSITIVE_INFINITY
      // Sorted by last change, newest first (contract §6.1): older ones cannot be newer searches.
      for await (const search of api.listBusinessSearches.all({ query: { pageSize: PAGE_SIZE } }, options)) {
        if (time(search.modifiedAt ?? search.createdAt) < since) return undefined
        if (search.id === other || time(search.createdAt) < since || (search.name ?? query.name) !== query.name) continue
        const whole = isPartial(search) ? await api.readBusinessSearch({ searchId: search.id }, options) : search
        if (hasQuery(whole, query)) return screeningOf(whole)
      }
      return undefined
    },
    async readRisks(id, options = {}) {
      const risks: Record<string, number> = {}
      let hits = 0
      for await (const { datasets } of api.listBusinessHits.all({ searchId: id, query: { pageSize: PAGE_SIZE } }, options)) {
        hits += 1
        for (const dataset of datasets ?? []) risks[clean(dataset)] = (risks[clean(dataset)] ?? 0) + 1
      }
      return { hits, risks }
    },
  }
}
