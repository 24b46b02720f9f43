/** Values that several parts of the report have: no import beyond zod, since the page of a report reads their types. */
import { z } from 'zod'

export const known = z.int().nonnegative()
export const count = known.nullable()
export const text = z.string().nullable()
export const sha256 = z.string().describe('SHA-256, lower-case hex')
export const bytes = known.describe('size in bytes')
export const at = z.iso.datetime({ precision: 3 }).describe('UTC, with milliseconds')
export const ms = z.number().nonnegative().describe('milliseconds')
export const share = z.number().nonnegative().nullable()
export const row = known.describe('data row from 1')
export const key = text.describe('its key, when the pipeline names one')
export const name = z.string().describe('the name in the list')
export const company = z
  .object({ id: z.string().describe('its connectId'), name: z.string().describe('its name') })
  .describe('the company')
