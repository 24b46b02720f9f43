/**
 * The candidates stage: asks the service for companies that rows without a certain match may be, each question at most once, and writes
 * the outputs again with what it proposes. A question may cost a credit and cannot be looked up: one whose answer is lost counts as
 * paid, and is not asked again in this run. With `reuse.candidates` the answer that an earlier run paid is used again.
 */
import { FettleError, type Issue } from '../../errors.ts'
import type { CandidateState, RunState } from '../../journal/index.ts'
import type { ProposedCompany } from '../../model/requests.ts'
import type { Question } from '../../model/results.ts'
import type { Ports } from '../ports.ts'
import { keepSearches, type RunStep, refusalReason, type StageEvents, warning } from '../stage.ts'
import { publish } from './download.ts'

/** How a service answers to an account without the operation, or without knowing it. */
const NOT_AVAILABLE: readonly (number | null)[] = [403, 404, 405, 501]

type Asked =
  | { readonly type: 'found'; readonly companies: readonly ProposedCompany[] }
  | { readonly type: 'lost' }
  | { readonly type: 'unavailable' }
  | { readonly type: 'refused'; readonly why: string }

/** Throws what a later process may ask again: nothing has reached the service then. */
async function ask({ query }: Question, by: 'match' | 'search', ports: Ports): Promise<Asked> {
  try {
    return { type: 'found', companies: await ports.candidates.findCandidates(query, by, { signal: ports.grace }) }
  } catch (error) {
    if (!FettleError.is(error)) throw error
    if (error.unanswered) return { type: 'lost' }
    if (NOT_AVAILABLE.includes(error.status)) return { type: 'unavailable' }
    const why = refusalReason(error)
    if (why === null) throw error
    return { type: 'refused', why }
  }
}

async function* askAll(state: RunState, ports: Ports): StageEvents {
  const plan = state.plan.candidates
  const before = state.candidates
  if (plan == null || before === null || before.counts === null) return
  const { listed } = before.counts
  let { done, paid, by } = before
  const answers: Record<string, readonly ProposedCompany[]> = Object.fromEntries(before.answers.values())
  if (before.open !== null) {
    done++
    paid++
    yield { type: 'candidates.lost', done, question: before.open }
  }
  const earlier = state.plan.reuse?.candidates === undefined ? undefined : ports.earlier
  for await (const question of ports.results.questions(listed, done)) {
    const known = (await earlier?.proposed(question)) ?? null
    if (known !== null) {
      done++
      answers[question.id] = known.answer
      yield { type: 'candidates.reused', done, question: question.id, companies: known.answer, askedAt: known.at }
      ports.tick({ type: 'companies', done, total: listed })
      continue
    }
    if (by === null || (plan.budget !== null && paid >= plan.budget)) break
    yield { type: 'candidates.requested', question: question.id }
    let asked: Asked
    try {
      asked = await ask(question, by, ports)
      if (asked.type === 'unavailable') {
        yield { type: 'candidates.unavailable', by }
        by = by === 'match' ? 'search' : null
        if (by === null) break
        yield { type: 'candidates.requested', question: question.id }
        asked = await ask(question, by, ports)
      }
    } catch (error) {
      // Only an error that proves that nothing was asked: any other may hide a paid answer.
      if (isUnsent(error)) yield { type: 'candidates.withdrawn', question: question.id }
      throw error
    }
    if (asked.type === 'unavailable') {
      yield { type: 'candidates.unavailable', by }
      by = null
      break
    }
    done++
    if (asked.type === 'refused') yield { type: 'candidates.refused', done, question: question.id, why: asked.why }
    else {
      paid++
      if (asked.type === 'lost') yield { type: 'candidates.lost', done, question: question.id }
      else {
        answers[question.id] = asked.companies
        yield { type: 'candidates.found', done, question: question.id, companies: asked.companies }
      }
    }
    ports.tick({ type: 'companies', done, total: listed })
  }
  yield* keepSearches('candidates', before, earlier)
  for (const issue of listIssues({ ...before, done, by }, plan.budget)) yield { type: 'issue.raised', issue }
  await ports.results.propose(answers)
  yield* publish(state, ports)
}

const isUnsent = (error: unknown): boolean => FettleError.is(error) && (error.kind === 'retryable' || error.kind === 'denied')

function* listIssues({ counts, done, by }: CandidateState, budget: number | null): Generator<Issue> {
  const { listed = 0, left = 0 } = counts ?? {}
  const rest = listed - done
  const why =
    by === null
      ? 'the account has neither /companies/match nor /companies'
      : `one more would exceed candidates.budget (${budget})`
  const unasked = `${rest} of ${listed} questions for candidates were not asked: ${why}`
  if (rest > 0) yield warning('FETTLE_CANDIDATES', unasked, { count: rest })
  const beyond = `${left} more rows were not asked about, beyond candidates.limit (${listed} questions)`
  if (left > 0) yield warning('FETTLE_CANDIDATES', beyond, { count: left })
}

export const candidates: RunStep = { isDone: ({ candidates: state }) => state?.isProposed === true, run: askAll }
