/** The CSV file of the events of a portfolio. */
import { open, readFile } from 'node:fs/promises'
import { parse } from 'csv-parse/sync'
import { FettleError } from '../../errors.ts'
import { plainCsv } from '../../formats/text-formats.ts'
import type { KeyedEvent } from '../../model/requests.ts'

// biome-ignore format: a header reads better in rows
const COLUMNS = [
  'event_id', 'event_date', 'company_id', 'company_name', 'country', 'reference', 'rule', 'rule_name', 'old_value', 'new_value',
] as const
const CSV = plainCsv({ names: COLUMNS, delimiter: ',' })

export const eventsCsv = (events: readonly KeyedEvent[]): string => {
  const rows = events.map(one => [
    ...[String(one.id), one.at, one.company.id, one.company.name, one.company.country, one.reference],
    ...[String(one.rule.code ?? ''), one.rule.name, one.old, one.new],
  ])
  return CSV.head + (rows.length === 0 ? '' : CSV.render(rows))
}

/** Throws FETTLE_USAGE when a file of events would replace another. */
export async function requireEventsFile(path: string, shown: string): Promise<void> {
  const start = await startOf(path, CSV.head.length)
  if (start === null || start === CSV.head) return
  throw new FettleError('FETTLE_USAGE', `${shown} is not a file of events, and was not replaced`, { hint: 'Name another file.' })
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

export async function readEventsFile(path: string): Promise<KeyedEvent[]> {
  const rows = parse(await readFile(path), { columns: true }) as Record<(typeof COLUMNS)[number], string>[]
  return rows.map(row => ({
    ...{ id: Number(row.event_id), at: row.event_date, processed: false, old: row.old_value, new: row.new_value },
    company: { id: row.company_id, name: row.company_name, country: row.country },
    ...{ reference: row.reference, rule: { code: row.rule === '' ? null : Number(row.rule), name: row.rule_name } },
  }))
}
