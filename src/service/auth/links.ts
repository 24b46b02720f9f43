/**
 * Signed download links: name, user and expiry. A link is void once its user is removed; the secret lives as long as the
 * process (contract §14.1).
 */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { User, Users } from './users.ts'

/** Creates links that live for `lifeMs`. */
export function makeLinks(lifeMs: number, now: () => number, users: Pick<Users, 'ofGeneration'>) {
  const secret = randomBytes(32)
  const signatureOf = (...parts: readonly string[]): Buffer => createHmac('sha256', secret).update(parts.join('\n')).digest()

  return {
    sign(name: string, { generation }: User): string {
      const expires = String(now() + lifeMs)
      const signature = signatureOf(name, expires, generation).toString('base64url')
      return `expires=${expires}&holder=${generation}&signature=${signature}`
    },
    /** The user of a link to this name; null when the query is forged or expired, or the user no longer exists. */
    check(name: string, { expires, holder, signature }: Readonly<Record<string, unknown>>): User | null {
      if (typeof expires !== 'string' || typeof holder !== 'string' || typeof signature !== 'string') return null
      const given = Buffer.from(signature, 'base64url')
      const wanted = signatureOf(name, expires, holder)
      if (given.length !== wanted.length || !timingSafeEqual(given, wanted) || Number(expires) <= now()) return null
      return users.ofGeneration(holder) ?? null
    },
  }
}

export type Links = ReturnType<typeof makeLinks>
