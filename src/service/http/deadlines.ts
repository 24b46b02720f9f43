/**
 * Ends connections whose body arrives too late or whose transfer is too slow. The HTTP server itself limits headers, idle and
 * silent connections (faults H12, S29).
 */
import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../clock.ts'
import type { Limits } from '../limits.ts'

interface Watched {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly startedAt: number
  readonly isUpload: boolean
  /** The rate is measured from this time, and from the bytes moved until then. */
  since: number
  moved: number
}

export function watchDeadlines(clock: Clock, limits: Limits, onLate: (request: FastifyRequest, reply: FastifyReply) => void) {
  const watched = new Set<Watched>()
  const stop = new AbortController()

  const movedBy = ({ socket }: IncomingMessage): number => socket.bytesRead + socket.bytesWritten - socket.writableLength

  const check = (exchange: Watched): void => {
    const { raw } = exchange.request
    const now = clock.elapsed()
    const isArriving = !raw.complete
    // A pipelined request on a closed connection needs no answer.
    if (raw.socket.destroyed) watched.delete(exchange)
    else if (isArriving && now - exchange.startedAt >= (exchange.isUpload ? limits.uploadMs : limits.jsonMs)) {
      watched.delete(exchange)
      onLate(exchange.request, exchange.reply)
    } else {
      const moved = movedBy(raw)
      // While the service computes an answer no byte has to move.
      const isWorking = !isArriving && !exchange.reply.raw.headersSent
      if (isWorking || moved - exchange.moved >= limits.rateBytes) Object.assign(exchange, { since: now, moved })
      else if (now - exchange.since >= limits.rateMs) raw.socket.destroy()
    }
  }

  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await clock.sleep(limits.checkMs, stop.signal)
      for (const exchange of watched) check(exchange)
    }
  }
  void run()

  return {
    /** Watches a request until its answer is sent or its connection is closed. */
    watch(request: FastifyRequest, reply: FastifyReply): void {
      const isUpload = request.headers['content-type']?.toLowerCase().startsWith('multipart/') === true
      const now = clock.elapsed()
      const exchange = { request, reply, startedAt: now, isUpload, since: now, moved: movedBy(request.raw) }
      watched.add(exchange)
      reply.raw.once('close', () => watched.delete(exchange))
    },
    close: (): void => stop.abort(),
  }
}
