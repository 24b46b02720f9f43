/**
 * Prepares foreign text for a message: masks secrets, cuts queries of links, removes control characters, limits the length. Masking
 * comes before cutting, which could leave half a secret.
 */

// Masking shorter texts would make messages unreadable.
const SHORTEST = 3
/** Shorter secrets may be part of an id or a word of the service by chance. */
const LEAK_LENGTH = 8
const ANSI = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?)/g
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g
const QUERY = /\b(https?:\/\/[^\s?#"'<>]*)[?#][^\s"'<>]*/gi

const listForms = (secret: string): string[] => [
  secret,
  encodeURIComponent(secret),
  JSON.stringify(secret).slice(1, -1),
  Buffer.from(secret).toString('base64'),
  Buffer.from(secret).toString('base64url'),
]

/** A link without its query and fragment, which may be a signature. */
export const showUrl = (url: URL): string => `${url.protocol}//${url.host}${url.pathname}`

/** Masks the secrets that were passed to `hide`. */
export function createRedactor() {
  const secrets = new Set<string>()
  const mask = (text: string): string =>
    [...secrets].sort((a, b) => b.length - a.length).reduce((shown, secret) => shown.replaceAll(secret, '***'), text)
  return {
    hide(secret: string): void {
      if (secret.length < SHORTEST) return
      for (const form of listForms(secret)) secrets.add(form)
    },
    /** Whether the text contains a secret that is too long to be there by chance. */
    leaks: (text: string): boolean => [...secrets].some(secret => secret.length >= LEAK_LENGTH && text.includes(secret)),
    mask,
    /** At most `max` characters. */
    clean(text: string, max = 300): string {
      const shown = mask(text).replace(QUERY, '$1?***').replace(ANSI, '').replace(CONTROL, ' ').replace(/ {2,}/g, ' ').trim()
      return shown.length > max ? `${shown.slice(0, max)}…` : shown
    },
  }
}

export type Redactor = ReturnType<typeof createRedactor>
