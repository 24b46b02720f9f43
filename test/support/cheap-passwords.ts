/** Password checks of the services in this process cost a sixteenth: every resumed run logs in again. */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

const { scrypt } = crypto

/** Call it before a service is started: a password is checked as it was stored. */
export function makePasswordsCheap(): void {
  const cheap = (...args: Parameters<typeof scrypt>): void => {
    const [password, salt, length, options, done] = args
    scrypt(password, salt, length, { ...options, N: 2 ** 10 }, done)
  }
  Object.assign(crypto, { scrypt: cheap })
  syncBuiltinESMExports()
}
