/** `POST /authenticate`: contract §4. It knows no password, only who can check one. */
import type { FastifyInstance } from 'fastify'
import { LoginRefusal } from '../refusal.ts'
import type { Context } from './context.ts'
import { route } from './operation.ts'

/** Registers the login. */
export function authenticateRoute(app: FastifyInstance, context: Context): void {
  const { throttle, users, tokens, limits } = context
  route(
    app,
    context,
    'authenticate',
    async ({ body, request }) => {
      throttle.admit(body, request.ip)
      // Who it is now: of a user removed meanwhile the token is void from the first.
      const user = users.get(body.username)
      if (!(await users.isRight(body)) || user === undefined) {
        throttle.refused(body, request.ip)
        throw new LoginRefusal()
      }
      return { token: tokens.issue(user) }
    },
    { bodyLimit: limits.loginBytes },
  )
}
