/**
 * What a run needs of the service once its companies are found: portfolios and AML searches, as interfaces owned here. `client/`
 * fits them by shape. They are asked only by pipelines that say `portfolio` or `screen`.
 */
import type { CallOptions, Effect, EffectOptions } from './call-options.ts'

/** A portfolio. */
export interface Portfolio {
  readonly id: number
  readonly name: string
}

/** Portfolios of the account (contract §8). */
export interface PortfolioService {
  /** All portfolios of exactly this name. */
  findPortfolios(name: string, options: CallOptions): Promise<readonly Portfolio[]>
  readPortfolio(id: number, options: CallOptions): Promise<Portfolio>
  createPortfolio(name: string, options: EffectOptions<Portfolio>): Promise<Effect<Portfolio>>
  /** Adds a company; `present`: it was in it already. */
  addCompany(
    portfolio: number,
    company: { readonly id: string; readonly reference: string },
    options: CallOptions,
  ): Promise<'added' | 'present'>
}

/** What is searched for. */
export interface ScreenQuery {
  readonly name: string
  readonly threshold: number
  readonly datasets: readonly string[]
  readonly countries: readonly string[]
}

/** An AML search that was made and paid. */
export interface Screening {
  readonly id: string
  /** As the service writes it, null when it does not. */
  readonly createdAt: string | null
  readonly hits: number
}

/** AML searches for businesses (contract §6). */
export interface ScreenService {
  /** One credit. */
  screenBusiness(query: ScreenQuery, options: EffectOptions<Screening>): Promise<Effect<Screening>>
  /** A search of this very query, made no earlier than `since` (UTC) and other than `other`; undefined when there is none. */
  findScreening(
    query: ScreenQuery,
    since: { readonly at: string; readonly other: string | null },
    options: CallOptions,
  ): Promise<Screening | undefined>
  /** Hits of a search by dataset; a hit in several counts in each. */
  readRisks(id: string, options: CallOptions): Promise<Readonly<Record<string, number>>>
}
