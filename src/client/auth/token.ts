/** Decides when a token is renewed. A token is opaque: a readable `exp` may only shorten its lifetime (contract §4.1, §14.2). */

// The latest age at which a token is renewed.
const RENEW_AT_MS = 55 * 60_000
/** A token is renewed this long before it expires, and an upload starts with at least this time left. */
export const SPARE_MS = 5 * 60_000
const HOUR_MS = 60 * 60_000

const numberOf = (value: unknown): number | null => (typeof value === 'number' && Number.isFinite(value) ? value : null)

/**
 * The lifetime of a new token in milliseconds: `exp` less `iat` or `nbf` of a JWT, so that a wrong clock of ours does not matter; an
 * hour when neither can be read.
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
