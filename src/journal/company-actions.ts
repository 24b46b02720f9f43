/** The state of the stages after the outputs: companies added to a portfolio, and AML searches for them. */

import { DATASETS, isDataset } from '../contract/index.ts'
import { defined } from '../defined.ts'
import type { ProposedCompany } from '../model/requests.ts'
import type { CompanyCounts, HitCounts, QuestionCounts, UnscreenedCompany } from '../model/results.ts'
import type { Plan } from '../pipeline/model/types.ts'
import { type AcceptedState, afterFetching, afterWriting, NOTHING_ACCEPTED } from './accepted.ts'
import { type Appended, emptyList } from './appended.ts'
import type { RefusedCompany, RunEvent, ScreenedCompany } from './events.ts'
import { afterMonitoring, type MonitorState, NOT_MONITORED } from './monitoring.ts'
import {
  afterNotices,
  afterPortfolio,
  MAX_REFUSALS,
  NO_NOTICES,
  NO_PORTFOLIO_YET,
  type NoticeState,
  type PortfolioState,
} from './portfolio.ts'
import { afterTree, NO_TREE_YET, type TreeState } from './tree.ts'

export interface ScreenState {
  /** When a search was requested whose answer is not recorded yet, null when none is open. */
  readonly openSince: string | null
  readonly done: number
  /** Each costs one credit. */
  readonly searches: number
  /** Companies and directors that an earlier run searched for. */
  readonly reused: number
  /** Those that are searched for again: an entry of the lists changed that may concern them, or it is not known what changed. */
  readonly again: { readonly changed: number; readonly unknown: number }
  /** The searches are where later runs find them. */
  readonly isKept: boolean
  readonly withHits: number
  /** Of companies and directors. */
  readonly hits: number
  /** Null where directors are not searched for. `done`, `searches` and `reused` count them as well; the others count companies alone. */
  readonly directors: DirectorState | null
  /** Companies and directors with hits, and their hits, by dataset. */
  readonly risks: Readonly<Record<string, { readonly companies: number; readonly hits: number }>>
  /** Companies that are not searched for, of any cause. */
  readonly refused: number
  /** Companies of them with no name, and with a name that has no letter and no digit. */
  readonly noName: number
  readonly noLetter: number
  readonly refusals: readonly RefusedCompany[]
  /** All of them, with the word for the cause. */
  readonly unscreened: Appended<UnscreenedCompany>
  /** Searches of earlier runs that are older than `within` of the check `screened`, and when the oldest was made. */
  readonly tooOld: number
  readonly oldest: string | null
  readonly within: number | null
  readonly last: { readonly id: string; readonly createdAt: string | null; readonly listsKey?: string | undefined } | null
  /** In the order of the searches. */
  readonly answers: Appended<ScreenedCompany & { readonly isTooOld?: boolean; readonly searchedAt?: string }>
  /** The companies and directors with the most hits. */
  readonly found: readonly ScreenedCompany[]
  /** Null before decisions are applied to the hits. */
  readonly judged: HitCounts | null
  /** The outputs have them. */
  readonly isWritten: boolean
}

export interface DirectorState {
  /** Each costs one credit. */
  readonly searches: number
  readonly reused: number
  /** The same person as in another company of the run. */
  readonly shared: number
  readonly refused: number
  readonly tooOld: number
  readonly withHits: number
  /** Companies searched for that have no director. */
  readonly none: number
  /** Companies with a director who was not searched for, or too long ago, and the last of them. */
  readonly incomplete: number
  readonly lastIncomplete: string
}

const NO_DIRECTORS_YET: DirectorState = {
  ...{ searches: 0, reused: 0, shared: 0, refused: 0, tooOld: 0, withHits: 0, none: 0, incomplete: 0, lastIncomplete: '' },
}

/** The description of a dataset (contract §6.8); empty for an unknown one. */
export const explainDataset = (dataset: string): string => (isDataset(dataset) ? DATASETS[dataset] : '')

/** What the service proposed for a question. */
export type ProposedAnswer = readonly [question: string, companies: readonly ProposedCompany[]]

export interface CandidateState {
  /** Null before the outputs are written for the first time. */
  readonly counts: QuestionCounts | null
  /** The question whose answer is not recorded yet, null when none is open. */
  readonly open: string | null
  readonly done: number
  /** Questions that may cost a credit each. */
  readonly paid: number
  /** Questions that an earlier run asked. */
  readonly reused: number
  /** The answers are where later runs find them. */
  readonly isKept: boolean
  readonly lost: number
  readonly refused: number
  /** Which operation is asked; null when the account has neither. */
  readonly by: 'match' | 'search' | null
  /** In the order of the questions. */
  readonly answers: Appended<ProposedAnswer>
  /** The outputs have the answers. */
  readonly isProposed: boolean
}

export interface CompanyActionState {
  /** Null when the pipeline has no such stage. */
  readonly candidates: CandidateState | null
  /** Null when the pipeline fetches no accepted companies. */
  readonly accepted: AcceptedState | null
  /** Null before the outputs are written, and when no stage uses companies. */
  readonly companies: CompanyCounts | null
  /** Null when the pipeline has no such stage, like the next. */
  readonly portfolio: PortfolioState | null
  readonly screening: ScreenState | null
  readonly events: NoticeState | null
  readonly monitoring: MonitorState | null
  readonly tree: TreeState | null
}

/** As many as a report shows; the journal has all of them. */
const MAX_FOUND = 100

const NO_ANSWERS: Appended<ProposedAnswer> = emptyList()

const NO_SEARCHES: ScreenState['answers'] = emptyList()
const NONE_UNSCREENED: ScreenState['unscreened'] = emptyList()

/** The words of the column `screen.state`. */
const CAUSES = { noName: 'no name', noLetter: 'no letter or digit' } as const

const NOT_ASKED: CandidateState = {
  ...{ counts: null, open: null, done: 0, paid: 0, reused: 0, isKept: false, lost: 0, refused: 0 },
  ...{ by: 'match', answers: NO_ANSWERS, isProposed: false },
}

export const initialCompanyActions = ({ candidates, portfolio, screen, events, tree, checks }: Plan): CompanyActionState => ({
  candidates: candidates == null ? null : NOT_ASKED,
  accepted: candidates?.fetch == null ? null : NOTHING_ACCEPTED,
  companies: null,
  portfolio: portfolio == null ? null : NO_PORTFOLIO_YET,
  events: events == null ? null : NO_NOTICES,
  monitoring: screen?.monitor === undefined ? null : NOT_MONITORED,
  tree: tree === undefined ? null : NO_TREE_YET,
  screening:
    screen == null
      ? null
      : {
          openSince: null,
          done: 0,
          searches: 0,
          reused: 0,
          again: { changed: 0, unknown: 0 },
          isKept: false,
          withHits: 0,
          hits: 0,
          directors: screen.people === undefined ? null : NO_DIRECTORS_YET,
          risks: {},
          refused: 0,
          noName: 0,
          noLetter: 0,
          refusals: [],
          unscreened: NONE_UNSCREENED,
          tooOld: 0,
          oldest: null,
          within: checks.find(({ name }) => name === 'screened')?.within ?? null,
          last: null,
          answers: NO_SEARCHES,
          found: [],
          judged: null,
          isWritten: false,
        },
})

export function applyCompanyAction(state: CompanyActionState, event: RunEvent): Partial<CompanyActionState> | null {
  const { screening } = state
  const candidates = state.candidates && afterQuestion(state.candidates, event)
  if (candidates !== null && candidates !== state.candidates) return { candidates }
  const accepted = state.accepted && afterFetching(state.accepted, event)
  if (accepted !== null && accepted !== state.accepted) return { accepted }
  const portfolio = state.portfolio && afterPortfolio(state.portfolio, event)
  if (portfolio !== null && portfolio !== state.portfolio) return { portfolio }
  const events = state.events && afterNotices(state.events, event)
  if (events !== null && events !== state.events) return { events }
  const monitoring = state.monitoring && afterMonitoring(state.monitoring, event)
  if (monitoring !== null && monitoring !== state.monitoring) return { monitoring }
  const tree = state.tree && afterTree(state.tree, event)
  if (tree !== null && tree !== state.tree) return { tree }
  switch (event.type) {
    case 'screen.requested':
      return screening && { screening: { ...countAgain(screening, event.again), openSince: screening.openSince ?? event.at } }
    case 'screen.finished':
      return screening && { screening: searched(screening, event) }
    case 'screen.reused':
      return screening && { screening: reused(screening, event) }
    case 'screen.shared':
      return screening && { screening: screened(screening, event) }
    case 'hits.judged': {
      const { open, back, cleared, confirmed, listed } = event
      return screening && { screening: { ...screening, judged: { open, back, cleared, confirmed, listed } } }
    }
    case 'searches.kept':
      return event.what === 'screen' ? screening && { screening: { ...screening, isKept: true } } : null
    case 'screen.refused':
      return screening && { screening: refused(screening, event) }
    default:
      return null
  }
}

/** Once there are questions, the next outputs are those with the answers. */
const afterProposals = (state: CandidateState | null, counts: QuestionCounts | null): CandidateState | null =>
  state && (counts === null ? { ...state, isProposed: state.counts !== null } : { ...state, counts })

export const afterOutputs = (
  state: CompanyActionState,
  event: RunEvent & { readonly type: 'output.written' },
): Pick<CompanyActionState, 'candidates' | 'accepted' | 'companies' | 'tree' | 'screening'> => ({
  screening: state.screening && { ...state.screening, isWritten: state.screening.judged !== null },
  candidates: afterProposals(state.candidates, event.questions ?? null),
  accepted: afterWriting(state.accepted, event.accepted ?? null),
  companies: event.companies ?? state.companies,
  tree: state.tree && { ...state.tree, listed: event.treeQuestions ?? state.tree.listed },
})

function afterQuestion(state: CandidateState, event: RunEvent): CandidateState {
  switch (event.type) {
    case 'candidates.requested':
      return { ...state, open: event.question }
    case 'candidates.withdrawn':
      return { ...state, open: null }
    case 'candidates.unavailable':
      return { ...state, open: null, by: event.by === 'match' ? 'search' : null }
    case 'candidates.found': {
      const answers = state.answers.add([event.question, event.companies])
      return { ...state, open: null, done: event.done, paid: state.paid + 1, answers }
    }
    case 'candidates.reused': {
      const answers = state.answers.add([event.question, event.companies])
      return { ...state, done: event.done, reused: state.reused + 1, answers }
    }
    case 'searches.kept':
      return event.what === 'candidates' ? { ...state, isKept: true } : state
    case 'candidates.refused':
      return { ...state, open: null, done: event.done, refused: state.refused + 1 }
    case 'candidates.lost':
      return { ...state, open: null, done: event.done, paid: state.paid + 1, lost: state.lost + 1 }
    default:
      return state
  }
}

const countAgain = (state: ScreenState, why: 'changed' | 'unknown' | undefined): ScreenState =>
  why === undefined ? state : { ...state, again: { ...state.again, [why]: state.again[why] + 1 } }

function searched(state: ScreenState, event: RunEvent & { type: 'screen.finished' }): ScreenState {
  const last = { id: event.company.searchId, createdAt: event.createdAt, listsKey: event.listsKey }
  const next = screened(state, event)
  return { ...next, searches: state.searches + 1, last, directors: countDirector(next, event.company, 'searches') }
}

function refused(state: ScreenState, { done, company }: RunEvent & { type: 'screen.refused' }): ScreenState {
  const { id, cause, person } = company
  const unscreened = state.unscreened.add({ id, person, state: cause === undefined ? 'refused' : CAUSES[cause] })
  const refusals = [...state.refusals, company].slice(0, MAX_REFUSALS)
  const next = { ...state, openSince: null, done, refusals, unscreened }
  if (person !== undefined) return { ...next, directors: incomplete(countDirector(state, company, 'refused'), id) }
  return {
    ...next,
    refused: state.refused + 1,
    noName: state.noName + (cause === 'noName' ? 1 : 0),
    noLetter: state.noLetter + (cause === 'noLetter' ? 1 : 0),
  }
}

/** Counts a director; a company leaves the counts of directors as they are. */
const countDirector = (
  { directors }: Pick<ScreenState, 'directors'>,
  { person }: { readonly person?: string | undefined },
  what: 'searches' | 'reused' | 'shared' | 'refused' | 'tooOld' | 'withHits',
): ScreenState['directors'] => directors && (person === undefined ? directors : { ...directors, [what]: directors[what] + 1 })

/** Directors of a company follow one another. */
const incomplete = (state: ScreenState['directors'], company: string): ScreenState['directors'] =>
  state === null || state.lastIncomplete === company
    ? state
    : { ...state, incomplete: state.incomplete + 1, lastIncomplete: company }

function reused(state: ScreenState, event: RunEvent & { type: 'screen.reused' }): ScreenState {
  const { searchedAt, company } = event
  const oldest = state.oldest === null || searchedAt < state.oldest ? searchedAt : state.oldest
  const next = screened(state, event)
  return { ...next, reused: state.reused + 1, oldest, directors: countDirector(next, company, 'reused') }
}

type AnswerEvent = RunEvent & { type: 'screen.finished' | 'screen.reused' | 'screen.shared' }

function screened(before: ScreenState, event: AnswerEvent): ScreenState {
  const { done, company, at } = event
  const searchedAt = event.type === 'screen.finished' ? undefined : event.searchedAt
  const isTooOld = before.within !== null && searchedAt !== undefined && Date.parse(at) - Date.parse(searchedAt) > before.within
  const answer = defined({ ...company, searchedAt, isTooOld: isTooOld || undefined })
  const state = countAnswer(before, event, isTooOld)
  const counted = { ...state, openSince: null, done, answers: state.answers.add(answer) }
  if (company.hits === 0) return counted
  const risks = { ...state.risks }
  for (const [dataset, hits] of Object.entries(company.risks)) {
    const { companies, hits: before } = risks[dataset] ?? { companies: 0, hits: 0 }
    risks[dataset] = { companies: companies + 1, hits: before + hits }
  }
  const { found: _, ...shown } = company
  const found = [...state.found, shown].sort((a, b) => b.hits - a.hits).slice(0, MAX_FOUND)
  return {
    ...counted,
    withHits: state.withHits + (company.person === undefined ? 1 : 0),
    directors: countDirector(state, company, 'withHits'),
    hits: state.hits + company.hits,
    ...{ risks, found },
  }
}

/** Counts what is wrong about an answer, and a director that another company shares. */
function countAnswer(state: ScreenState, { type, company }: AnswerEvent, isTooOld: boolean): ScreenState {
  let { directors, tooOld } = state
  if (type === 'screen.shared') directors = countDirector({ directors }, company, 'shared')
  if (isTooOld) directors = countDirector({ directors }, company, 'tooOld')
  if (isTooOld && company.person !== undefined) directors = incomplete(directors, company.id)
  if (isTooOld && company.person === undefined) tooOld++
  if (company.directors === 0 && directors !== null) directors = { ...directors, none: directors.none + 1 }
  return { ...state, directors, tooOld }
}
