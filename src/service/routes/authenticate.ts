/** `POST /authenticate`: contract §4. It knows no password, only who can check one. */
import type { FastifyInstance } from 'fastify'
import { LoginRefusal } from '../refusal.ts'
import type { Context } from './context.ts'
import { route } from './operation.ts'

/** Registers the login. */
export function authenticateRoute(app: FastifyInstance, context: Context): void {
  const { throttle, isRight, tokens, limits } = context
  route(
    app,
    context,
    'authenticate',
    async ({ body, request }) => {
      throttle.admit(body, request.ip)
      if (!(await isRight(body))) {
        throttle.refused(body, request.ip)
        throw new LoginRefusal()
      }
      return { token: tokens.issue(body.username) }
    },
    { bodyLimit: limits.loginBytes },
  )
}
