/**
 * W3C Trace Context: reads `traceparent`, and writes the trace to the log and to `traceresponse`, so that a request can be
 * found on both sides. An invalid header is ignored; the service starts no trace.
 */
import { randomBytes } from 'node:crypto'
import type { FastifyRequest } from 'fastify'

export interface Trace {
  /** For the log: trace, span of the caller, span of this service. */
  readonly ids: { readonly traceId: string; readonly parentId: string; readonly spanId: string }
  /** Value of `traceresponse`. */
  readonly response: string
}

// Later versions may add fields after a dash, version 00 has none, and ff is invalid (§3.2.2).
const FORM = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** Parses a header; null for an invalid one. */
export function readTraceparent(header: string): { traceId: string; parentId: string; flags: string } | null {
  const [, version, traceId, parentId, flags, rest] = FORM.exec(header) ?? []
  if (traceId === undefined || parentId === undefined || flags === undefined) return null
  return version === '00' && rest !== undefined ? null : { traceId, parentId, flags }
}

const traces = new WeakMap<FastifyRequest, Trace | null>()

/** The trace of a request, the same at every call; null without one. */
export function traceOf(request: FastifyRequest): Trace | null {
  const kept = traces.get(request)
  if (kept !== undefined) return kept
  const { traceparent } = request.headers
  const read = typeof traceparent === 'string' ? readTraceparent(traceparent) : null
  const spanId = randomBytes(8).toString('hex')
  const trace = read && {
    ids: { traceId: read.traceId, parentId: read.parentId, spanId },
    response: `00-${read.traceId}-${spanId}-${read.flags}`,
  }
  traces.set(request, trace)
  return trace
}
