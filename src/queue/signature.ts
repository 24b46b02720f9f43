/**
 * Signs what the queue stores, so that only a holder of the account's secret can have written it. Each message is signed with the place
 * where it stands: kind, queue, job, and for a line its number and the signature before it.
 */
import { createHmac, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { FettleError } from '../errors.ts'

const derive = promisify<string, string, number, object, Buffer>(scrypt)

/** A guess of the password costs as much as OWASP asks of stored passwords (2^15, 8, 3), in 32 MiB. */
const COST = { N: 2 ** 15, r: 8, p: 3, maxmem: 64 * 1024 ** 2 }

/** The place of a message, and its text. */
type Parts = readonly (string | number)[]

/** A message as the queue stores it. */
export interface Signed {
  readonly body: string
  readonly signature: string
}

export class Signer {
  readonly #key: Buffer

  constructor(key: Buffer) {
    this.#key = key
  }

  sign(parts: Parts): string {
    return createHmac('sha256', this.#key).update(JSON.stringify(parts)).digest('base64url')
  }

  isSigned(parts: Parts, signature: unknown): boolean {
    const own = this.sign(parts)
    return (
      typeof signature === 'string' &&
      signature.length === own.length &&
      timingSafeEqual(Buffer.from(signature), Buffer.from(own))
    )
  }

  /** A value with its signature for one place. */
  seal(place: Parts, value: unknown): Signed {
    const body = JSON.stringify(value)
    return { body, signature: this.sign([...place, body]) }
  }

  /** The value of a message that was signed for this place. Throws FETTLE_QUEUE_SIGNATURE for any other. */
  open(place: Parts, stored: unknown, what: string): unknown {
    const { body, signature } = Object(stored) as Partial<Signed>
    if (typeof body !== 'string' || !this.isSigned([...place, body], signature)) throw unsigned(what)
    return JSON.parse(body)
  }
}

/** A signer from the secret of an account. Slow on purpose, about a quarter of a second. */
export const openSigner = async (secret: string, account: string): Promise<Signer> =>
  new Signer(await derive(secret.normalize(), `fettle queue ${account}`, 32, COST))

/** Nothing may be done because of it, and nothing is given up because of it. */
export const unsigned = (what: string, why = 'does not have the signature of this account'): FettleError =>
  new FettleError('FETTLE_QUEUE_SIGNATURE', `${what} in the queue ${why}`)
