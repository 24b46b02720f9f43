/** `POST /authenticate` (contract §4). */
import type { FastifyInstance } from 'fastify'
import { LIST_CHANGES_HEADER, LIST_FACTS_HEADER, LIST_FACTS_PRECISION } from '../../contract/index.ts'
import { makeGate } from '../auth/gate.ts'
import type { Throttle } from '../auth/throttle.ts'
import type { Tokens } from '../auth/tokens.ts'
import type { Login, Users } from '../auth/users.ts'
import { type Call, createRouter, type RouteDeps } from '../http/route.ts'
import type { Play } from '../plays.ts'
import { LoginRefusal, tooMany } from '../refusal.ts'

/** Retry-After of a login that found no room to wait. */
const PAUSE_MS = 1_000

export interface AuthenticateDeps extends RouteDeps {
  readonly throttle: Throttle
  readonly users: Pick<Users, 'get' | 'isCorrect'>
  readonly tokens: Tokens
}

export function authenticateRoute(
  app: FastifyInstance,
  deps: AuthenticateDeps,
  { matchColumns: isOwn }: Pick<Play, 'matchColumns'>,
): void {
  const route = createRouter(app, deps)
  const { throttle, users, tokens, limits } = deps
  const gate = makeGate({
    atOnce: limits.loginsAtOnce,
    waiting: limits.loginsWaiting,
    laneWaiting: limits.clientLoginsWaiting,
    refusal: () => tooMany('Too many logins at once.', PAUSE_MS),
  })
  const logIn = async (login: Login, address: string): Promise<{ token: string }> => {
    // Again: parallel logins may have been rejected while this one waited.
    throttle.admit(login, address)
    // Read before the check: if the user is removed meanwhile, the token is void.
    const user = users.get(login.username)
    if (!(await users.isCorrect(login)) || user === undefined) {
      throttle.rejected(login, address)
      throw new LoginRefusal()
    }
    throttle.accepted(login, address)
    return { token: await tokens.issue(user) }
  }
  const answer = async ({ body, request, reply }: Pick<Call<Login, undefined>, 'body' | 'request' | 'reply'>) => {
    if (isOwn) reply.headers({ [LIST_FACTS_HEADER]: LIST_FACTS_PRECISION, [LIST_CHANGES_HEADER]: '1' })
    throttle.admit(body, request.ip)
    return gate(throttle.chooseLane(body, request.ip), () => logIn(body, request.ip))
  }
  route('authenticate', answer, { bodyLimit: limits.loginBytes })
}
