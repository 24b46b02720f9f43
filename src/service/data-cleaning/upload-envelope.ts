/**
 * Bounds what an upload sends: boundaries, part headers, fields and text around its file by their bytes, the file by what the caller
 * admits. The multipart parser reads over the former without an end (faults H10, H17). It knows no part by name.
 */
import type { IncomingMessage } from 'node:http'
import { Refusal } from '../refusal.ts'

/** Bytes that may have arrived and not yet been parsed. */
const IN_HAND = 1024 * 1024

/** Counts one request. */
export interface Envelope {
  /** Aborted as soon as far too much has arrived; its reason is the refusal. */
  readonly signal: AbortSignal
  /** The upload's file has begun: its bytes are not counted as envelope. */
  fileBegins(file: { readonly bytesRead: number }): void
  /** Throws the refusal when, with all parts read, there was too much. */
  check(): void
}

/**
 * Counts the bytes of a request from now on, and allows `limit` of them outside the file. `admit` is called with the bytes of the file so
 * far and throws the refusal of a file that may not grow to that size.
 */
export function watchEnvelope(request: IncomingMessage, limit: number, admit: (fileBytes: number) => void = () => {}): Envelope {
  const stop = new AbortController()
  let total = 0
  let file: { readonly bytesRead: number } = { bytesRead: 0 }
  const require = (allowed: number): void => {
    if (total - file.bytesRead > allowed) {
      throw new Refusal(413, 'Content Too Large', `the body is larger than its file allows: ${limit} bytes may stand around it`)
    }
    admit(file.bytesRead)
  }
  request.on('data', (chunk: Buffer) => {
    total += chunk.length
    if (stop.signal.aborted) return
    try {
      require(limit + IN_HAND)
    } catch (refusal) {
      stop.abort(refusal)
    }
  })
  return {
    signal: stop.signal,
    fileBegins(begun) {
      file = begun
    },
    check: () => require(limit),
  }
}
