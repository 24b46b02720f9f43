/**
 * The portfolio stage: opens the portfolio, which is created when none has its name, sets its rules, and adds the companies found, one
 * by one or as files. Adding a company again does no harm: the service reports that it is present. With `sync` the portfolio is read and
 * compared; the difference is sent as files, which the service applies later; then it is read again. Both operations may be repeated, so a
 * resume compares again and sends what is missing.
 */
import pLimit from 'p-limit'
import { FettleError } from '../../errors.ts'
import type { PortfolioState, RefusedCompany, RunEventInput, RunState } from '../../journal/index.ts'
import type { Portfolio, PortfolioEntry, PortfolioRule } from '../../model/requests.ts'
import type { FoundCompany } from '../../model/results.ts'
import type { PlannedPortfolio, PlannedRule } from '../../pipeline/model/types.ts'
import type { Ports } from '../ports.ts'
import { type RunStep, refusalIssue, refusalReason, type StageEvents, warning } from '../stage.ts'

/** Companies per journal event: at most this many are added again after a kill. */
const BATCH = 50

async function* openPortfolio(
  plan: PlannedPortfolio,
  state: PortfolioState,
  key: string,
  ports: Ports,
): AsyncGenerator<RunEventInput, number> {
  if (state.id !== null) return state.id
  const found = (id: number, name: string, created: boolean): RunEventInput => ({ type: 'portfolio.found', id, name, created })
  if (plan.id !== null) {
    const { id, name } = await ports.portfolios.readPortfolio(plan.id, { signal: ports.signal }).catch(missing(plan.id))
    yield found(id, name, false)
    return id
  }
  const name = plan.name!
  const look = async (): Promise<Portfolio | undefined> =>
    onlyOne(name, await ports.portfolios.findPortfolios(name, { signal: ports.grace }))
  const existing = await look()
  if (existing !== undefined) {
    yield found(existing.id, existing.name, state.requested)
    return existing.id
  }
  if (!state.requested) yield { type: 'portfolio.requested', name }
  const { value } = await ports.portfolios.createPortfolio(name, { look, key, signal: ports.grace })
  yield found(value.id, value.name, true)
  return value.id
}

/** The portfolio of a plan; null when none has its name. Throws FETTLE_PORTFOLIO when several have, or none has its id. */
export async function findPortfolio(plan: PlannedPortfolio, ports: Ports): Promise<Portfolio | null> {
  if (plan.id !== null) return ports.portfolios.readPortfolio(plan.id, { signal: ports.signal }).catch(missing(plan.id))
  return onlyOne(plan.name!, await ports.portfolios.findPortfolios(plan.name!, { signal: ports.signal })) ?? null
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
    hint: `Name one by its id: portfolio: { id: ${first.id} }.`,
  })
}

type Companies = AsyncIterable<FoundCompany> | readonly FoundCompany[]

async function* readBatches(companies: Companies): AsyncGenerator<FoundCompany[]> {
  let batch: FoundCompany[] = []
  for await (const company of companies) {
    batch.push(company)
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** Adds a batch of companies. When all are refused the portfolio itself may be gone: that error ends the stage. */
async function addBatch(portfolio: number, batch: readonly FoundCompany[], { plan }: RunState, ports: Ports) {
  const limit = pLimit(plan.concurrency)
  const answers = await Promise.allSettled(
    batch.map(({ id, reference }) =>
      limit(() => ports.portfolios.addCompany(portfolio, { id, reference }, { signal: ports.signal })),
    ),
  )
  const refused: RefusedCompany[] = []
  for (const [index, answer] of answers.entries()) {
    if (answer.status === 'fulfilled') continue
    const why = refusalReason(answer.reason)
    if (why === null) throw answer.reason
    refused.push({ id: batch[index]!.id, why })
  }
  if (refused.length === batch.length)
    await ports.portfolios.readPortfolio(portfolio, { signal: ports.signal }).catch(missing(portfolio))
  const count = (result: 'added' | 'present'): number =>
    answers.filter(answer => answer.status === 'fulfilled' && answer.value === result).length
  return { added: count('added'), present: count('present'), refused }
}

interface Remaining {
  readonly companies: Companies
  /** Companies of the list that are handled already. */
  readonly done: number
}

async function* addCompanies(state: RunState, portfolio: number, remaining: Remaining, ports: Ports): StageEvents {
  const { companies } = remaining
  let { done } = remaining
  const before = state.portfolio!
  const { listed = 0 } = state.companies ?? {}
  let { refused } = before
  for await (const batch of readBatches(companies)) {
    const result = await addBatch(portfolio, batch, state, ports)
    done += batch.length
    refused += result.refused.length
    // Before the event that completes the stage: a kill between the two may repeat the warning, but not lose it.
    if (done === listed && refused > 0) {
      const summary = `the service would not add ${refused} of the companies`
      const example = result.refused[0] ?? before.refusals[0]
      yield { type: 'issue.raised', issue: refusalIssue('FETTLE_PORTFOLIO_REFUSED', summary, refused, example) }
    }
    yield { type: 'portfolio.added', done, ...result }
    ports.tick({ type: 'companies', done, total: listed })
  }
}

async function* run(state: RunState, ports: Ports): StageEvents {
  const plan = state.plan.portfolio
  const before = state.portfolio
  if (plan == null || before === null) return
  const { listed = 0 } = state.companies ?? {}
  const portfolio = yield* openPortfolio(plan, before, `${state.jobName}-portfolio`, ports)
  yield* setRules(plan, before, portfolio, ports)
  if (plan.sync !== true) {
    const { done } = before
    return yield* addCompanies(state, portfolio, { companies: ports.results.companies(listed, done), done }, ports)
  }
  const found: FoundCompany[] = []
  for await (const company of ports.results.companies(listed, 0)) found.push(company)
  const isSettled = before.left !== null
  const left = before.left ?? (yield* syncCompanies(plan, state, { portfolio, wanted: found }, ports))
  // The companies that the files did not bring, from the first that is not handled.
  const done = isSettled ? before.done : listed - left.length
  const wanted = new Set(left.slice(left.length - (listed - done)))
  const companies = found.filter(({ id }) => wanted.has(id))
  yield* addCompanies(state, portfolio, { companies, done }, ports)
}

export const portfolio: RunStep = {
  isDone: ({ plan, portfolio: state, companies }) =>
    state !== null &&
    state.id !== null &&
    hasRules(plan.portfolio!, state) &&
    (plan.portfolio?.sync !== true || state.left !== null) &&
    state.done >= (companies?.listed ?? 0),
  run,
}

const hasRules = ({ rules = {} }: PlannedPortfolio, state: PortfolioState): boolean =>
  Object.keys(rules).every(country => state.rules[country] !== undefined)

/** Setting a rule twice does no harm, so a kill between request and event needs no look. */
async function* setRules(plan: PlannedPortfolio, state: PortfolioState, portfolio: number, ports: Ports): StageEvents {
  for (const [country, wanted] of Object.entries(plan.rules ?? {})) {
    if (state.rules[country] !== undefined) continue
    const present = await ports.portfolios.readRules(portfolio, country, { signal: ports.signal })
    const rules = wantedRules(country, wanted, present)
    const changed = rules.some((rule, place) => !isSame(rule, present[place]!))
    if (changed) await ports.portfolios.setRules(portfolio, country, rules, { signal: ports.grace })
    yield { type: 'portfolio.ruled', country, active: rules.filter(({ active }) => active).length, changed }
  }
}

/** Every rule of the country, on or off. Throws FETTLE_PORTFOLIO for a rule that the service does not have. */
function wantedRules(
  country: string,
  wanted: 'default' | readonly PlannedRule[],
  present: readonly PortfolioRule[],
): readonly PortfolioRule[] {
  if (wanted === 'default') return present.map(rule => ({ ...rule, active: true }))
  const unknown = wanted.find(({ code }) => !present.some(rule => rule.code === code))
  if (unknown !== undefined) {
    const codes = present.map(({ code }) => code).join(', ')
    throw new FettleError('FETTLE_PORTFOLIO', `portfolio.rules: the service has no rule ${unknown.code} of ${country}`, {
      hint: codes === '' ? `It has no rules of ${country}.` : `Choose from ${codes}.`,
    })
  }
  return present.map(rule => {
    const own = wanted.find(({ code }) => code === rule.code)
    if (own === undefined) return { ...rule, active: false }
    const [first, second, third] = rule.params
    return { ...rule, active: true, params: [own.param0 ?? first, own.param1 ?? second, own.param2 ?? third] }
  })
}

const isSame = (rule: PortfolioRule, other: PortfolioRule): boolean =>
  rule.active === other.active && (!rule.active || rule.params.join('\n') === other.params.join('\n'))

/** Companies of one import: files below 50 KB are applied fastest (contract §8). */
const CHUNK = 1000
/** Polls without a change after which the service is done with the files. */
const QUIET_POLLS = 10
const GROWTH = 1.5
const MAX_EXAMPLES = 20

/**
 * `changed`: companies with a new reference; `all`: what the portfolio should have. Its entries keep the texts that people wrote into
 * them.
 */
function compareCompanies(wanted: readonly FoundCompany[], present: readonly PortfolioEntry[], hasReference: boolean) {
  const byId = new Map(present.flatMap(entry => [entry.id, entry.safeNumber ?? entry.id].map(id => [id, entry] as const)))
  const kept = new Set<PortfolioEntry>()
  const missing: PortfolioEntry[] = []
  let changed = 0
  const all = wanted.map(({ id, reference }) => {
    const before = byId.get(id)
    if (before === undefined) {
      const entry = { id, reference, freeText: '', personalLimit: '' }
      missing.push(entry)
      return entry
    }
    kept.add(before)
    if (!hasReference || before.reference === reference) return before
    changed++
    return { ...before, reference }
  })
  return { missing, gone: present.filter(entry => !kept.has(entry)).map(({ id }) => id), changed, all }
}

/** Why nothing may be removed; null when it may. */
function whyKept({ remove }: PlannedPortfolio, state: RunState, gone: number, present: number): string | null {
  if (remove === undefined || gone === 0) return null
  if ((state.outcomes?.failed ?? 0) > 0 || state.jobs.some(({ failure }) => failure !== null)) return 'some rows failed'
  if ((state.companies?.listed ?? 0) === 0) return 'no company was found'
  if (remove.max === null || gone <= remove.max * present) return null
  return `more than portfolio.remove.max (${Number((remove.max * 100).toFixed(3))}%)`
}

function* cutChunks(companies: readonly PortfolioEntry[]): Generator<readonly PortfolioEntry[]> {
  for (let at = 0; at < companies.length; at += CHUNK) yield companies.slice(at, at + CHUNK)
}

async function* syncCompanies(
  plan: PlannedPortfolio,
  state: RunState,
  { portfolio, wanted }: { readonly portfolio: number; readonly wanted: readonly FoundCompany[] },
  ports: Ports,
): AsyncGenerator<RunEventInput, readonly string[], void> {
  const read = () => ports.portfolios.listCompanies(portfolio, { signal: ports.signal })
  const compare = (present: readonly PortfolioEntry[]) => compareCompanies(wanted, present, plan.reference !== null)
  const present = await read()
  const difference = compare(present)
  const { missing, gone, changed } = difference
  let compared = state.portfolio?.compared ?? null
  if (compared === null) {
    const why = whyKept(plan, state, gone.length, present.length)
    if (why !== null) {
      const text = `${gone.length} of the ${present.length} companies of the portfolio are gone from the list and were not removed: ${why}`
      yield { type: 'issue.raised', issue: warning('FETTLE_PORTFOLIO_KEPT', text, { count: gone.length }) }
    }
    compared = {
      present: present.length,
      missing: missing.length,
      gone: gone.length,
      removes: plan.remove !== undefined && why === null,
      examples: gone.slice(0, MAX_EXAMPLES),
    }
    yield { type: 'portfolio.compared', changed, ...compared }
  }
  // First all that are missing, then all that are gone: each changes the number of companies, which shows when it is applied.
  const kinds = [
    ...(missing.length > 0 ? ['import' as const] : []),
    ...(compared.removes && gone.length + changed > 0 ? ['sync' as const] : []),
  ]
  let isSent = false
  for (const kind of (state.portfolio?.takesFiles ?? true) ? kinds : []) {
    let status: string | null = null
    const expected = kind === 'sync' ? wanted.length : present.length + missing.length
    for (const companies of kind === 'sync' ? [difference.all] : cutChunks(missing)) {
      yield { type: 'portfolio.sending', kind, companies: companies.length }
      status = await ports.portfolios.sendCompanies(portfolio, kind, companies, { signal: ports.grace })
      yield status === null
        ? { type: 'portfolio.unavailable', kind }
        : { type: 'portfolio.sent', kind, companies: companies.length, status }
      if (status === null) break
    }
    isSent ||= status !== null
    if (status !== null) await applied(portfolio, expected, state.plan.poll, ports)
  }
  const after = isSent ? compare(await read()) : difference
  const listed = wanted.length
  const left = after.missing.map(({ id }) => id)
  if (compared.removes && after.gone.length > 0) {
    const text = `${after.gone.length} companies of the portfolio are gone from the list and were not removed: the service did not apply the file`
    yield { type: 'issue.raised', issue: warning('FETTLE_PORTFOLIO_KEPT', text, { count: after.gone.length }) }
  }
  yield {
    type: 'portfolio.settled',
    done: listed - after.missing.length,
    added: Math.max(0, compared.missing - after.missing.length),
    present: listed - compared.missing,
    removed: compared.removes ? Math.max(0, compared.gone - after.gone.length) : 0,
    left,
  }
  return left
}

/** Waits until the portfolio has `expected` companies, or its number does not change any more. */
async function applied(
  portfolio: number,
  expected: number,
  { everyMs, maxMs }: RunState['plan']['poll'],
  ports: Ports,
): Promise<void> {
  let pause = everyMs
  let last = -1
  for (let quiet = 0; quiet < QUIET_POLLS; ) {
    const count = await ports.portfolios.countCompanies(portfolio, { signal: ports.signal })
    if (count === expected) return
    ports.tick({ type: 'companies', done: Math.min(count, expected), total: expected })
    if (count === last) quiet++
    else [quiet, pause] = [0, everyMs]
    last = count
    await ports.clock.sleep(pause, ports.signal)
    pause = Math.min(maxMs, pause * GROWTH)
  }
}
