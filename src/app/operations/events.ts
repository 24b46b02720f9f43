/** The notification events of a portfolio: read from the service, written to a file, and marked once the file is in place. */
import { realClock } from '../../client/clock.ts'
import type { Client } from '../../client/index.ts'
import { FettleError } from '../../errors.ts'
import { writeAtomic } from '../../files/atomic-file.ts'
import type { KeyedEvent } from '../../model/requests.ts'
import { eventsCsv, requireEventsFile } from '../../results/output/events-file.ts'
import { type Env, proxiesOf } from '../env/environment.ts'
import { credentialsOf } from '../env/trust.ts'
import { resolveService } from '../prepare/resolve-service.ts'

export type PortfolioEvent = KeyedEvent

export interface EventsQuery {
  /** A name, or a number. */
  readonly portfolio: string
  /** Created at this time or later, ISO 8601; null for all. */
  readonly since: string | null
  /** Only those that are not marked as processed. */
  readonly unprocessed: boolean
}

export interface EventsPlace {
  readonly env: Env
  readonly service: string | null
  readonly signal: AbortSignal
}

export interface OpenEvents {
  readonly portfolio: { readonly id: number; readonly name: string }
  readonly events: readonly PortfolioEvent[]
  /** Marks the events as processed; those that are marked stay so when it is interrupted. */
  mark(): Promise<void>
}

/** Reads events and calls `use` with them while the connection is open. Throws FETTLE_PORTFOLIO for an unknown portfolio. */
export async function withEvents<T>(query: EventsQuery, place: EventsPlace, use: (found: OpenEvents) => Promise<T>): Promise<T> {
  const { env, signal } = place
  const service = resolveService(place, { service: null })
  if (service.kind === 'embedded')
    throw new FettleError('FETTLE_USAGE', 'the portfolios of an embedded service end with its run', {
      hint: 'Name a service: set FETTLE_URL.',
    })
  const { connect } = await import('../../client/index.ts')
  const { url, rate, fileHosts, insecure } = service
  const client = connect({
    ...credentialsOf(env, service, {}, place.service),
    ...{ url, rate, fileHosts, insecure, proxies: proxiesOf(env), clock: realClock, stop: signal },
  })
  try {
    const portfolio = await portfolioOf(query.portfolio, client, signal)
    const events = await eventsOf(portfolio.id, query, client, signal)
    const mark = async (): Promise<void> => {
      for (const { id } of events) await client.api.markNotificationEvent(markOf(portfolio.id, id), { signal })
    }
    return await use({ portfolio, events, mark })
  } finally {
    await client.close()
  }
}

const markOf = (portfolio: number, event: number) => ({
  ...{ portfolioId: String(portfolio), notificationEventId: String(event) },
  body: { isProcessed: true },
})

async function portfolioOf(wanted: string, client: Client, signal: AbortSignal) {
  const byName = await client.findPortfolios(wanted, { signal })
  const [first, second] = byName
  if (first !== undefined && second === undefined) return first
  if (second !== undefined) {
    const ids = byName.map(({ id }) => id).join(', ')
    throw new FettleError('FETTLE_PORTFOLIO', `several portfolios are called "${wanted}": ${ids}`, {
      hint: 'Name one of them by its number.',
    })
  }
  const unknown = new FettleError('FETTLE_PORTFOLIO', `there is no portfolio "${wanted}" for this user`, {
    hint: 'Check the name (case matters), or give the number.',
  })
  if (!/^\d{1,15}$/.test(wanted)) throw unknown
  return client.readPortfolio(Number(wanted), { signal }).catch((error: unknown) => {
    throw FettleError.is(error) && error.status === 404 ? unknown : error
  })
}

async function eventsOf(
  portfolio: number,
  { since, unprocessed }: EventsQuery,
  client: Client,
  signal: AbortSignal,
): Promise<PortfolioEvent[]> {
  const all = await client.listEvents(portfolio, since, { signal })
  const found = all.filter(({ processed }) => !(unprocessed && processed))
  if (found.length === 0) return []
  const companies = await client.listCompanies(portfolio, { signal })
  const references = new Map(companies.map(({ id, reference }) => [id, reference]))
  return found.map(one => ({ ...one, reference: references.get(one.company.id) ?? '' }))
}

/** Writes the events as CSV, completely or not at all. Throws FETTLE_USAGE when it would replace another file. */
export async function writeEvents(events: readonly PortfolioEvent[], path: string, shown: string): Promise<void> {
  await requireEventsFile(path, shown)
  await writeAtomic(path, eventsCsv(events), { isShared: true })
}
