/** The state of the stages `tree` and `decide`, where a decision tree of the service decides, from their events. */
import type { TreeAnswer } from '../model/results.ts'
import { type Appended, emptyList } from './appended.ts'
import type { RefusedCompany, RunEvent } from './events.ts'

export interface TreeState {
  /** The tree of the service; null before it is found. */
  readonly found: { readonly id: string; readonly name: string; readonly version: string } | null
  /** Different questions; null before the answers about the rows are received. */
  readonly listed: number | null
  /** The question whose answer is not recorded yet, null when none is open. */
  readonly open: string | null
  readonly done: number
  /** Runs of the tree; each may cost a credit. */
  readonly paid: number
  /** Decisions of earlier runs. */
  readonly reused: number
  /** The decisions are where later runs find them. */
  readonly isKept: boolean
  readonly refused: number
  /** The first refusal. */
  readonly refusal: RefusedCompany | null
  /** By question. */
  readonly answers: Appended<readonly [question: string, answer: TreeAnswer]>
}

export const NO_TREE_YET: TreeState = {
  ...{ found: null, listed: null, open: null, done: 0, paid: 0, reused: 0, isKept: false, refused: 0, refusal: null },
  answers: emptyList(),
}

export function afterTree(state: TreeState, event: RunEvent): TreeState {
  switch (event.type) {
    case 'tree.found':
      return { ...state, found: { id: event.id, name: event.name, version: event.version } }
    case 'decide.requested':
      return { ...state, open: event.question }
    case 'decide.made': {
      const answers = state.answers.add([event.question, event.answer])
      return { ...state, open: null, done: event.done, paid: state.paid + 1, answers }
    }
    case 'decide.reused': {
      const answers = state.answers.add([event.question, event.answer])
      return { ...state, done: event.done, reused: state.reused + 1, answers }
    }
    case 'searches.kept':
      return event.what === 'decide' ? { ...state, isKept: true } : state
    case 'decide.refused': {
      const { question, why, done } = event
      const name = state.found?.name ?? ''
      const answers = state.answers.add([question, { decision: 'refer', rule: name, why: `the service refused: ${why}` }])
      return { ...state, open: null, done, refused: state.refused + 1, refusal: state.refusal ?? { id: question, why }, answers }
    }
    default:
      return state
  }
}
