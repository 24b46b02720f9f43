/** The state of the stages `portfolio` and `events`, from their events. */
import type { ReportedEvent } from '../model/results.ts'
import type { RefusedCompany, RunEvent } from './events.ts'

export interface PortfolioState {
  readonly requested: boolean
  readonly id: number | null
  readonly name: string | null
  /** This run created it. */
  readonly created: boolean
  /** Countries whose rules are set, with the number of active ones. */
  readonly rules: Readonly<Record<string, number>>
  /** The first comparison; null before it, and when companies are added one by one. */
  readonly compared: {
    readonly present: number
    readonly missing: number
    readonly gone: number
    readonly removes: boolean
    /** The first of those that are gone. */
    readonly examples: readonly string[]
  } | null
  /** False when the service takes no file. */
  readonly takesFiles: boolean
  /** Missing when the files were applied; null before. */
  readonly left: readonly string[] | null
  readonly removed: number
  /** Companies handled so far. */
  readonly done: number
  readonly added: number
  readonly present: number
  readonly refused: number
  /** The first refusals. */
  readonly refusals: readonly RefusedCompany[]
}

export const NO_PORTFOLIO_YET: PortfolioState = {
  ...{ requested: false, id: null, name: null, created: false, rules: {}, compared: null, takesFiles: true, left: null },
  ...{ removed: 0, done: 0, added: 0, present: 0, refused: 0, refusals: [] },
}

export const MAX_REFUSALS = 20

export function afterPortfolio(state: PortfolioState, event: RunEvent): PortfolioState {
  switch (event.type) {
    case 'portfolio.requested':
      return { ...state, requested: true }
    case 'portfolio.found':
      return { ...state, id: event.id, name: event.name, created: state.created || event.created }
    case 'portfolio.ruled':
      return { ...state, rules: { ...state.rules, [event.country]: event.active } }
    case 'portfolio.compared': {
      const { present, missing, gone, removes, examples } = event
      return { ...state, compared: state.compared ?? { present, missing, gone, removes, examples } }
    }
    case 'portfolio.unavailable':
      return { ...state, takesFiles: false }
    case 'portfolio.settled': {
      const { done, added, present, removed, left } = event
      return { ...state, done, added, present, removed, left }
    }
    case 'portfolio.added':
      return {
        ...state,
        done: event.done,
        added: state.added + event.added,
        present: state.present + event.present,
        refused: state.refused + event.refused.length,
        refusals: [...state.refusals, ...event.refused].slice(0, MAX_REFUSALS),
      }
    default:
      return state
  }
}

export interface NoticeState {
  /** Null before they are read. */
  readonly read: {
    /** Null when there is no portfolio yet. */
    readonly portfolio: { readonly id: number; readonly name: string } | null
    readonly since: string | null
    readonly events: number
    readonly companies: number
    readonly kinds: Readonly<Record<string, number>>
    /** The first of them. */
    readonly listed: readonly ReportedEvent[]
  } | null
  readonly written: {
    readonly path: string
    /** The file of this run alone. */
    readonly own: string
    readonly rows: number
    readonly bytes: number
    readonly sha256: string
    /** Events to be marked as processed. */
    readonly unmarked: number
  } | null
  /** Events that are marked as processed. */
  readonly marked: number
  /** The service marks no events. */
  readonly isUnmarkable: boolean
}

export const NO_NOTICES: NoticeState = { read: null, written: null, marked: 0, isUnmarkable: false }

export function afterNotices(state: NoticeState, event: RunEvent): NoticeState {
  switch (event.type) {
    case 'events.read': {
      const { portfolio, since, events, companies, kinds, listed } = event
      return { ...NO_NOTICES, read: { portfolio, since, events, companies, kinds, listed } }
    }
    case 'events.written': {
      const { path, own, rows, bytes, sha256, unmarked } = event
      return { ...state, written: { path, own, rows, bytes, sha256, unmarked } }
    }
    case 'events.marked':
      return { ...state, marked: event.done, isUnmarkable: event.refused }
    default:
      return state
  }
}
