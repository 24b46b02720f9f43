/** Download links: a signature over what may be fetched and until when. The secret is made at start (contract §14.1). */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Signs and checks links. */
export interface Links {
  /** The query part of a link to this name. */
  sign(name: string): string
  /** Whether the query of a request is one of ours for this name and has not expired. */
  check(name: string, query: Readonly<Record<string, unknown>>): boolean
}

/** Links that live for `lifeMs`. */
export function makeLinks(lifeMs: number, now: () => number): Links {
  const secret = randomBytes(32)
  const signatureOf = (name: string, expires: string): Buffer =>
    createHmac('sha256', secret).update(`${name}\n${expires}`).digest()

  return {
    sign(name) {
      const expires = String(now() + lifeMs)
      return `expires=${expires}&signature=${signatureOf(name, expires).toString('base64url')}`
    },
    check(name, { expires, signature }) {
      if (typeof expires !== 'string' || typeof signature !== 'string') return false
      const given = Buffer.from(signature, 'base64url')
      const wanted = signatureOf(name, expires)
      return given.length === wanted.length && timingSafeEqual(given, wanted) && Number(expires) > now()
    },
  }
}
