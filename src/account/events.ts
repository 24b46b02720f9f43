/** The notification events of a portfolio: read from the service, written to a file, and marked once the file is in place. */
import type { Client } from '../client/index.ts'
import { type Env, findProxies } from '../env/environment.ts'
import { readCredentials } from '../env/trust.ts'
import { FettleError } from '../errors.ts'
import { writeAtomic } from '../files/atomic-file.ts'
import type { KeyedEvent } from '../model/requests.ts'
import { resolveService } from '../prepare/resolve-service.ts'
import { eventsCsv, requireEventsFile } from '../results/output/events-file.ts'
import { openClient } from './account.ts'

export interface EventsQuery {
  /** A name, or a number. */
  readonly portfolio: string
  /** Created at this time or later, ISO 8601; null for all. */
  readonly since: string | null
  /** Only those that are not marked as processed. */
  readonly unprocessed: boolean
}

interface EventsPlace {
  readonly env: Env
  readonly service: string | null
  readonly signal: AbortSignal
}

interface OpenEvents {
  readonly portfolio: { readonly id: number; readonly name: string }
  readonly events: readonly KeyedEvent[]
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
  const credentials = readCredentials(env, service, {}, place.service)
  const client = await openClient({ service, credentials, proxies: findProxies(env), signal })
  try {
    const portfolio = await findPortfolio(query.portfolio, client, signal)
    const events = await listEvents(portfolio.id, query, client, signal)
    const portfolioId = String(portfolio.id)
    const mark = async (): Promise<void> => {
      for (const { id } of events)
        await client.api.markNotificationEvent(
          { portfolioId, notificationEventId: String(id), body: { isProcessed: true } },
          { signal },
        )
    }
    return await use({ portfolio, events, mark })
  } finally {
    await client.close()
  }
}

async function findPortfolio(wanted: string, client: Client, signal: AbortSignal) {
  const byName = await client.findPortfolios(wanted, { signal })
  if (byName.length === 1) return byName[0]!
  if (byName.length > 1) {
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

async function listEvents(portfolio: number, { since, unprocessed }: EventsQuery, client: Client, signal: AbortSignal) {
  const all = await client.listEvents(portfolio, since, { signal })
  const events = all.filter(({ processed }) => !(unprocessed && processed))
  if (events.length === 0) return []
  const companies = await client.listCompanies(portfolio, { signal })
  const references = new Map(companies.map(({ id, reference }) => [id, reference]))
  return events.map((event): KeyedEvent => ({ ...event, reference: references.get(event.company.id) ?? '' }))
}

/** Writes the events as CSV, completely or not at all. Throws FETTLE_USAGE when it would replace another file. */
export async function writeEvents(events: readonly KeyedEvent[], path: string, shown: string): Promise<void> {
  await requireEventsFile(path, shown)
  await writeAtomic(path, eventsCsv(events), { isShared: true })
}
