/**
 * Ends connections whose request or answer takes too long or moves too slowly: a body by the time its route allows, a transfer
 * by its rate. Headers, idle and silent connections are the HTTP server's own affair (faults H12, S29).
 */
import type { IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../clock.ts'
import type { Limits } from '../limits.ts'

/** The requests under way. */
export interface Deadlines {
  /** Looks after this request until its answer is out or its connection gone. */
  watch(request: FastifyRequest, reply: FastifyReply): void
  close(): void
}

interface Watched {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly began: number
  readonly isUpload: boolean
  /** Where the rate is taken from: a moment, and the bytes moved until then. */
  since: number
  moved: number
}

/** Answers a request whose body did not arrive in time, and closes its connection. */
type Late = (request: FastifyRequest, reply: FastifyReply) => void

/** Makes the watch and starts it. */
export function watchDeadlines(clock: Clock, limits: Limits, late: Late): Deadlines {
  const watched = new Set<Watched>()
  const stop = new AbortController()

  const movedBy = ({ socket }: IncomingMessage): number => socket.bytesRead + socket.bytesWritten - socket.writableLength

  const look = (one: Watched): void => {
    const { raw } = one.request
    const now = clock.elapsed()
    const isArriving = !raw.complete
    // A pipelined request whose turn never came is told of nothing.
    if (raw.socket.destroyed) watched.delete(one)
    else if (isArriving && now - one.began >= (one.isUpload ? limits.uploadMs : limits.jsonMs)) {
      watched.delete(one)
      late(one.request, one.reply)
    } else {
      const moved = movedBy(raw)
      // While the service itself is at work nothing has to move.
      const isWorking = !isArriving && !one.reply.raw.headersSent
      if (isWorking || moved - one.moved >= limits.rateBytes) Object.assign(one, { since: now, moved })
      else if (now - one.since >= limits.rateMs) raw.socket.destroy()
    }
  }

  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await clock.sleep(limits.checkMs, stop.signal)
      for (const one of watched) look(one)
    }
  }
  void run()

  return {
    watch(request, reply) {
      const isUpload = request.headers['content-type']?.toLowerCase().startsWith('multipart/') === true
      const now = clock.elapsed()
      const one = { request, reply, began: now, isUpload, since: now, moved: movedBy(request.raw) }
      watched.add(one)
      reply.raw.once('close', () => watched.delete(one))
    },
    close: () => stop.abort(),
  }
}
