/**
 * Makes foreign text fit for a message: secrets masked, queries of links cut, control characters gone, length bounded. Masking
 * comes before cutting, or half a secret could be left over.
 */

/** Masks and cleans text; knows the secrets it was told. */
export interface Redactor {
  /** From now on this text is never shown. */
  hide(secret: string): void
  /** Whether the text holds a secret long enough not to stand there by chance. */
  leaks(text: string): boolean
  /** The text as a message may show it, `max` characters at most. */
  clean(text: string, max?: number): string
}

// Shorter texts would mask half of every message and hide nothing.
const SHORTEST = 3
/** Secrets shorter than this may well be part of an id or a word of the service. */
const TELLING = 8
const ANSI = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?)/g
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g
const QUERY = /\b(https?:\/\/[^\s?#"'<>]*)[?#][^\s"'<>]*/gi

const formsOf = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  JSON.stringify(secret).slice(1, -1),
  Buffer.from(secret).toString('base64'),
  Buffer.from(secret).toString('base64url'),
]

/** A link without its query and fragment, which may be a signature. */
export const showUrl = (url: URL): string => `${url.protocol}//${url.host}${url.pathname}`

/** A redactor that knows no secret yet. */
export function createRedactor(): Redactor {
  const secrets = new Set<string>()
  return {
    hide(secret) {
      if (secret.length < SHORTEST) return
      for (const form of formsOf(secret)) secrets.add(form)
    },
    leaks: text => [...secrets].some(secret => secret.length >= TELLING && text.includes(secret)),
    clean(text, max = 300) {
      let shown = text
      for (const secret of [...secrets].sort((a, b) => b.length - a.length)) shown = shown.replaceAll(secret, '***')
      shown = shown.replace(QUERY, '$1?***').replace(ANSI, '').replace(CONTROL, ' ').replace(/ {2,}/g, ' ').trim()
      return shown.length > max ? `${shown.slice(0, max)}…` : shown
    },
  }
}
