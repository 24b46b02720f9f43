/** The notification events of a portfolio: read from the service, written to a file, and marked once the file is in place. */
import { open } from 'node:fs/promises'
import { realClock } from '../../client/clock.ts'
import type { Client } from '../../client/index.ts'
import { FettleError } from '../../errors.ts'
import { writeAtomic } from '../../files/atomic-file.ts'
import { plainCsv } from '../../formats/text-formats.ts'
import { credentialsOf, type Env, proxiesOf } from '../env/environment.ts'
import { resolveService } from '../prepare/resolve-service.ts'

/** What happened to a company of a portfolio. */
export interface PortfolioEvent {
  readonly id: number
  /** Date of the event, as the service writes it. */
  readonly at: string
  readonly company: { readonly id: string; readonly name: string; readonly country: string }
  /** Of the company in the portfolio: the key of its row where the pipeline sets it. */
  readonly reference: string
  readonly rule: { readonly code: number; readonly name: string }
  readonly old: string
  readonly new: string
  readonly processed: boolean
}

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

const PAGE_SIZE = 1000
const COLUMNS = [
  'event_id',
  'event_date',
  'company_id',
  'company_name',
  'country',
  'reference',
  'rule',
  'rule_name',
  'old_value',
  'new_value',
]

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
    ...credentialsOf(env, {}),
    ...{ url, rate, fileHosts, insecure, proxies: proxiesOf(env), clock: realClock, stop: signal },
  })
  try {
    const portfolio = await portfolioOf(query.portfolio, client, signal)
    const events = await eventsOf(portfolio.id, query, client, signal)
    const mark = async (): Promise<void> => {
      for (const { id } of events) {
        const params = { portfolioId: String(portfolio.id), notificationEventId: String(id) }
        await client.api.markNotificationEvent({ ...params, body: { isProcessed: true } }, { signal })
      }
    }
    return await use({ portfolio, events, mark })
  } finally {
    await client.close()
  }
}

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
  const portfolioId = String(portfolio)
  const dated = since === null ? {} : { startDate: since, filterByCreatedDate: true }
  const query = { pageSize: PAGE_SIZE, sortBy: 'eventId' as const, ...dated }
  const found = []
  for await (const one of client.api.listPortfolioNotificationEvents.all({ portfolioId, query }, { signal }))
    if (!unprocessed || one.isProcessed !== true) found.push(one)
  if (found.length === 0) return []
  const companies = await client.listCompanies(portfolio, { signal })
  const references = new Map(companies.map(({ id, reference }) => [id, reference]))
  const seen = new Set<number>()
  // A page may move while it is read: an event counts once.
  return found.flatMap(one => {
    const id = one.notificationEventId
    if (seen.has(id)) return []
    seen.add(id)
    const { company } = one
    return [
      {
        ...{ id, at: one.eventDate, reference: references.get(company.id) ?? '', processed: one.isProcessed === true },
        company: { id: company.id, name: company.name ?? '', country: company.countryCode ?? '' },
        rule: { code: one.ruleCode, name: one.ruleName ?? '' },
        ...{ old: String(one.oldValue ?? ''), new: String(one.newValue ?? '') },
      },
    ]
  })
}

/** The connectIds of companies with an event: an earlier answer about one of them is too old. */
export const changedCompanies = (events: readonly Pick<PortfolioEvent, 'company'>[]): ReadonlySet<string> =>
  new Set(events.map(({ company }) => company.id))

/** Writes the events as CSV, completely or not at all. Throws FETTLE_USAGE when it would replace another file. */
export async function writeEvents(events: readonly PortfolioEvent[], path: string, shown: string): Promise<void> {
  const csv = plainCsv({ names: COLUMNS, delimiter: ',' })
  const start = await startOf(path, csv.head.length)
  if (start !== null && start !== csv.head)
    throw new FettleError('FETTLE_USAGE', `${shown} is not a file of events, and was not replaced`, {
      hint: 'Name another file.',
    })
  const rows = events.map(one => [
    ...[String(one.id), one.at, one.company.id, one.company.name, one.company.country, one.reference],
    ...[String(one.rule.code), one.rule.name, one.old, one.new],
  ])
  await writeAtomic(path, csv.head + (rows.length === 0 ? '' : csv.render(rows)), { isShared: true })
}

/** The first bytes of a file, null when it does not exist. */
async function startOf(path: string, bytes: number): Promise<string | null> {
  const file = await open(path).catch(() => null)
  if (file === null) return null
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}
