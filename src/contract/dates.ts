/** Dates as the service writes them: contract §2.2. */
import { z } from 'zod'
import { written } from './schemas.ts'

const WIRE = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(Z|[+-]\d{2}:?\d{2})?$/

/**
 * The instant of a date-time of the service, in milliseconds since 1970; null when it is not one. `T` or a space, 0 to 9
 * fractional digits, and without a zone it is UTC (contract §2.6).
 */
export function parseWireDate(text: string): number | null {
  const parts = WIRE.exec(text.trim())
  if (parts === null) return null
  const [, day, time, fraction = '', zone = 'Z'] = parts
  // Date.parse takes the 30th of February for the 2nd of March.
  const isDay = new Date(Date.parse(`${day}T00:00:00Z`) || 0).toISOString().startsWith(`${day}T`)
  const millis = Date.parse(`${day}T${time}.${fraction.slice(0, 3).padEnd(3, '0')}${zone}`)
  return !isDay || Number.isNaN(millis) ? null : millis
}

/** An instant as the data-cleaning operations write it: no zone, seven fractional digits (contract §2.2). */
export const formatWireDate = (millis: number): string => `${new Date(millis).toISOString().slice(0, -1)}0000`

/** A date-time string as it comes: kept as text, since a form we cannot read must not lose the answer around it. */
export const wireDate = z.string().describe('date-time; without a zone it is UTC, up to nine fractional digits')

/** The same, where the service writes a zone. */
export const zonedDate = written(wireDate, { type: 'string', format: 'date-time' })

/** An instant as the monitoring operations write it: a space, whole seconds, no zone (contract §2.2). */
export const formatSpacedDate = (millis: number): string => new Date(millis).toISOString().slice(0, 19).replace('T', ' ')
