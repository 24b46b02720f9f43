/**
 * Limits the bytes around the file of an upload (boundaries, part headers, fields), and the file by a check of the caller. The
 * multipart parser itself reads without limit (faults H10, H17).
 */
import type { IncomingMessage } from 'node:http'
import { Refusal } from '../refusal.ts'

/** Bytes that may have arrived but are not parsed yet. */
const UNPARSED = 1024 * 1024

export interface Envelope {
  /** Aborted when far too much has arrived, or the connection broke before the body was read; its reason is the refusal. */
  readonly signal: AbortSignal
  /** Call when the file part starts: its bytes do not count as envelope. */
  fileStarts(file: { readonly bytesRead: number }): void
  /** Throws the refusal when the parsed request was too large. */
  check(): void
}

/**
 * Counts the bytes of a request and allows `limit` of them outside the file. `admit` receives the current size of the file and throws
 * the refusal of a file that is too large.
 */
export function watchEnvelope(request: IncomingMessage, limit: number, admit: (fileBytes: number) => void = () => {}): Envelope {
  const stop = new AbortController()
  let total = 0
  let file: { readonly bytesRead: number } = { bytesRead: 0 }
  const require = (allowed: number): void => {
    if (total - file.bytesRead > allowed) {
      throw new Refusal(413, 'Content Too Large', `the body is larger than its file allows: ${limit} bytes are allowed around it`)
    }
    admit(file.bytesRead)
  }
  request.on('data', (chunk: Buffer) => {
    total += chunk.length
    if (stop.signal.aborted) return
    try {
      require(limit + UNPARSED)
    } catch (refusal) {
      stop.abort(refusal)
    }
  })
  // Its parts would never end: a connection that broke before this emits nothing more.
  if (request.destroyed && !request.complete) stop.abort(new Refusal(400, 'Bad Request', 'the body broke off'))
  return {
    signal: stop.signal,
    fileStarts(part) {
      file = part
    },
    check: () => require(limit),
  }
}
