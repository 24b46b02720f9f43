/** `POST /authenticate` (contract §4). */
import type { FastifyInstance } from 'fastify'
import { makeGate } from '../auth/gate.ts'
import type { Throttle } from '../auth/throttle.ts'
import type { Tokens } from '../auth/tokens.ts'
import type { Users } from '../auth/users.ts'
import { type RouteDeps, route } from '../http/route.ts'
import { LoginRefusal, tooMany } from '../refusal.ts'

/** Retry-After of a login that found no room to wait. */
const PAUSE_MS = 1_000

export interface AuthenticateDeps extends RouteDeps {
  readonly throttle: Throttle
  readonly users: Pick<Users, 'get' | 'isCorrect'>
  readonly tokens: Tokens
}

export function authenticateRoute(app: FastifyInstance, deps: AuthenticateDeps): void {
  const { throttle, users, tokens, limits } = deps
  const gate = makeGate({
    atOnce: limits.loginsAtOnce,
    waiting: limits.loginsWaiting,
    laneWaiting: limits.clientLoginsWaiting,
    refusal: () => tooMany('Too many logins at once.', PAUSE_MS),
  })
  route(
    app,
    deps,
    'authenticate',
    async ({ body, request }) => {
      throttle.admit(body, request.ip)
      return gate(throttle.laneOf(body, request.ip), async () => {
        // Again: parallel logins may have been rejected while this one waited.
        throttle.admit(body, request.ip)
        // Read before the check: if the user is removed meanwhile, the token is void.
        const user = users.get(body.username)
        if (!(await users.isCorrect(body)) || user === undefined) {
          throttle.rejected(body, request.ip)
          throw new LoginRefusal()
        }
        throttle.accepted(body, request.ip)
        return { token: await tokens.issue(user) }
      })
    },
    { bodyLimit: limits.loginBytes },
  )
}
