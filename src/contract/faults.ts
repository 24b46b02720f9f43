/** Error bodies in all the shapes the service uses: contract §2.5 and the reading rule of §2.6. */
import { z } from 'zod'
import { lazy } from './schemas.ts'

/** The shape the embedded service writes for 400, 404, 409 and every other status without a special rule. */
export const faultBody = lazy(() =>
  z.looseObject({
    correlationId: z.string(),
    message: z.string(),
    details: z.string(),
  }),
)

/** 401 on every operation but login. */
export const unauthorisedBody = lazy(() => z.looseObject({ error: z.string() }))

/** 401 on login, 403, 301, 429. */
export const messageBody = lazy(() => z.looseObject({ message: z.string() }))

/** What could be read from an error body: a text, null when absent, and the service's id of the request. */
export interface Fault {
  readonly text: string | null
  readonly correlationId: string | null
}

const TEXT_KEYS = ['message', 'error', 'title', 'detail', 'details'] as const

const readText = (value: unknown): string | null => {
  if (typeof value === 'string') return value.trim() === '' ? null : value.trim()
  if (Array.isArray(value)) return value.map(readText).find(text => text !== null) ?? null
  return null
}

const fieldErrors = (value: unknown): string | null => {
  if (typeof value !== 'object' || value === null) return null
  const parts = Object.entries(value).flatMap(([field, texts]) => {
    const text = readText(texts)
    return text === null ? [] : [`${field}: ${text}`]
  })
  return parts.length === 0 ? null : parts.join('; ')
}

/**
 * Reads an error body tolerantly: the first of message, error, title, detail, details that holds text, with `details` added
 * where it adds something; a body that is a JSON string holding such an object is opened once (contract §2.5, 404).
 */
export function readFault(body: unknown): Fault {
  if (typeof body === 'string') {
    if (body.trimStart().startsWith('{')) {
      try {
        return readFault(JSON.parse(body))
      } catch {
        // Not JSON after all: the text itself is the message.
      }
    }
    return { text: readText(body), correlationId: null }
  }
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return { text: null, correlationId: null }
  const record = body as Record<string, unknown>
  const texts = TEXT_KEYS.map(key => readText(record[key])).filter(text => text !== null)
  const details = readText(record.details) ?? fieldErrors(record.errors)
  const first = texts[0] ?? null
  const text = first !== null && details !== null && details !== first ? `${first}: ${details}` : (first ?? details)
  const id = record.correlationId ?? record.correlationID
  return { text, correlationId: typeof id === 'string' && id !== '' ? id : null }
}
