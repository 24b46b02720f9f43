/**
 * Screen: one AML search for each company found, each paid, none made twice. Searches are made one after the other, so that one
 * whose answer was lost is known again: it can only be the newest of its name.
 */
import { FettleError, type Issue, issue } from '../../errors.ts'
import type { RefusedCompany, RunState, ScreenedCompany, ScreenState } from '../../journal/index.ts'
import type { FoundCompany } from '../../pipeline/model/row-types.ts'
import type { PlannedScreen } from '../../pipeline/model/types.ts'
import type { Screening, ScreenQuery } from '../company-action-ports.ts'
import type { Effect, Ports } from '../ports.ts'
import type { Facts, Stage } from '../stage.ts'
import { whyRefused } from './refused.ts'

/** Longest name of a search (contract §12). */
const LONGEST_NAME = 200
/** The first search of a run has none before it: the service's clock may be so much behind ours. */
const SKEW_MS = 10 * 60_000
/** The service may need a moment to list what it has just made: looks at 0, 3 and 10 seconds. */
const LOOK_PAUSES_MS = [3_000, 7_000]

const queryOf = (company: FoundCompany, { threshold, datasets, countries }: PlannedScreen): ScreenQuery => ({
  name: cut(company.name),
  threshold,
  datasets,
  countries,
})

/** Not in the middle of a character. */
const cut = (name: string): string =>
  name.length <= LONGEST_NAME ? name : name.slice(0, LONGEST_NAME).replace(/[\ud800-\udbff]$/, '')

/** Looks for a search whose answer nobody heard; undefined when the service lists none. */
async function lookFor(
  query: ScreenQuery,
  openSince: number,
  last: ScreenState['last'],
  ports: Ports,
): Promise<Screening | undefined> {
  const at = last?.createdAt ?? new Date(openSince - SKEW_MS).toISOString()
  for (let round = 0; ; round++) {
    const found = await ports.screening.findScreening(query, { at, other: last?.id ?? null }, { signal: ports.grace })
    const pause = LOOK_PAUSES_MS[round]
    if (found !== undefined || pause === undefined) return found
    await ports.clock.sleep(pause, ports.grace)
  }
}

/** A search is not repeated on a guess (contract §14.3): a later process looks once more before it asks again. */
const unanswered = (company: FoundCompany): FettleError =>
  new FettleError(
    'FETTLE_UNANSWERED',
    `the answer to the AML search for ${company.id} was lost, and the service lists no such search yet`,
  )

async function makeOne(company: FoundCompany, state: RunState, known: ScreenState, ports: Ports): Promise<Effect<Screening>> {
  const query = queryOf(company, state.plan.screen!)
  if (known.openSince !== null) {
    const found = await lookFor(query, Date.parse(known.openSince), known.last, ports)
    if (found !== undefined) return { value: found, adopted: true }
  }
  const asked = ports.clock.now()
  const look = async (): Promise<Screening> => {
    const found = await lookFor(query, asked, known.last, ports)
    if (found === undefined) throw unanswered(company)
    return found
  }
  return ports.screening.screenBusiness(query, { look, key: `${state.jobName}-screen-${known.done}`, signal: ports.grace })
}

async function* screenAll(state: RunState, ports: Ports): Facts {
  const plan = state.plan.screen
  let known = state.screening
  if (plan == null || known === null) return
  const { listed = 0 } = state.companies ?? {}
  for await (const company of ports.results.companies(listed, known.done)) {
    const isOpen = known.openSince !== null
    if (plan.budget !== null && known.searches >= plan.budget && !isOpen) throw overBudget(known.done, listed, plan.budget)
    const done: number = known.done + 1
    const refuse = (why: string): RefusedCompany => ({ id: company.id, why })
    const refusals: ScreenState['refusals'] = known.refusals
    let refused: RefusedCompany | null = company.name.trim() === '' ? refuse('the service tells no name of it') : null
    let made: Effect<Screening> | null = null
    if (refused === null) {
      if (!isOpen) yield { type: 'screen.requested', company: company.id }
      try {
        made = await makeOne(company, state, known, ports)
      } catch (error) {
        const why = whyRefused(error)
        if (why === null) throw error
        refused = refuse(why)
      }
    }
    const count: number = known.refused + (refused === null ? 0 : 1)
    // Before the last one is over: a kill between the two may repeat a warning, never lose it.
    if (done === listed && count > 0) yield { type: 'issue.raised', issue: refusedIssue(count, refusals[0] ?? refused) }
    known = {
      ...known,
      done,
      openSince: null,
      refused: count,
      refusals: refused === null ? refusals : [...refusals, refused].slice(0, 1),
    }
    if (refused !== null) yield { type: 'screen.refused', done, company: refused }
    else if (made !== null) {
      const { id, hits, createdAt } = made.value
      const risks = hits === 0 ? {} : await ports.screening.readRisks(id, { signal: ports.signal })
      const screened: ScreenedCompany = { id: company.id, name: company.name, searchId: id, hits, risks }
      known = { ...known, searches: known.searches + 1, last: { id, createdAt } }
      yield { type: 'screen.finished', done, company: screened, createdAt, adopted: made.adopted }
    }
    ports.tick({ type: 'companies', done, total: listed })
  }
}

const overBudget = (done: number, listed: number, budget: number): FettleError =>
  new FettleError(
    'FETTLE_BUDGET_SCREEN',
    `${done} of ${listed} companies were screened: one more search would pass screen.budget (${budget})`,
  )

const refusedIssue = (count: number, example: RefusedCompany | null): Issue =>
  issue(
    'FETTLE_SCREEN_REFUSED',
    `${count} of the companies could not be screened${example === null ? '' : `, such as ${example.id}: ${example.why}`}`,
    { severity: 'warn', count },
  )

/** The screen stage. */
export const screen: Stage = {
  name: 'screen',
  skip: () => null,
  isDone: () => true,
  async *each() {},
  last: {
    isDone: ({ screening, companies }) => screening !== null && screening.done >= (companies?.listed ?? 0),
    run: screenAll,
  },
}
