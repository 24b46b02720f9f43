/**
 * What is recorded once the outputs stand: companies added to a portfolio, AML searches made for them. Its events and their fold;
 * pure, and without a word about rows.
 */

import { DATASETS, isDataset } from '../contract/index.ts'
import type { CompanyCounts } from '../model/results.ts'
import type { Plan } from '../pipeline/model/types.ts'

/** A company that the service would not take, and why. */
export interface RefusedCompany {
  readonly id: string
  readonly why: string
}

/** A company with hits. `risks`: hits by dataset. */
export interface ScreenedCompany {
  readonly id: string
  readonly name: string
  readonly searchId: string
  readonly hits: number
  readonly risks: Readonly<Record<string, number>>
}

/** Facts of the stages after the outputs. `done` counts the companies gone through, this one included. */
export type CompanyActionEvent =
  | { readonly type: 'portfolio.requested'; readonly name: string }
  | { readonly type: 'portfolio.found'; readonly id: number; readonly name: string; readonly created: boolean }
  | {
      readonly type: 'portfolio.added'
      readonly done: number
      readonly added: number
      readonly present: number
      readonly refused: readonly RefusedCompany[]
    }
  | { readonly type: 'screen.requested'; readonly company: string }
  | {
      readonly type: 'screen.finished'
      readonly done: number
      readonly company: ScreenedCompany
      readonly createdAt: string | null
      readonly adopted: boolean
    }
  | { readonly type: 'screen.refused'; readonly done: number; readonly company: RefusedCompany }

/** Companies of a run in a portfolio. */
export interface PortfolioState {
  readonly requested: boolean
  readonly id: number | null
  readonly name: string | null
  /** It was made by this run. */
  readonly created: boolean
  /** Companies gone through. */
  readonly done: number
  readonly added: number
  readonly present: number
  readonly refused: number
  /** The first of them. */
  readonly refusals: readonly RefusedCompany[]
}

/** AML searches of a run. */
export interface ScreenState {
  /** When a search was asked for of which nothing is known yet, null when none is open. */
  readonly openSince: string | null
  readonly done: number
  /** Each costs one credit. */
  readonly searches: number
  readonly withHits: number
  readonly hits: number
  /** Companies and hits by dataset. */
  readonly risks: Readonly<Record<string, { readonly companies: number; readonly hits: number }>>
  readonly refused: number
  readonly refusals: readonly RefusedCompany[]
  readonly last: { readonly id: string; readonly createdAt: string | null } | null
  /** The companies with the most hits. */
  readonly found: readonly ScreenedCompany[]
}

/** What a dataset is, for people (contract §6.8); empty for one that is not known. */
export const meaningOf = (dataset: string): string => (isDataset(dataset) ? DATASETS[dataset] : '')

/** The part of a run's state that is about this. */
export interface CompanyActionState {
  /** Null before the outputs stand, and where nothing is done with companies. */
  readonly companies: CompanyCounts | null
  /** Null where the pipeline says nothing of it, as the next. */
  readonly portfolio: PortfolioState | null
  readonly screening: ScreenState | null
}

const MOST_REFUSALS = 20
/** As many as a report shows; journals hold all of them. */
const MOST_FOUND = 100

/** Before anything was done. */
export const initialCompanyActions = ({ portfolio, screen }: Plan): CompanyActionState => ({
  companies: null,
  portfolio:
    portfolio == null
      ? null
      : { requested: false, id: null, name: null, created: false, done: 0, added: 0, present: 0, refused: 0, refusals: [] },
  screening:
    screen == null
      ? null
      : {
          openSince: null,
          done: 0,
          searches: 0,
          withHits: 0,
          hits: 0,
          risks: {},
          refused: 0,
          refusals: [],
          last: null,
          found: [],
        },
})

/** The state after one more event; null for an event that is not of these. */
export function applyCompanyAction(
  state: CompanyActionState,
  fact: CompanyActionEvent & { readonly at: string },
): Partial<CompanyActionState> | null {
  const { portfolio, screening } = state
  switch (fact.type) {
    case 'portfolio.requested':
      return portfolio && { portfolio: { ...portfolio, requested: true } }
    case 'portfolio.found':
      return (
        portfolio && { portfolio: { ...portfolio, id: fact.id, name: fact.name, created: portfolio.created || fact.created } }
      )
    case 'portfolio.added':
      return (
        portfolio && {
          portfolio: {
            ...portfolio,
            done: fact.done,
            added: portfolio.added + fact.added,
            present: portfolio.present + fact.present,
            refused: portfolio.refused + fact.refused.length,
            refusals: [...portfolio.refusals, ...fact.refused].slice(0, MOST_REFUSALS),
          },
        }
      )
    case 'screen.requested':
      return screening && { screening: { ...screening, openSince: screening.openSince ?? fact.at } }
    case 'screen.finished':
      return screening && { screening: screened(screening, fact) }
    case 'screen.refused':
      return (
        screening && {
          screening: {
            ...screening,
            openSince: null,
            done: fact.done,
            refused: screening.refused + 1,
            refusals: [...screening.refusals, fact.company].slice(0, MOST_REFUSALS),
          },
        }
      )
    default:
      return null
  }
}

function screened(
  state: ScreenState,
  { done, company, createdAt }: CompanyActionEvent & { type: 'screen.finished' },
): ScreenState {
  const counted = { ...state, openSince: null, done, searches: state.searches + 1, last: { id: company.searchId, createdAt } }
  if (company.hits === 0) return counted
  const risks = { ...state.risks }
  for (const [dataset, hits] of Object.entries(company.risks)) {
    const { companies, hits: before } = risks[dataset] ?? { companies: 0, hits: 0 }
    risks[dataset] = { companies: companies + 1, hits: before + hits }
  }
  const found = [...state.found, company].sort((a, b) => b.hits - a.hits).slice(0, MOST_FOUND)
  return { ...counted, withHits: state.withHits + 1, hits: state.hits + company.hits, risks, found }
}
