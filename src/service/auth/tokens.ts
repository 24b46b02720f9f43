/**
 * Access tokens: JWTs of one pinned algorithm, signed with a secret made at start and kept nowhere. It knows no users and no
 * headers (contract §4.1, faults S26).
 */
import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'

/** Whom a token is for. */
export interface Bearer {
  readonly username: string
  /** Of the user at that time: a user added anew is another one. */
  readonly generation: string
}

/** Issues and reads tokens. */
export interface Tokens {
  issue(bearer: Bearer): string
  /** Whom a token of ours that has not expired is for, else null. */
  read(token: string): Bearer | null
}

const ISSUER = 'fettle'
const AUDIENCE = 'fettle/v1'

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

// The header is compared as a whole and never parsed: no token can choose another algorithm.
const HEADER = encode({ alg: 'HS256', typ: 'JWT' })

/** Tokens that live for `lifeMs`. */
export function makeTokens(lifeMs: number, now: () => number): Tokens {
  const secret = randomBytes(32)
  const sign = (text: string): Buffer => createHmac('sha256', secret).update(text).digest()

  return {
    issue({ username, generation }) {
      const iat = Math.floor(now() / 1000)
      const claims = {
        iss: ISSUER,
        aud: AUDIENCE,
        sub: username,
        generation,
        iat,
        nbf: iat,
        exp: iat + Math.floor(lifeMs / 1000),
        jti: randomUUID(),
      }
      const text = `${HEADER}.${encode(claims)}`
      return `${text}.${sign(text).toString('base64url')}`
    },

    read(token) {
      const [header, payload, signature, ...rest] = token.split('.')
      if (header !== HEADER || payload === undefined || signature === undefined || rest.length > 0) return null
      const given = Buffer.from(signature, 'base64url')
      const wanted = sign(`${header}.${payload}`)
      if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return null
      const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>
      const fresh = typeof claims.exp === 'number' && claims.exp * 1000 > now()
      const ours = claims.iss === ISSUER && claims.aud === AUDIENCE
      return fresh && ours ? { username: String(claims.sub), generation: String(claims.generation) } : null
    },
  }
}
