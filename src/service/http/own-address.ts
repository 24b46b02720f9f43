/** The address of this service as its caller knows it. */
import type { FastifyRequest } from 'fastify'

/** `http://name:port`: the name the caller reached us by, which the guard has checked. */
export const ownAddress = ({ headers }: Pick<FastifyRequest, 'headers'>, origin: () => string): string =>
  headers.host === undefined ? origin() : `http://${headers.host}`
