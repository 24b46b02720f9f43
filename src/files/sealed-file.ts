/**
 * Files that appear complete or not at all, never change, and prove what they hold: sections of bytes, a head as JSON, and at the end its
 * length, its checksum and the kind of the file. What the digests of the sections are is part of the head.
 */
import { createHash } from 'node:crypto'
import { closeSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import type { FettleError } from '../errors.ts'
import { openSink, type Sink } from './atomic-file.ts'
import { openKept, readKeptAt, unreadableKept } from './kept-files.ts'

/** Length of the head 4 bytes, its CRC-32 4, the kind 8. */
const TRAILER = 16

export interface Section {
  readonly bytes: number
  readonly sha256: string
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Its methods throw FETTLE_OUTPUT_WRITE. */
export class SealedWriter {
  readonly #sink: Sink
  #hash = createHash('sha256')
  #bytes = 0

  private constructor(sink: Sink) {
    this.#sink = sink
  }

  static async open(path: string): Promise<SealedWriter> {
    return new SealedWriter(await openSink(path))
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#hash.update(bytes)
    this.#bytes += bytes.length
    await this.#sink.write(bytes)
  }

  endSection(): Section {
    const section = { bytes: this.#bytes, sha256: this.#hash.digest('hex') }
    this.#hash = createHash('sha256')
    this.#bytes = 0
    return section
  }

  /** `kind`: eight letters. Returns the digest of the head. */
  async publish(kind: string, head: object): Promise<string> {
    const text = Buffer.from(JSON.stringify(head))
    const trailer = Buffer.alloc(TRAILER)
    trailer.writeUInt32LE(text.length)
    trailer.writeUInt32LE(crc32(text), 4)
    trailer.write(kind, 8, 'latin1')
    await this.#sink.write(Buffer.concat([text, trailer]))
    await this.#sink.finish()
    await this.#sink.publish()
    return sha256(text)
  }

  /** Removes what was written; does nothing after `publish`. */
  discard(): Promise<void> {
    return this.#sink.discard()
  }
}

/** Its methods throw FETTLE_OUTPUT_WRITE. Always call `close`. */
export class SealedFile {
  readonly path: string
  readonly bytes: number
  /** The head, and the end of the sections before it. */
  readonly head: Buffer
  readonly end: number
  readonly #fd: number
  readonly #hint: string

  private constructor(path: string, { fd, bytes }: { readonly fd: number; readonly bytes: number }, kind: string, hint: string) {
    this.path = path
    this.bytes = bytes
    this.#fd = fd
    this.#hint = hint
    const trailer = this.read(Math.max(0, bytes - TRAILER), TRAILER)
    const length = trailer.readUInt32LE()
    this.end = bytes - TRAILER - length
    if (trailer.toString('latin1', 8) !== kind || this.end < 0) throw this.damaged()
    this.head = this.read(this.end, length)
    if (crc32(this.head) !== trailer.readUInt32LE(4)) throw this.damaged()
  }

  /** Null for a file that does not exist. `hint`: what to do about a damaged one. */
  static open(path: string, kind: string, hint: string): SealedFile | null {
    const file = openKept(path)
    if (file === null) return null
    try {
      return new SealedFile(path, { fd: file.fd, bytes: file.stats.size }, kind, hint)
    } catch (error) {
      closeSync(file.fd)
      throw error
    }
  }

  get digest(): string {
    return sha256(this.head)
  }

  /** Fills `into` from the place on, and returns it; less at the end of the file. */
  readInto(place: number, into: Buffer): Buffer {
    return readKeptAt(this.path, this.#fd, place, into)
  }

  read(place: number, length: number): Buffer {
    const bytes = this.readInto(place, Buffer.allocUnsafe(length))
    if (bytes.length < length) throw this.damaged('it ends early')
    return bytes
  }

  section(place: number, section: Section): Buffer {
    const [bytes = Buffer.alloc(0)] = this.chunks(place, section, section.bytes)
    return bytes
  }

  /** The bytes of a section in pieces: the last one is given once all are proved. */
  *chunks(place: number, { bytes, sha256: digest }: Section, most: number): Generator<Buffer, undefined> {
    const hash = createHash('sha256')
    for (let done = 0; done < bytes; ) {
      const chunk = this.read(place + done, Math.min(most, bytes - done))
      hash.update(chunk)
      done += chunk.length
      if (done === bytes && hash.digest('hex') !== digest) throw this.damaged()
      yield chunk
    }
  }

  damaged(why = 'it was changed'): FettleError {
    return unreadableKept(this.path, new Error(why), this.#hint)
  }

  close(): void {
    closeSync(this.#fd)
  }
}
