/** The state of the stage that fetches the tags of accepted companies. */
import type { FetchedCompany } from '../model/results.ts'
import { type Appended, emptyList } from './appended.ts'
import type { RefusedCompany, RunEvent } from './events.ts'

export interface AcceptedState {
  /** Accepted companies with missing tags; null before the outputs are written. */
  readonly listed: number | null
  /** The company whose report was asked for and is not recorded yet. */
  readonly open: string | null
  readonly done: number
  /** Companies that may cost a credit each. */
  readonly paid: number
  readonly lost: number
  readonly refused: number
  /** The first refusal. */
  readonly refusal: RefusedCompany | null
  /** The remote job that fetched them, null for reports. */
  readonly job: string | null
  readonly found: Appended<FetchedCompany>
  /** Nothing more is asked for. */
  readonly isOver: boolean
  /** The outputs have the tags. */
  readonly isWritten: boolean
}

export const NOTHING_ACCEPTED: AcceptedState = {
  ...{
    listed: null,
    open: null,
    done: 0,
    paid: 0,
    lost: 0,
    refused: 0,
    refusal: null,
    job: null,
    found: emptyList(),
    isOver: false,
    isWritten: false,
  },
}

/** By the ids of the companies. */
export const fetchedTags = (found: AcceptedState['found']): Record<string, FetchedCompany['tags']> =>
  Object.fromEntries(found.values().map(({ id, tags }) => [id, tags]))

/** Outputs that are written after the last company have the tags. Later ones begin another list, of other decisions. */
export function afterWriting(state: AcceptedState | null, listed: number | null): AcceptedState | null {
  if (state === null) return null
  if (state.isOver && !state.isWritten) return { ...state, isWritten: true }
  return { ...state, listed, done: 0, open: null, isOver: false, isWritten: listed === 0 }
}

export function afterFetching(state: AcceptedState, event: RunEvent): AcceptedState {
  switch (event.type) {
    case 'accepted.requested':
      return { ...state, open: event.company }
    case 'accepted.withdrawn':
      return { ...state, open: null }
    case 'accepted.fetched': {
      const found = state.found.add(...event.companies)
      return { ...state, open: null, done: event.done, paid: state.paid + event.paid, job: event.job ?? state.job, found }
    }
    case 'accepted.refused':
      return { ...state, open: null, done: event.done, refused: state.refused + 1, refusal: state.refusal ?? event.company }
    case 'accepted.lost':
      return { ...state, open: null, done: event.done, paid: state.paid + 1, lost: state.lost + 1 }
    case 'accepted.ended':
      return { ...state, isOver: true }
    default:
      return state
  }
}
