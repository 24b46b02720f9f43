/** Password records (scrypt), and a check that takes the same time for known and unknown users (faults S25). */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'

/** The stored form of a password; salt and key in base64. */
export interface PasswordRecord {
  readonly salt: string
  readonly parameters: { readonly N: number; readonly r: number; readonly p: number }
  readonly key: string
}

/**
 * 2^14 rounds of 8 KiB blocks: 16 MiB and about 40 ms a login, the usual interactive setting. Only tests make it cheaper, before a
 * password is stored: a record names what it was made with.
 */
export const PARAMETERS = { N: 2 ** 14, r: 8, p: 1 }
// A generated password of 192 random bits cannot be guessed: slow rounds would protect nothing.
const GENERATED = { ...PARAMETERS, N: 2 }
const KEY_BYTES = 32

const derive = (password: string, { salt, parameters }: Pick<PasswordRecord, 'salt' | 'parameters'>): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const bytes = Buffer.from(salt, 'base64')
    scrypt(password.normalize('NFC'), bytes, KEY_BYTES, parameters, (error, key) => (error ? reject(error) : resolve(key)))
  })

export async function protect(password: string, isGenerated = false): Promise<PasswordRecord> {
  const record = { salt: randomBytes(16).toString('base64'), parameters: isGenerated ? GENERATED : { ...PARAMETERS } }
  return { ...record, key: (await derive(password, record)).toString('base64') }
}

/** Whether the password matches the record; `known` is undefined for an unknown user. */
export type PasswordCheck = (password: string, known: PasswordRecord | undefined) => Promise<boolean>

/** Creates the check. For an unknown user it verifies a decoy, so that both cases take the same time. */
export function makePasswordCheck(): PasswordCheck {
  const [salt, key] = [randomBytes(16), randomBytes(KEY_BYTES)].map(bytes => bytes.toString('base64')) as [string, string]
  const decoy = { salt, parameters: PARAMETERS, key }
  return async (password, known) => {
    const record = known ?? decoy
    const key = await derive(password, record)
    return timingSafeEqual(Buffer.from(record.key, 'base64'), key) && known !== undefined
  }
}
