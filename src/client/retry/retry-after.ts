/** Reads `Retry-After` (RFC 9110 §10.2.3) as a pure function. What to do about it is decided elsewhere. */

// The three forms of an HTTP date (RFC 9110 §5.6.7); anything else Date.parse would guess at.
const IMF = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/
const RFC850 = /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/
const LONGEST_MS = 1e15
const ASCTIME = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/

/** The instant of an HTTP date in milliseconds since 1970, null when it is not one. */
export function parseHttpDate(text: string): number | null {
  const zoned = ASCTIME.test(text) ? `${text} GMT` : IMF.test(text) || RFC850.test(text) ? text : null
  const millis = zoned === null ? Number.NaN : Date.parse(zoned)
  return Number.isNaN(millis) ? null : millis
}

/**
 * Milliseconds to wait, null when nothing usable was told: absent, unreadable, zero, negative or past. A date is measured
 * against the reply's own `Date`, since our clock may be wrong; `now` serves when the reply has none.
 */
export function parseRetryAfter(value: string | null, date: string | null, now: number): number | null {
  const text = value?.trim() ?? ''
  // Far beyond what anybody waits for, and still a time that can be told.
  if (/^\d+$/.test(text)) return Number(text) === 0 ? null : Math.min(Number(text) * 1000, LONGEST_MS)
  const until = parseHttpDate(text)
  if (until === null) return null
  const wait = until - (parseHttpDate(date?.trim() ?? '') ?? now)
  return wait > 0 ? wait : null
}
