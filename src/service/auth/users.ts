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
  readonly parameters: { readonly N: number; readonly r: number; readonly p: number }
  readonly key: Buffer
}

// 2^14 rounds of 8 KiB blocks: 16 MiB and about 40 ms a login, the usual interactive setting.
const PARAMETERS = { N: 2 ** 14, r: 8, p: 1 }
const KEY_BYTES = 32

const derive = (password: string, { salt, parameters }: Pick<PasswordRecord, 'salt' | 'parameters'>): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    scrypt(password.normalize('NFC'), salt, KEY_BYTES, parameters, (error, key) => (error ? reject(error) : resolve(key)))
  })

const protect = async (password: string): Promise<PasswordRecord> => {
  const record = { salt: randomBytes(16), parameters: PARAMETERS }
  return { ...record, key: await derive(password, record) }
}

/** Lets at most `count` pieces of work run side by side; the others wait in order. */
function makeGate(count: number) {
  const waiting: (() => void)[] = []
  let free = count
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (free > 0) free -= 1
    else await new Promise<void>(enter => waiting.push(enter))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) free += 1
      else next()
    }
  }
}

/** Tells whether a login is right; user name and password are both case-sensitive (contract §4.1). */
export type PasswordCheck = (login: Login) => Promise<boolean>

/**
 * Prepares the check for these users. An unknown user costs as much time as a wrong password. At most `atOnce` passwords are
 * looked at side by side: files share the threads with them, and must not wait for a flood of logins.
 */
export async function passwordCheck(users: readonly Login[], atOnce: number): Promise<PasswordCheck> {
  const records = new Map<string, PasswordRecord>()
  for (const user of users) records.set(user.username, await protect(user.password))
  const decoy = await protect(randomBytes(16).toString('hex'))
  const gate = makeGate(atOnce)
  return async ({ username, password }) => {
    const known = records.get(username)
    const record = known ?? decoy
    const key = await gate(() => derive(password, record))
    return timingSafeEqual(record.key, key) && known !== undefined
  }
}
