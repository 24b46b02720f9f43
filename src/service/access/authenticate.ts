/** `POST /authenticate`: contract §4. It knows no password, only who can check one. */
import type { FastifyInstance } from 'fastify'
import { makeGate } from '../auth/gate.ts'
import type { Throttle } from '../auth/throttle.ts'
import type { Tokens } from '../auth/tokens.ts'
import type { Users } from '../auth/users.ts'
import { type RouteDeps, route } from '../http/route.ts'
import { LoginRefusal, tooMany } from '../refusal.ts'

/** After which a login that could not wait may come again. */
const PAUSE_MS = 1_000

export interface AuthenticateDeps extends RouteDeps {
  readonly throttle: Throttle
  readonly users: Pick<Users, 'get' | 'isRight'>
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
        // Once more: others like it may have been refused while it waited.
        throttle.admit(body, request.ip)
        // Who it is now: of a user removed meanwhile the token is void from the first.
        const user = users.get(body.username)
        if (!(await users.isRight(body)) || user === undefined) {
          throttle.refused(body, request.ip)
          throw new LoginRefusal()
        }
        throttle.right(body, request.ip)
        return { token: await tokens.issue(user) }
      })
    },
    { bodyLimit: limits.loginBytes },
  )
}
