/**
 * Keeps a portfolio in step with the companies found. The portfolio is read and compared; the difference is sent as files, which the
 * service applies later; then it is read again. Both operations may be repeated, so a resume compares again and sends what is missing.
 */
import { issue } from '../../errors.ts'
import type { RunEventInput, RunState } from '../../journal/index.ts'
import type { PortfolioEntry } from '../../model/requests.ts'
import type { FoundCompany } from '../../model/results.ts'
import type { PlannedPortfolio } from '../../pipeline/model/types.ts'
import type { Ports } from '../ports.ts'

/** Companies of one import: files below 50 KB are applied fastest (contract §8). */
const CHUNK = 1000
/** Polls without a change after which the service is done with the files. */
const QUIET_POLLS = 10
const GROWTH = 1.5
const MAX_EXAMPLES = 20

interface Difference {
  readonly missing: readonly PortfolioEntry[]
  readonly gone: readonly string[]
  /** In both, with another reference. */
  readonly changed: number
  /** What the portfolio should have. */
  readonly all: readonly PortfolioEntry[]
}

/** Entries of the portfolio keep the texts that people wrote into them. */
function differenceOf(wanted: readonly FoundCompany[], present: readonly PortfolioEntry[], hasReference: boolean): Difference {
  const byId = new Map(present.flatMap(one => [one.id, one.safeNumber ?? one.id].map(id => [id, one] as const)))
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
  return { missing, gone: present.filter(one => !kept.has(one)).map(({ id }) => id), changed, all }
}

/** Why nothing may be removed; null when it may. */
function whyKept({ remove }: PlannedPortfolio, state: RunState, gone: number, present: number): string | null {
  if (remove === undefined || gone === 0) return null
  if ((state.outcomes?.failed ?? 0) > 0 || state.jobs.some(({ failure }) => failure !== null)) return 'some rows failed'
  if ((state.companies?.listed ?? 0) === 0) return 'no company was found'
  if (remove.max === null || gone <= remove.max * present) return null
  return `more than portfolio.remove.max (${Number((remove.max * 100).toFixed(3))}%)`
}

function* chunksOf(companies: readonly PortfolioEntry[]): Generator<readonly PortfolioEntry[]> {
  for (let at = 0; at < companies.length; at += CHUNK) yield companies.slice(at, at + CHUNK)
}

export async function* syncCompanies(
  plan: PlannedPortfolio,
  state: RunState,
  portfolio: number,
  wanted: readonly FoundCompany[],
  ports: Ports,
): AsyncGenerator<RunEventInput, readonly string[], void> {
  const read = () => ports.portfolios.listCompanies(portfolio, { signal: ports.signal })
  const compare = (present: readonly PortfolioEntry[]) => differenceOf(wanted, present, plan.reference !== null)
  const present = await read()
  const difference = compare(present)
  const { missing, gone, changed } = difference
  let compared = state.portfolio?.compared ?? null
  if (compared === null) {
    const why = whyKept(plan, state, gone.length, present.length)
    if (why !== null) {
      const text = `${gone.length} of the ${present.length} companies of the portfolio are gone from the list and were not removed: ${why}`
      yield { type: 'issue.raised', issue: issue('FETTLE_PORTFOLIO_KEPT', text, { severity: 'warn', count: gone.length }) }
    }
    compared = {
      ...{ present: present.length, missing: missing.length, gone: gone.length },
      ...{ removes: plan.remove !== undefined && why === null, examples: gone.slice(0, MAX_EXAMPLES) },
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
    for (const companies of kind === 'sync' ? [difference.all] : chunksOf(missing)) {
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
    yield { type: 'issue.raised', issue: issue('FETTLE_PORTFOLIO_KEPT', text, { severity: 'warn', count: after.gone.length }) }
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
