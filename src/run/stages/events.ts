/**
 * The stages `events` and `deliver`. What happened to companies of the portfolio since the last run is read before any row is sent, since
 * answers about them are too old. The file is written once the run is at its end, and marked as processed after that: a run that stops
 * before leaves its events to its resumption or to the next run.
 */
import { counted } from '../../counted.ts'
import type { RunEventInput } from '../../journal/index.ts'
import { countKinds, countsAs } from '../../model/event-kinds.ts'
import type { CompanyEvent, Portfolio } from '../../model/requests.ts'
import type { CompanyEvents } from '../../model/results.ts'
import type { Plan } from '../../pipeline/model/types.ts'
import type { EventStore, Ports } from '../ports.ts'
import { type RunStep, type StageEvents, warning } from '../stage.ts'
import { findPortfolio } from './portfolio.ts'

/** As many as a report shows; the file has all of them. */
const MAX_LISTED = 100
/** Events per journal line: at most this many are marked again after a kill. */
const BATCH = 50
/** A service whose clock is off, or that writes times of another zone, creates events up to this long before we ask. */
const OVERLAP_MS = 48 * 3_600_000

const earlier = (since: string): string => new Date(Date.parse(since) - OVERLAP_MS).toISOString()

function findStore({ events }: Ports): EventStore {
  if (events === undefined) throw new TypeError('the ports of this run keep no events')
  return events
}

interface ListedCompany {
  readonly id: string
  readonly reference: string
}

async function withReferences(companies: readonly ListedCompany[], events: readonly CompanyEvent[], ports: Ports) {
  const references = new Map(companies.map(({ id, reference }) => [id, reference]))
  const nameless = new Set(events.map(({ company }) => company.id).filter(id => (references.get(id) ?? '') === ''))
  const keys = nameless.size === 0 ? new Map<string, string>() : await findStore(ports).keys(nameless)
  return events.map(event => ({ ...event, reference: references.get(event.company.id) || (keys.get(event.company.id) ?? '') }))
}

/** For each company of the portfolio, those without events too: nothing happened to them, which is not known of any other. */
function countByCompany(companies: readonly ListedCompany[], events: readonly CompanyEvent[]): CompanyEvents[] {
  const found = new Map<string, Record<string, number>>(companies.map(({ id }) => [id, {}]))
  for (const event of events) {
    const counts = found.get(event.company.id) ?? {}
    found.set(event.company.id, counts)
    for (const name of countsAs(event)) counts[name] = (counts[name] ?? 0) + 1
  }
  return [...found].map(([id, counts]) => ({ id, counts }))
}

async function read(portfolio: Portfolio, { events: planned, decide }: Plan, ports: Ports): Promise<RunEventInput> {
  const mark = planned?.mark === true
  const asked = new Date(ports.clock.now()).toISOString()
  const { since, ids } = await findStore(ports).known(portfolio.id)
  const from = since === null ? null : earlier(since)
  const all = await ports.portfolios.listEvents(portfolio.id, from, { signal: ports.signal })
  // One that is processed already was written by a run whose records are lost, or handled by a person.
  const found = all.filter(({ id, processed }) => !ids.has(id) && !(mark && processed))
  const isDecided = decide?.events === true
  const companies =
    found.length > 0 || isDecided ? await ports.portfolios.listCompanies(portfolio.id, { signal: ports.signal }) : []
  const events = await withReferences(companies, found, ports)
  if (isDecided) await ports.results.keepEvents(countByCompany(companies, found))
  await findStore(ports).stage(asked, events)
  return {
    type: 'events.read',
    portfolio,
    since,
    events: events.length,
    companies: new Set(events.map(({ company }) => company.id)).size,
    kinds: countKinds(events),
    listed: events.slice(0, MAX_LISTED).map(({ at, company: { id, name }, reference, rule, old, new: now }) => {
      return { at, company: { id, name }, key: reference, rule: rule.name, old, new: now }
    }),
  }
}

const NOTHING = { type: 'events.read', portfolio: null, since: null, events: 0, companies: 0, kinds: {}, listed: [] } as const

/** Also marks what a run left unmarked that did not end. */
async function* markAll(portfolio: number, total: number, before: number, ports: Ports): StageEvents {
  for (let done = before; done < total; ) {
    const ids = await findStore(ports).unmarked(portfolio)
    let isRefused = false
    const batch = ids.slice(0, BATCH)
    for (const id of batch) {
      ports.signal.throwIfAborted()
      const isMarked = await ports.portfolios.markEvent(portfolio, id, { signal: ports.grace })
      isRefused ||= !isMarked
    }
    if (isRefused) {
      const text = `the service did not mark ${counted(ids.length, 'event')} as processed; still, no later run writes them again`
      yield { type: 'issue.raised', issue: warning('FETTLE_EVENTS_UNMARKED', text, { count: ids.length }) }
    }
    await findStore(ports).marked(portfolio, isRefused ? ids : batch)
    done = isRefused ? total : total - (ids.length - batch.length)
    yield { type: 'events.marked', done, refused: isRefused }
    ports.tick({ type: 'companies', done, total })
  }
}

export const events: RunStep = {
  isDone: ({ events: state }) => state?.read != null,
  async *run({ plan, events: state }, ports) {
    if (plan.events === undefined || plan.portfolio === null || state === null) return
    const portfolio = await findPortfolio(plan.portfolio, ports)
    yield portfolio === null ? NOTHING : await read(portfolio, plan, ports)
  },
}

export const deliver: RunStep = {
  isDone: ({ events: state }) => state?.written != null && (state.isUnmarkable || state.marked >= state.written.unmarked),
  async *run({ plan, events: state }, ports) {
    if (plan.events === undefined || state === null || state.read === null) return
    const { portfolio } = state.read
    const store = findStore(ports)
    let unmarked = state.written?.unmarked ?? null
    if (unmarked === null) {
      let file = portfolio === null ? await store.deliverNone() : await store.deliver(portfolio.id)
      if (file === null && portfolio !== null) {
        // The outputs are decided about already.
        yield await read(portfolio, { ...plan, decide: undefined }, ports)
        file = await store.deliver(portfolio.id)
      }
      if (file === null) throw new TypeError('the events of this run were not stored')
      unmarked = portfolio !== null && plan.events.mark ? (await store.unmarked(portfolio.id)).length : 0
      yield { type: 'events.written', ...file, unmarked }
    }
    if (portfolio !== null) yield* markAll(portfolio.id, unmarked, state.marked, ports)
  },
}
