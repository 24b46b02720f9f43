/**
 * Access tokens: JWTs of one pinned algorithm, signed with a secret made at start and kept nowhere. It knows no users and no
 * headers (contract §4.1, faults S26).
 */
import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto'

/** Issues and reads tokens. */
export interface Tokens {
  /** A token for this user name. */
  issue(username: string): string
  /** The user name of a token of ours that has not expired, else null. */
  read(token: string): string | null
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
    issue(username) {
      const iat = Math.floor(now() / 1000)
      const claims = {
        iss: ISSUER,
        aud: AUDIENCE,
        sub: username,
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
      const ours = claims.iss === ISSUER && claims.aud === AUDIENCE && typeof claims.sub === 'string'
      return fresh && ours ? String(claims.sub) : null
    },
  }
}
