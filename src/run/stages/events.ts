/**
 * The events stage: what happened to companies of the portfolio since the last run goes to a file, before any row goes up. Events are read
 * again until they are staged; the rename of the file decides which run wrote them; marking is repeated until it is done.
 */
import { counted } from '../../counted.ts'
import { issue } from '../../errors.ts'
import type { RunEventInput, RunState } from '../../journal/index.ts'
import { countKinds } from '../../model/event-kinds.ts'
import type { CompanyEvent, Portfolio } from '../../model/requests.ts'
import type { EventStore, Ports } from '../ports.ts'
import type { RunStep, StageEvents } from '../stage.ts'
import { findPortfolio } from './portfolio.ts'

/** As many as a report shows; the file has all of them. */
const MAX_LISTED = 100
/** Events per journal line: at most this many are marked again after a kill. */
const BATCH = 50
/** A service whose clock is off, or that writes times of another zone, creates events up to this long before we ask. */
const OVERLAP_MS = 48 * 3_600_000

const earlier = (since: string): string => new Date(Date.parse(since) - OVERLAP_MS).toISOString()

function storeOf({ events }: Ports): EventStore {
  if (events === undefined) throw new TypeError('the ports of this run keep no events')
  return events
}

async function withReferences(portfolio: Portfolio, events: readonly CompanyEvent[], ports: Ports) {
  if (events.length === 0) return []
  const companies = await ports.portfolios.listCompanies(portfolio.id, { signal: ports.signal })
  const references = new Map(companies.map(({ id, reference }) => [id, reference]))
  const nameless = new Set(events.map(({ company }) => company.id).filter(id => (references.get(id) ?? '') === ''))
  const keys = nameless.size === 0 ? new Map<string, string>() : await storeOf(ports).keys(nameless)
  return events.map(one => ({ ...one, reference: references.get(one.company.id) || (keys.get(one.company.id) ?? '') }))
}

type EventsRead = Extract<RunEventInput, { type: 'events.read' }>

async function read(portfolio: Portfolio, mark: boolean, ports: Ports): Promise<EventsRead> {
  const asked = new Date(ports.clock.now()).toISOString()
  const { since, ids, kept, unmarked } = await storeOf(ports).known(portfolio.id)
  const from = since === null ? null : earlier(since)
  const all = await ports.portfolios.listEvents(portfolio.id, from, { signal: ports.signal })
  // One that is processed already was written by a run whose records are lost, or handled by a person.
  const found = all.filter(({ id, processed }) => !ids.has(id) && !(mark && processed))
  const events = [...kept, ...(await withReferences(portfolio, found, ports))]
  await storeOf(ports).stage(portfolio.id, asked, events)
  return {
    type: 'events.read',
    ...{
      portfolio,
      since,
      events: events.length,
      again: kept.length,
      unmarked,
      companies: new Set(events.map(({ company }) => company.id)).size,
    },
    kinds: countKinds(events),
    listed: events.slice(0, MAX_LISTED).map(({ at, company: { id, name }, reference, rule, old, new: now }) => {
      return { at, company: { id, name }, key: reference, rule: rule.name, old, new: now }
    }),
  }
}

const NOTHING = { type: 'events.read', portfolio: null, since: null, events: 0, companies: 0, kinds: {}, listed: [] } as const

interface EventCounts {
  readonly events: number
  readonly unmarked?: number | undefined
}

const toMark = ({ events, unmarked = 0 }: EventCounts): number => events + unmarked

/** Also marks what a run that did not end left unmarked. */
async function* markAll(portfolio: number, total: number, ports: Ports): StageEvents {
  for (let left = total; left > 0; ) {
    const ids = await storeOf(ports).unmarked(portfolio)
    let isRefused = false
    const batch = ids.slice(0, BATCH)
    for (const id of batch) {
      ports.signal.throwIfAborted()
      const isMarked = await ports.portfolios.markEvent(portfolio, id, { signal: ports.grace })
      isRefused ||= !isMarked
    }
    if (isRefused) {
      const text = `the service did not mark ${counted(ids.length, 'event')} as processed; still, no later run writes them again`
      yield { type: 'issue.raised', issue: issue('FETTLE_EVENTS_UNMARKED', text, { severity: 'warn', count: ids.length }) }
    }
    await storeOf(ports).marked(portfolio, isRefused ? ids : batch)
    left = ids.length - batch.length
    const done = total - left
    yield { type: 'events.marked', done, refused: isRefused }
    if (isRefused) return
    ports.tick({ type: 'companies', done, total })
  }
}

async function* run(state: RunState, ports: Ports): StageEvents {
  const { events: plan, portfolio: planned } = state.plan
  const before = state.events
  if (plan == null || planned == null || before === null) return
  let found: EventCounts | null = before.read
  let portfolio = before.read?.portfolio ?? null
  if (before.written === null) {
    portfolio ??= await findPortfolio(planned, ports)
    if (portfolio === null) {
      if (before.read === null) yield NOTHING
      return yield { type: 'events.written', ...(await storeOf(ports).writeNone()) }
    }
    if (found === null || !(await storeOf(ports).isOurs(portfolio.id))) {
      const event = await read(portfolio, plan.mark, ports)
      found = event
      yield event
    }
    yield { type: 'events.written', ...(await storeOf(ports).publish(portfolio.id)) }
  }
  if (plan.mark && portfolio !== null && found !== null) yield* markAll(portfolio.id, toMark(found), ports)
}

export const events: RunStep = {
  isDone: ({ plan, events: state }) => {
    if (state?.read == null) return false
    const hasMarks = state.read.portfolio !== null && plan.events?.mark === true
    const isMarked = !hasMarks || state.isUnmarkable || state.marked >= toMark(state.read)
    return state.written !== null && isMarked
  },
  run,
}
