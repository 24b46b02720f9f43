/**
 * Bounds what an upload sends besides its file: boundaries, part headers, fields, text before and after. The multipart parser
 * reads over all of these without an end (faults H10, H17). It knows no part by name.
 */
import type { IncomingMessage } from 'node:http'
import { Refusal } from '../refusal.ts'

/** Bytes that may have arrived and not yet been parsed. */
const IN_HAND = 1024 * 1024

/** Counts one request. */
export interface Envelope {
  /** Rejects as soon as there is far too much; never resolves. */
  readonly broken: Promise<never>
  /** The upload's file has begun: its bytes are not counted. */
  fileBegins(file: { readonly bytesRead: number }): void
  /** Throws the 413 when, with all parts read, there was too much. */
  check(): void
}

/** Counts the bytes of a request from now on, and allows `limit` of them outside the file. */
export function watchEnvelope(request: IncomingMessage, limit: number): Envelope {
  let total = 0
  let file: { readonly bytesRead: number } = { bytesRead: 0 }
  const outside = (): number => total - file.bytesRead
  const tooLarge = (): Refusal =>
    new Refusal(413, 'Content Too Large', `the body is larger than its file allows: ${limit} bytes may stand around it`)
  const broken = new Promise<never>((_, reject) => {
    request.on('data', (chunk: Buffer) => {
      total += chunk.length
      if (outside() > limit + IN_HAND) reject(tooLarge())
    })
  })
  broken.catch(() => {
    // Whoever races against it is told; nobody may be left to hear.
  })
  return {
    broken,
    fileBegins(begun) {
      file = begun
    },
    check() {
      if (outside() > limit) throw tooLarge()
    },
  }
}
