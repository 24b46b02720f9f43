/**
 * Access tokens, which are JWTs, and signed download links, void once their user is removed. Their secrets live as long as the process
 * (contract §4.1, §14.1, faults S26).
 */
import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'
import type { User, Users } from './users.ts'

/** The generation is that at the time of issue: a user removed and added again has another. */
type Bearer = Pick<User, 'username' | 'generation'>

const ALGORITHM = 'HS256'
const ISSUER = 'fettle'
const AUDIENCE = 'fettle/v1'

/** Creates tokens that live for `lifeMs`. */
export function makeTokens(lifeMs: number, now: () => number) {
  const secret = randomBytes(32)
  return {
    issue({ username, generation }: Bearer): Promise<string> {
      const issuedAt = Math.floor(now() / 1000)
      return new SignJWT({ generation })
        .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setSubject(username)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + Math.floor(lifeMs / 1000))
        .setJti(randomUUID())
        .sign(secret)
    },

    /** The bearer of a token that this process issued and that has not expired, else null. */
    async read(token: string): Promise<Bearer | null> {
      const rules = { algorithms: [ALGORITHM], issuer: ISSUER, audience: AUDIENCE, requiredClaims: ['exp'], typ: 'JWT' }
      try {
        const { payload } = await jwtVerify(token, secret, { ...rules, currentDate: new Date(now()) })
        return { username: String(payload.sub), generation: String(payload.generation) }
      } catch (error) {
        if (error instanceof errors.JOSEError) return null
        throw error
      }
    },
  }
}

export type Tokens = ReturnType<typeof makeTokens>

/** Creates links that live for `lifeMs`. */
export function makeLinks(lifeMs: number, now: () => number, users: Pick<Users, 'ofGeneration'>) {
  const secret = randomBytes(32)
  const makeSignature = (...parts: readonly string[]): Buffer => createHmac('sha256', secret).update(parts.join('\n')).digest()

  return {
    sign(name: string, { generation }: User): string {
      const expires = String(now() + lifeMs)
      const signature = makeSignature(name, expires, generation).toString('base64url')
      return `expires=${expires}&holder=${generation}&signature=${signature}`
    },
    /** The user of a link to this name; null when the query is forged or expired, or the user no longer exists. */
    check(name: string, { expires, holder, signature }: Readonly<Record<string, unknown>>): User | null {
      if (typeof expires !== 'string' || typeof holder !== 'string' || typeof signature !== 'string') return null
      const given = Buffer.from(signature, 'base64url')
      const wanted = makeSignature(name, expires, holder)
      if (given.length !== wanted.length || !timingSafeEqual(given, wanted) || Number(expires) <= now()) return null
      return users.ofGeneration(holder) ?? null
    },
  }
}

export type Links = ReturnType<typeof makeLinks>
