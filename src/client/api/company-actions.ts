/** The requests of the stages about companies: portfolios by name, companies added to them, AML searches and their hits. */
import { type BusinessSearch, parseWireDate } from '../../contract/index.ts'
import { FettleError } from '../../errors.ts'
import type { CallOptions, Effect, EffectOptions, Portfolio, Screening, ScreenQuery } from '../../model/requests.ts'
import type { Api } from './api.ts'
import type { Core } from './core.ts'

export interface CompanyActionsClient {
  /** All portfolios of exactly this name; pages are followed. */
  findPortfolios(name: string, options?: CallOptions): Promise<readonly Portfolio[]>
  readPortfolio(id: number, options?: CallOptions): Promise<Portfolio>
  createPortfolio(name: string, options: EffectOptions<Portfolio>): Promise<Effect<Portfolio>>
  /** `present`: the service answered 409, since the company is in the portfolio already (contract §8). */
  addCompany(
    portfolio: number,
    company: { readonly id: string; readonly reference: string },
    options?: CallOptions,
  ): Promise<'added' | 'present'>
  /** Costs a credit; repeated only when `look` finds that it has not happened. */
  screenBusiness(query: ScreenQuery, options: EffectOptions<Screening>): Promise<Effect<Screening>>
  /** The newest search of this query made no earlier than `since.at`, except `since.other`. */
  findScreening(
    query: ScreenQuery,
    since: { readonly at: string; readonly other: string | null },
    options?: CallOptions,
  ): Promise<Screening | undefined>
  /** Hits of a search by dataset. */
  readRisks(id: string, options?: CallOptions): Promise<Readonly<Record<string, number>>>
}

const PAGE_SIZE = 100

type Threshold = Parameters<Api['createBusinessSearch']>[0]['body']['threshold']

const screeningOf = ({ id, createdAt, totalHitCount = 0 }: BusinessSearch): Screening => ({
  id,
  createdAt: createdAt ?? null,
  hits: totalHitCount,
})

const sorted = (words: readonly string[]): string => JSON.stringify(words.map(word => word.toUpperCase()).sort())

const hasQuery = (search: BusinessSearch, query: ScreenQuery): boolean =>
  search.name === query.name &&
  search.threshold === query.threshold &&
  sorted(search.datasets) === sorted(query.datasets) &&
  sorted(search.countryCodes ?? []) === sorted(query.countries)

export function createCompanyActions(core: Core, api: Api): CompanyActionsClient {
  const { clean } = core.opener.tools.redactor
  return {
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
        read: screeningOf,
        options,
        subject: `of ${name}`,
      }),
    async findScreening(query, { at, other }, options = {}) {
      const since = parseWireDate(at) ?? 0
      const time = (text: string | null | undefined): number => parseWireDate(text ?? '') ?? Number.POSITIVE_INFINITY
      // Sorted by last change, newest first (contract §6.1): older ones cannot be newer searches.
      for await (const search of api.listBusinessSearches.all({ query: { pageSize: PAGE_SIZE } }, options)) {
        if (time(search.modifiedAt ?? search.createdAt) < since) return undefined
        if (search.id !== other && time(search.createdAt) >= since && hasQuery(search, query)) return screeningOf(search)
      }
      return undefined
    },
    async readRisks(id, options = {}) {
      const risks: Record<string, number> = {}
      for await (const { datasets } of api.listBusinessHits.all({ searchId: id, query: { pageSize: PAGE_SIZE } }, options))
        for (const dataset of datasets ?? []) risks[clean(dataset)] = (risks[clean(dataset)] ?? 0) + 1
      return risks
    },
  }
}
