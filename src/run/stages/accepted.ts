/**
 * The stage `accepted`: fetches the tags of companies that people accepted and the service did not match, and writes the outputs again.
 * Both ways may cost a credit a company. A job continues after a kill; a report whose answer is lost counts as paid, and is
 * not asked for again in this run.
 */
import { FettleError } from '../../errors.ts'
import { type AcceptedState, fetchedTags, type RefusedCompany, type RunEventInput, type RunState } from '../../journal/index.ts'
import type { AcceptedCompany, FetchedCompany } from '../../model/results.ts'
import type { Ports } from '../ports.ts'
import { type RunStep, refusalIssue, refusalReason, type StageEvents, warning } from '../stage.ts'
import { publish } from './download.ts'

async function* fetchAll(state: RunState, ports: Ports): StageEvents {
  const plan = state.plan.candidates
  const before = state.accepted
  if (plan?.fetch == null || before === null || before.listed === null) return
  const { listed } = before
  const spent = before.paid + (state.candidates?.paid ?? 0)
  const left = plan.budget === null ? listed : Math.max(0, plan.budget - spent)
  const progress = new Progress(before)
  if (!before.isOver) {
    for await (const event of (plan.fetch === 'job' ? byJob : byReport)(before, left, ports)) {
      progress.add(event)
      yield event
      ports.tick({ type: 'companies', done: progress.done, total: listed })
    }
    yield { type: 'accepted.ended' }
  }
  yield* progress.issues(listed, plan.budget)
  await ports.results.keepFetched(progress.found)
  yield* publish(state, ports)
}

/** What the events so far have brought, with the events of an earlier process. */
class Progress {
  done: number
  found: Record<string, FetchedCompany['tags']>
  #refused: number
  #refusal: RefusedCompany | null

  constructor({ done, found, refused, refusal }: AcceptedState) {
    this.done = done
    this.found = fetchedTags(found)
    this.#refused = refused
    this.#refusal = refusal
  }

  add(event: RunEventInput): void {
    if (event.type === 'accepted.fetched') for (const { id, tags } of event.companies) this.found[id] = tags
    if (event.type === 'accepted.refused') {
      this.#refused++
      this.#refusal ??= event.company
    }
    if ('done' in event) this.done = event.done
  }

  *issues(listed: number, budget: number | null): Generator<RunEventInput> {
    const missing = listed - this.done
    const over = `${missing} of ${listed} accepted companies were not fetched: one more would exceed candidates.budget (${budget})`
    if (missing > 0) yield { type: 'issue.raised', issue: warning('FETTLE_CANDIDATES', over, { count: missing }) }
    const refused = `${this.#refused} accepted companies could not be fetched`
    if (this.#refused > 0)
      yield { type: 'issue.raised', issue: refusalIssue('FETTLE_CANDIDATES', refused, this.#refused, this.#refusal) }
  }
}

async function* byJob({ done }: AcceptedState, most: number, ports: Ports): StageEvents {
  const companies: AcceptedCompany[] = []
  for await (const company of ports.results.accepted(done)) if (companies.length < most) companies.push(company)
  if (companies.length === 0) return
  const { job, paid, companies: found } = await ports.fetchByJob(companies)
  const ids = new Set(found.map(({ id }) => id))
  const all = done + companies.length
  for (const { id } of companies.filter(company => !ids.has(company.id)))
    yield { type: 'accepted.refused', done, company: { id, why: 'the job matched no company, or a different one' } }
  yield { type: 'accepted.fetched', done: all, paid, job, companies: [...found] }
}

async function* byReport(before: AcceptedState, most: number, ports: Ports): StageEvents {
  let { done } = before
  let left = most
  if (before.open !== null) {
    left--
    yield { type: 'accepted.lost', done: ++done, company: before.open }
  }
  for await (const { id } of ports.results.accepted(done)) {
    if (left <= 0) break
    yield { type: 'accepted.requested', company: id }
    try {
      const tags = await ports.reports.readTags(id, { signal: ports.grace })
      left--
      yield { type: 'accepted.fetched', done: ++done, paid: 1, job: null, companies: [{ id, tags }] }
    } catch (error) {
      const why = refusalReason(error)
      if (FettleError.is(error) && error.unanswered) {
        left--
        yield { type: 'accepted.lost', done: ++done, company: id }
      } else if (why !== null) yield { type: 'accepted.refused', done: ++done, company: { id, why } }
      else {
        // Only an error that proves that nothing was asked: any other may hide a paid answer.
        if (FettleError.is(error) && (error.kind === 'retryable' || error.kind === 'denied'))
          yield { type: 'accepted.withdrawn', company: id }
        throw error
      }
    }
  }
}

export const accepted: RunStep = { isDone: ({ accepted: state }) => state?.isWritten === true, run: fetchAll }
