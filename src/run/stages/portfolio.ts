/**
 * Portfolio: the companies found are added to a portfolio, which is made when a name has none. Adding is harmless to repeat: a
 * company that is in it already is as good as added.
 */
import pLimit from 'p-limit'
import { FettleError, type Issue, issue } from '../../errors.ts'
import type { PortfolioState, RefusedCompany, RunEventInput, RunState } from '../../journal/index.ts'
import type { FoundCompany } from '../../pipeline/model/row-types.ts'
import type { PlannedPortfolio } from '../../pipeline/model/types.ts'
import type { Portfolio } from '../company-action-ports.ts'
import type { Ports } from '../ports.ts'
import type { Facts, Stage } from '../stage.ts'
import { whyRefused } from './refused.ts'

/** Companies between two lines of the journal: so many are added again, at most, after a kill. */
const BATCH = 50

/** The portfolio that the plan means. */
async function* settle(
  plan: PlannedPortfolio,
  known: PortfolioState,
  key: string,
  ports: Ports,
): AsyncGenerator<RunEventInput, number> {
  if (known.id !== null) return known.id
  const found = (id: number, name: string, created: boolean): RunEventInput => ({ type: 'portfolio.found', id, name, created })
  if (plan.id !== null) {
    const { id, name } = await ports.portfolios.readPortfolio(plan.id, { signal: ports.signal }).catch(missing(plan.id))
    yield found(id, name, false)
    return id
  }
  const name = plan.name!
  const look = async (): Promise<Portfolio | undefined> =>
    onlyOne(name, await ports.portfolios.findPortfolios(name, { signal: ports.grace }))
  const there = await look()
  if (there !== undefined) {
    yield found(there.id, there.name, known.requested)
    return there.id
  }
  if (!known.requested) yield { type: 'portfolio.requested', name }
  const { value } = await ports.portfolios.createPortfolio(name, { look, key, signal: ports.grace })
  yield found(value.id, value.name, true)
  return value.id
}

const missing = (id: number) => (error: unknown) => {
  if (!FettleError.is(error) || error.status !== 404) throw error
  throw new FettleError('FETTLE_PORTFOLIO', `portfolio.id ${id}: the service has no such portfolio for this user`, {
    cause: error,
  })
}

function onlyOne(name: string, [first, ...others]: readonly Portfolio[]): Portfolio | undefined {
  if (first === undefined || others.length === 0) return first
  const ids = [first, ...others].map(({ id }) => id).join(', ')
  throw new FettleError('FETTLE_PORTFOLIO', `several portfolios are called "${name}": ${ids}`, {
    hint: `Say which one: portfolio: { id: ${first.id} }.`,
  })
}

async function* batchesOf(companies: AsyncIterable<FoundCompany>): AsyncGenerator<FoundCompany[]> {
  let batch: FoundCompany[] = []
  for await (const one of companies) {
    batch.push(one)
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** What became of each of a batch, in its order. A portfolio that is gone refuses all of them: that ends the stage. */
async function addBatch(portfolio: number, batch: readonly FoundCompany[], { plan }: RunState, ports: Ports) {
  const limit = pLimit(plan.concurrency)
  const answers = await Promise.allSettled(
    batch.map(({ id, reference }) =>
      limit(() => ports.portfolios.addCompany(portfolio, { id, reference }, { signal: ports.signal })),
    ),
  )
  const refused: RefusedCompany[] = []
  for (const [at, answer] of answers.entries()) {
    if (answer.status === 'fulfilled') continue
    const why = whyRefused(answer.reason)
    if (why === null) throw answer.reason
    refused.push({ id: batch[at]!.id, why })
  }
  if (refused.length === batch.length)
    await ports.portfolios.readPortfolio(portfolio, { signal: ports.signal }).catch(missing(portfolio))
  const count = (word: string): number => answers.filter(one => one.status === 'fulfilled' && one.value === word).length
  return { added: count('added'), present: count('present'), refused }
}

async function* addAll(state: RunState, ports: Ports): Facts {
  const plan = state.plan.portfolio
  const known = state.portfolio
  if (plan == null || known === null) return
  const { listed = 0 } = state.companies ?? {}
  const portfolio = yield* settle(plan, known, `${state.jobName}-portfolio`, ports)
  let { done, refused } = known
  for await (const batch of batchesOf(ports.results.companies(listed, done))) {
    const answer = await addBatch(portfolio, batch, state, ports)
    done += batch.length
    refused += answer.refused.length
    // Before the last look is over: a kill between the two may repeat a warning, never lose it.
    if (done === listed && refused > 0)
      yield { type: 'issue.raised', issue: refusedIssue(refused, answer.refused[0] ?? known.refusals[0]) }
    yield { type: 'portfolio.added', done, ...answer }
    ports.tick({ type: 'companies', done, total: listed })
  }
}

const refusedIssue = (count: number, example: RefusedCompany | undefined): Issue =>
  issue(
    'FETTLE_PORTFOLIO_REFUSED',
    `the service would not add ${count} of the companies${example === undefined ? '' : `, such as ${example.id}: ${example.why}`}`,
    { severity: 'warn', count },
  )

/** The portfolio stage. */
export const portfolio: Stage = {
  name: 'portfolio',
  skip: () => null,
  isDone: () => true,
  async *each() {},
  last: {
    isDone: ({ portfolio: state, companies }) => state !== null && state.id !== null && state.done >= (companies?.listed ?? 0),
    run: addAll,
  },
}
