/**
 * Receives the parts of an upload: streams the file to disk and parses the form fields (contract §5.1, faults H15 to H18). The bytes around
 * the file (boundaries, part headers, fields) are limited here: the multipart parser itself reads without limit (faults H10, H17).
 */

import { randomUUID } from 'node:crypto'
import { createWriteStream, type WriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Multipart } from '@fastify/multipart'
import type { Limits } from '../limits.ts'
import { badRequest, Refusal } from '../refusal.ts'
import { partOf, publishPart } from '../storage/atomic-file.ts'

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

export interface Received {
  readonly id: string
  readonly filename: string
  readonly bytes: number
  readonly fields: ReadonlyMap<string, unknown>
  /** Names of text fields that the operation does not have. */
  readonly ignored: ReadonlySet<string>
}

interface Field {
  /** Parses the text; null for an invalid one. */
  readonly read: (text: string) => unknown
  readonly must: string
  readonly isRequired: boolean
}

export interface Form {
  /** Accepted names of the file part; messages use the first. */
  readonly file: readonly [string, ...string[]]
  readonly fields: Readonly<Record<string, Field>>
}

export interface Reception {
  readonly limits: Limits
  readonly form: Form
  readonly place: (id: string) => string
  /** Counts the bytes of the request. */
  readonly envelope: Envelope
}

const MESSAGE = 'The upload is not acceptable'

/** A file name without folders and control characters, of limited length. */
const plainName = (name: string, length: number): string =>
  (name.split(/[\\/]/).at(-1) ?? '').replaceAll(/[\u0000-\u001f\u007f]/g, '').slice(0, length)

/** Resolves or rejects only after the file is closed: a file that is still being opened would be created after its removal. */
async function written(source: Readable, file: WriteStream, signal: AbortSignal): Promise<void> {
  const closed = new Promise<void>(resolve => file.once('close', resolve))
  await pipeline(source, file, { signal }).finally(() => closed)
}

/** Yields the parts. Throws the reason of the signal when it is aborted: the parts of a rejected request may never end. */
async function* until<T>(parts: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = parts[Symbol.asyncIterator]()
  const aborted = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
  // The signal may abort while no part is awaited.
  aborted.catch(() => {})
  for (;;) {
    signal.throwIfAborted()
    const next = await Promise.race([iterator.next(), aborted])
    if (next.done === true) return
    yield next.value
  }
}

/**
 * Reads all parts. The file is written under a temporary name, and renamed only when the whole request is valid. Otherwise it is
 * removed, and the refusal of the envelope or a 400 that names the part is thrown.
 */
export async function receive(parts: AsyncIterable<Multipart>, { limits, form, place, envelope }: Reception): Promise<Received> {
  const { signal } = envelope
  const id = randomUUID()
  const path = place(id)
  let filename: string | null = null
  const [fileName] = form.file
  const fields = new Map<string, unknown>()
  const ignored = new Set<string>()
  let bytes = 0
  let fault: string | null = null
  try {
    // After a fault the rest is still read: answering in the middle of a body would make the connection unusable.
    for await (const part of until(parts, signal)) {
      const name = part.fieldname.slice(0, limits.fileNameLength)
      if (part.type === 'file') {
        if (!form.file.includes(name)) fault ??= `${name}: is not a file of this operation`
        else if (filename !== null) fault ??= `${fileName}: occurs twice`
        if (fault === null) {
          filename = plainName(part.filename, limits.fileNameLength)
          envelope.fileStarts(part.file)
          await written(part.file, createWriteStream(partOf(path), { flags: 'wx', mode: 0o600, flush: true }), signal)
          bytes = part.file.bytesRead
        } else part.file.resume()
      } else if (part.valueTruncated) {
        throw new Refusal(413, 'Content Too Large', `${name}: is longer than ${limits.uploadFieldBytes} bytes`)
      } else if (form.file.includes(name)) fault ??= `${name}: must be a file`
      else if (fields.has(name)) fault ??= `${name}: occurs twice`
      else {
        const field = Object.hasOwn(form.fields, name) ? form.fields[name] : undefined
        if (field === undefined) {
          ignored.add(name)
          continue
        }
        const value = field.read(String(part.value))
        if (value === null) fault ??= `${name}: must be ${field.must}`
        fields.set(name, value)
      }
    }
    if (filename === null) fault ??= `${fileName}: is missing`
    for (const [name, { isRequired }] of Object.entries(form.fields)) {
      if (isRequired && !fields.has(name)) fault ??= `${name}: is missing`
    }
    if (fault !== null || filename === null) throw badRequest(MESSAGE, fault ?? '')
    envelope.check()
    await publishPart(path)
    return { id, filename, bytes, fields, ignored }
  } catch (error) {
    for (const name of [partOf(path), path]) await rm(name, { force: true })
    signal.throwIfAborted()
    // Parser errors about the body have no code, unlike errors of disk, connection and limits.
    throw error instanceof Refusal || (error as NodeJS.ErrnoException).code !== undefined
      ? error
      : badRequest(MESSAGE, 'body: is not well-formed multipart/form-data')
  }
}
