/**
 * Operations that need a separate subscription: any request with a valid token gets 403 before its body is read. The retired
 * product answers 301 (contract §2.1, §10, §11.3 to §11.7, §14.2).
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { OTHER_GROUPS, RETIRED } from '../../contract/index.ts'
import { type RouteDeps, routePath, userOf } from '../http/route.ts'
import { Refusal } from '../refusal.ts'

export function otherRoutes(app: FastifyInstance, deps: Omit<RouteDeps, 'limits'>): void {
  const admit = async (request: FastifyRequest): Promise<void> =>
    deps.rates.admit('other', (await userOf(request, deps)).username)
  const never = (): never => {
    throw new Error('the request should have been rejected before')
  }
  const forbid = async (request: FastifyRequest): Promise<void> => {
    await admit(request)
    throw new Refusal(403, 'Access forbidden')
  }
  for (const { method, path } of OTHER_GROUPS) {
    app.route({ method, url: routePath({ path }), onRequest: forbid, handler: never })
  }
  const retire = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    await admit(request)
    return reply.code(301).send({ message: 'This product was retired in November 2024.' })
  }
  app.all(`/v1${RETIRED}*`, { onRequest: retire }, never)
}
