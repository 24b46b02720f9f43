/** Access tokens: JWTs signed with HS256 and a secret that lives as long as the process (contract §4.1, faults S26). */
import { randomBytes, randomUUID } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'

export interface Bearer {
  readonly username: string
  /** Generation of the user at the time of issue: a user removed and added again has another one. */
  readonly generation: string
}

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
