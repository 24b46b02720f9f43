/** The requests of the stages about companies: portfolios by name, companies added to them, AML searches and their hits. */
import { type BusinessSearch, parseWireDate } from '../../contract/index.ts'
import { FettleError } from '../../errors.ts'
import type { CompanyRequests, Portfolio, Screening, ScreenQuery } from '../../model/requests.ts'
import type { Api } from './api.ts'
import { createCandidates } from './candidates.ts'
import type { Core } from './core.ts'
import { createPortfolioSync } from './portfolio-sync.ts'
import { tagsOfReport } from './report-tags.ts'

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
  return {
    ...createCandidates(core, api),
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
