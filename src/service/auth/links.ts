/**
 * Download links: a signature over what may be fetched, for whom it was made, and until when. A link ends with its user. The secret
 * is made at start (contract §14.1).
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { User, Users } from './users.ts'

/** Signs and checks links. */
export interface Links {
  /** The query part of a link to this name, made for this user. */
  sign(name: string, user: User): string
  /** For whom a link to this name was made; null when its query is none of ours, has expired, or the user is there no more. */
  check(name: string, query: Readonly<Record<string, unknown>>): User | null
}

/** Links that live for `lifeMs`. */
export function makeLinks(lifeMs: number, now: () => number, users: Pick<Users, 'ofGeneration'>): Links {
  const secret = randomBytes(32)
  const signatureOf = (...parts: readonly string[]): Buffer => createHmac('sha256', secret).update(parts.join('\n')).digest()

  return {
    sign(name, { generation }) {
      const expires = String(now() + lifeMs)
      const signature = signatureOf(name, expires, generation).toString('base64url')
      return `expires=${expires}&holder=${generation}&signature=${signature}`
    },
    check(name, { expires, holder, signature }) {
      if (typeof expires !== 'string' || typeof holder !== 'string' || typeof signature !== 'string') return null
      const given = Buffer.from(signature, 'base64url')
      const wanted = signatureOf(name, expires, holder)
      if (given.length !== wanted.length || !timingSafeEqual(given, wanted) || Number(expires) <= now()) return null
      return users.ofGeneration(holder) ?? null
    },
  }
}
