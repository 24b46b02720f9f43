/** The CSV file of the events of a portfolio. */
import { open } from 'node:fs/promises'
import { FettleError } from '../../errors.ts'
import { plainCsv } from '../../formats/text-formats.ts'
import type { KeyedEvent } from '../../model/requests.ts'

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

/** Throws FETTLE_USAGE when a file of events would replace another. */
export async function requireEventsFile(path: string, shown: string): Promise<void> {
  const start = await readStart(path, CSV.head.length)
  if (start === null || start === CSV.head) return
  throw new FettleError('FETTLE_USAGE', `${shown} is not a file of events, and was not replaced`, { hint: 'Name another file.' })
}

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
