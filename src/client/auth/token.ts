/**
 * When a token should be renewed. A token is opaque: a readable `exp` is a hint that may shorten its life and proves nothing
 * (contract §4.1, §14.2).
 */

// A token is renewed at this age,
const RENEW_AT_MS = 55 * 60_000
/** A token is renewed so long before its end, and an upload begins with that much of its life left. */
export const SPARE_MS = 5 * 60_000
const HOUR_MS = 60 * 60_000

const numberOf = (value: unknown): number | null => (typeof value === 'number' && Number.isFinite(value) ? value : null)

/**
 * How long a token fresh from the service lives, in milliseconds: `exp` less `iat` or `nbf` of a JWT, so that a wrong clock of
 * ours does not matter; an hour when nothing sensible can be read.
 */
export function lifetimeOf(token: string, now: number): number {
  const parts = token.split('.')
  if (parts.length !== 3) return HOUR_MS
  try {
    const claims = JSON.parse(Buffer.from(parts[1] ?? '', 'base64url').toString()) as Record<string, unknown> | null
    const exp = numberOf(claims?.exp)
    if (exp === null) return HOUR_MS
    const issued = numberOf(claims?.iat) ?? numberOf(claims?.nbf) ?? now / 1000
    return exp > issued ? (exp - issued) * 1000 : HOUR_MS
  } catch {
    return HOUR_MS
  }
}

/** The age at which a token of this lifetime is renewed: 55 min, 5 min before its end, or half the life of a short one. */
export const renewalAge = (lifetimeMs: number): number => Math.min(RENEW_AT_MS, Math.max(lifetimeMs - SPARE_MS, lifetimeMs / 2))
