/** The login of the service with passwords that are looked at as long as a test wants: which logins are at work, wait or are refused. */
import fastify from 'fastify'
import { onTestFinished } from 'vitest'
import { type AuthenticateDeps, authenticateRoute } from '../../../src/service/access/authenticate.ts'
import { makeThrottle } from '../../../src/service/auth/throttle.ts'
import { LIMITS, type Limits } from '../../../src/service/limits.ts'
import { Refusal } from '../../../src/service/refusal.ts'
import { eventually } from '../../support/eventually.ts'

/** A login that was sent. */
interface Sent {
  readonly name: string
  status: number | null
}

/** The word that is right for every name that begins with `user`. */
export const RIGHT = 'right'

/** A desk with these limits; time stands at `now()`. */
export function loginDesk(limits: Partial<Limits>, now = () => 0) {
  const all = { ...LIMITS, ...limits }
  const atWork: { name: string; end: () => void }[] = []
  const users = {
    get: (username: string) =>
      username.startsWith('user') ? { id: 1, person: 1, username, role: 'reader' as const, generation: username } : undefined,
    isCorrect: ({ username, password }: { username: string; password: string }) =>
      new Promise<boolean>(resolve => {
        atWork.push({ name: username, end: () => resolve(username.startsWith('user') && password === RIGHT) })
      }),
  }
  const deps: AuthenticateDeps = {
    limits: all,
    users,
    throttle: makeThrottle(all, now),
    tokens: { issue: async () => 'a token', read: async () => null },
    rates: { admit: () => {} },
    play: { operations: null },
  }
  const app = fastify()
  app.setErrorHandler((error, _request, reply) => {
    if (!(error instanceof Refusal)) throw error
    return reply.code(error.status).headers(error.headers).send({})
  })
  authenticateRoute(app, deps, { matchColumns: false })
  onTestFinished(() => app.close())

  const sent: Sent[] = []
  const desk = {
    /** Names of the logins whose password is looked at now. */
    atWork: (): string[] => atWork.map(one => one.name),
    with: (status: number | null): string[] => sent.filter(one => one.status === status).map(one => one.name),
    /** Sends a login and waits until it is at work, waits, or is answered. */
    async send(name: string, { from = '127.0.0.1', password = 'wrong' } = {}): Promise<void> {
      const one: Sent = { name, status: null }
      sent.push(one)
      const payload = { username: name, password }
      void app.inject({ method: 'POST', url: '/v1/authenticate', remoteAddress: from, payload }).then(reply => {
        one.status = reply.statusCode
      })
      for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
    },
    /** Ends the look at the oldest password, and waits for its answer; gives the name. */
    async next(): Promise<string> {
      const one = atWork.shift()
      const answered = sent.filter(login => login.status !== null).length
      one?.end()
      await eventually(() => {
        if (sent.filter(login => login.status !== null).length === answered) throw new Error('no answer yet')
      })
      return one?.name ?? ''
    },
  }
  return desk
}
