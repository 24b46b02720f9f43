/** Parses `Retry-After` (RFC 9110 §10.2.3). */

// The three forms of an HTTP date (RFC 9110 §5.6.7); Date.parse would guess at any other.
const IMF = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/
const RFC850 = /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/
const LONGEST_MS = 1e15
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/

export function parseHttpDate(text: string): number | null {
  const zoned = ASCTIME.test(text) ? `${text} GMT` : IMF.test(text) || RFC850.test(text) ? text : null
  const millis = zoned === null ? Number.NaN : Date.parse(zoned)
  return Number.isNaN(millis) ? null : millis
}

/**
 * Milliseconds to wait, null when the value is absent, unreadable, zero, negative or past. A date is compared with the reply's own
 * `Date`, since our clock may be wrong, or with `now` when the reply has none.
 */
export function parseRetryAfter(value: string | null, date: string | null, now: number): number | null {
  const text = value?.trim() ?? ''
  // Longer than any wait, and still a valid time.
  if (/^\d+$/.test(text)) return Number(text) === 0 ? null : Math.min(Number(text) * 1000, LONGEST_MS)
  const until = parseHttpDate(text)
  if (until === null) return null
  const wait = until - (parseHttpDate(date?.trim() ?? '') ?? now)
  return wait > 0 ? wait : null
}
