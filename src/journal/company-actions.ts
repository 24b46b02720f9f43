/** The state of the stages after the outputs: companies added to a portfolio, and AML searches for them. */
import { DATASETS, isDataset } from '../contract/index.ts'
import type { CompanyCounts } from '../model/results.ts'
import type { Plan } from '../pipeline/model/types.ts'
import type { RefusedCompany, RunEvent, ScreenedCompany } from './events.ts'

export interface PortfolioState {
  readonly requested: boolean
  readonly id: number | null
  readonly name: string | null
  /** This run created it. */
  readonly created: boolean
  /** Companies handled so far. */
  readonly done: number
  readonly added: number
  readonly present: number
  readonly refused: number
  /** The first refusals. */
  readonly refusals: readonly RefusedCompany[]
}

export interface ScreenState {
  /** When a search was requested whose answer is not recorded yet, null when none is open. */
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

/** The description of a dataset (contract §6.8); empty for an unknown one. */
export const meaningOf = (dataset: string): string => (isDataset(dataset) ? DATASETS[dataset] : '')

export interface CompanyActionState {
  /** Null before the outputs are written, and when no stage uses companies. */
  readonly companies: CompanyCounts | null
  /** Null when the pipeline has no such stage, like the next. */
  readonly portfolio: PortfolioState | null
  readonly screening: ScreenState | null
}

const MAX_REFUSALS = 20
/** As many as a report shows; the journal has all of them. */
const MAX_FOUND = 100

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

export function applyCompanyAction(state: CompanyActionState, event: RunEvent): Partial<CompanyActionState> | null {
  const { portfolio, screening } = state
  switch (event.type) {
    case 'portfolio.requested':
      return portfolio && { portfolio: { ...portfolio, requested: true } }
    case 'portfolio.found':
      return (
        portfolio && { portfolio: { ...portfolio, id: event.id, name: event.name, created: portfolio.created || event.created } }
      )
    case 'portfolio.added':
      return (
        portfolio && {
          portfolio: {
            ...portfolio,
            done: event.done,
            added: portfolio.added + event.added,
            present: portfolio.present + event.present,
            refused: portfolio.refused + event.refused.length,
            refusals: [...portfolio.refusals, ...event.refused].slice(0, MAX_REFUSALS),
          },
        }
      )
    case 'screen.requested':
      return screening && { screening: { ...screening, openSince: screening.openSince ?? event.at } }
    case 'screen.finished':
      return screening && { screening: screened(screening, event) }
    case 'screen.refused':
      return (
        screening && {
          screening: {
            ...screening,
            openSince: null,
            done: event.done,
            refused: screening.refused + 1,
            refusals: [...screening.refusals, event.company].slice(0, MAX_REFUSALS),
          },
        }
      )
    default:
      return null
  }
}

function screened(state: ScreenState, { done, company, createdAt }: RunEvent & { type: 'screen.finished' }): ScreenState {
  const counted = { ...state, openSince: null, done, searches: state.searches + 1, last: { id: company.searchId, createdAt } }
  if (company.hits === 0) return counted
  const risks = { ...state.risks }
  for (const [dataset, hits] of Object.entries(company.risks)) {
    const { companies, hits: before } = risks[dataset] ?? { companies: 0, hits: 0 }
    risks[dataset] = { companies: companies + 1, hits: before + hits }
  }
  const found = [...state.found, company].sort((a, b) => b.hits - a.hits).slice(0, MAX_FOUND)
  return { ...counted, withHits: state.withHits + 1, hits: state.hits + company.hits, risks, found }
}
