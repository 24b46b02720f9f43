/**
 * W3C Trace Context: whose trace a request belongs to, read from `traceparent` and told in the log and in `traceresponse`, so that a
 * request is found on both sides. A header that is not well formed counts as none; no trace is begun here.
 */
import { randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'

/** The trace of one request. */
export interface Trace {
  /** For the log: the trace, who called, and the service's own part. */
  readonly ids: { readonly traceId: string; readonly parentId: string; readonly spanId: string }
  /** Value of the header `traceresponse`. */
  readonly response: string
}

// Later versions may add fields behind a dash; version 00 has none, and ff is none (§3.2.2).
const FORM = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** Trace, parent and flags of a header; null for one that is not well formed. */
export function readTraceparent(header: string): { traceId: string; parentId: string; flags: string } | null {
  const [, version, traceId, parentId, flags, rest] = FORM.exec(header) ?? []
  if (traceId === undefined || parentId === undefined || flags === undefined) return null
  return version === '00' && rest !== undefined ? null : { traceId, parentId, flags }
}

const traces = new WeakMap<FastifyRequest, Trace | null>()

/** The trace of a request, the same at every call; null when it belongs to none. */
export function traceOf(request: FastifyRequest): Trace | null {
  const kept = traces.get(request)
  if (kept !== undefined) return kept
  const { traceparent } = request.headers
  const read = typeof traceparent === 'string' ? readTraceparent(traceparent) : null
  const spanId = randomBytes(8).toString('hex')
  const trace =
    read === null
      ? null
      : {
          ids: { traceId: read.traceId, parentId: read.parentId, spanId },
          response: `00-${read.traceId}-${spanId}-${read.flags}`,
        }
  traces.set(request, trace)
  return trace
}
