/** The CSV files of the events of a portfolio, and of the alerts of searches under monitoring. */
import { open } from 'node:fs/promises'
import { FettleError } from '../../errors.ts'
import { plainCsv } from '../../formats/text-formats.ts'
import type { CompanyAlert, KeyedEvent } from '../../model/requests.ts'

// biome-ignore format: a header reads better in rows
const COLUMNS = [
  'event_id', 'event_date', 'company_id', 'company_name', 'country', 'reference', 'rule', 'rule_name', 'old_value', 'new_value',
] as const
const CSV = plainCsv({ names: COLUMNS, delimiter: ',' })

export const eventsCsv = (events: readonly KeyedEvent[]): string => {
  const rows = events.map(event => [
    ...[String(event.id), event.at, event.company.id, event.company.name, event.company.country, event.reference],
    ...[String(event.rule.code ?? ''), event.rule.name, event.old, event.new],
  ])
  return CSV.head + (rows.length === 0 ? '' : CSV.render(rows))
}

// biome-ignore format: a header reads better in rows
const ALERT_COLUMNS = [
  'hit_id', 'found_at', 'company_id', 'company_name', 'search_id', 'schedule_id', 'listed_name', 'matched', 'score', 'datasets', 'countries', 'decision',
  'person',
] as const
const ALERT_CSV = plainCsv({ names: ALERT_COLUMNS, delimiter: ',' })
/** What a file of an earlier version has in common with it. */
const ALERT_START = ALERT_COLUMNS.slice(0, -1).join(',')

export const alertsCsv = (alerts: readonly CompanyAlert[]): string => {
  const rows = alerts.map(alert => [
    ...[alert.id, alert.at, alert.companies.join('|'), alert.searched, alert.searchId, alert.scheduleId, alert.name, alert.match],
    ...[String(alert.score), alert.datasets.join('|'), alert.countries.join('|'), alert.decision, alert.person],
  ])
  return ALERT_CSV.head + (rows.length === 0 ? '' : ALERT_CSV.render(rows))
}

/** Throws FETTLE_USAGE when a file of `what` would replace another. */
async function requireOwnFile(path: string, shown: string, head: string, what: string): Promise<void> {
  const start = await readStart(path, head.length)
  if (start === null || start === head) return
  throw new FettleError('FETTLE_USAGE', `${shown} is not a file of ${what}, and was not replaced`, { hint: 'Name another file.' })
}

export const requireEventsFile = (path: string, shown: string): Promise<void> => requireOwnFile(path, shown, CSV.head, 'events')
export const requireAlertsFile = (path: string, shown: string): Promise<void> =>
  requireOwnFile(path, shown, ALERT_START, 'alerts')

/** The first bytes of a file, null when it does not exist. */
async function readStart(path: string, bytes: number): Promise<string | null> {
  const file = await open(path).catch(() => null)
  if (file === null) return null
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await file.close()
  }
}
