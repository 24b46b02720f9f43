/**
 * Who may log in, and the proof of a password. Passwords are kept as scrypt records in memory only; it knows nothing of tokens
 * or requests (faults S25).
 */
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'

/** A user name with its password, as the operator gives them. */
export interface Login {
  readonly username: string
  readonly password: string
}

interface PasswordRecord {
  readonly salt: Buffer
  readonly cost: number
  readonly key: Buffer
}

// 2^14 rounds of 8 KiB blocks: 16 MiB and about 40 ms a login, the usual interactive setting.
const COST = 2 ** 14
const KEY_BYTES = 32

const derive = (password: string, salt: Buffer, cost: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, KEY_BYTES, { N: cost, r: 8, p: 1 }, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })

const protect = async (password: string): Promise<PasswordRecord> => {
  const salt = randomBytes(16)
  return { salt, cost: COST, key: await derive(password, salt, COST) }
}

/** Tells whether a login is right; user name and password are both case-sensitive (contract §4.1). */
export type PasswordCheck = (login: Login) => Promise<boolean>

/** Prepares the check for these users. An unknown user costs as much time as a wrong password. */
export async function passwordCheck(users: readonly Login[]): Promise<PasswordCheck> {
  const records = new Map<string, PasswordRecord>()
  for (const user of users) records.set(user.username, await protect(user.password))
  const decoy = await protect(randomBytes(16).toString('hex'))
  return async ({ username, password }) => {
    const known = records.get(username)
    const record = known ?? decoy
    const same = timingSafeEqual(record.key, await derive(password, record.salt, record.cost))
    return same && known !== undefined
  }
}
