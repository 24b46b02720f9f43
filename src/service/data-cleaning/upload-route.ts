/**
 * Uploads the file of a job (contract §5.1 row 4), within the quota of its user, and sets the status of the job after a failed transfer.
 * Streams the file to disk and parses the form fields (contract §5.1, faults H15 to H18). The bytes around the file (boundaries, part
 * headers, fields) are limited here: the multipart parser itself reads without limit (faults H10, H17).
 */

import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import multipart, { type Multipart } from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { countColumns } from '../csv/csv.ts'
import type { AppDeps } from '../deps.ts'
import { type Call, createRouter, nameIgnored } from '../http/route.ts'
import type { Limits } from '../limits.ts'
import { badRequest, Refusal } from '../refusal.ts'
import { namePart, publishPart } from '../storage/atomic-file.ts'
import { uploadRecord } from './job-record.ts'
import { requireStatus } from './job-rules.ts'
import type { Job, JobStore, Upload } from './jobs-store.ts'

/** Bytes that may have arrived but are not parsed yet. */
const UNPARSED = 1024 * 1024

interface Envelope {
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

interface Received {
  readonly id: string
  readonly filename: string
  readonly bytes: number
  readonly fields: ReadonlyMap<string, unknown>
  /** Names of text fields that the operation does not have. */
  readonly ignored: ReadonlySet<string>
}

interface Reception {
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
async function writeFile(source: Readable, path: string, signal: AbortSignal): Promise<void> {
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true })
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
          await writeFile(part.file, namePart(path), signal)
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
    for (const name of [namePart(path), path]) await rm(name, { force: true })
    signal.throwIfAborted()
    // Parser errors about the body have no code, unlike errors of disk, connection and limits.
    throw error instanceof Refusal || (error as NodeJS.ErrnoException).code !== undefined
      ? error
      : badRequest(MESSAGE, 'body: is not well-formed multipart/form-data')
  }
}

interface PendingUpload {
  readonly owner: number
  /** 0 when the file replaces the current one of the job. */
  readonly files: 0 | 1
  /** Size of the replaced file, deducted for one upload of a user at a time, since both files exist until the end. */
  readonly freed: number
  bytes: number
}

function makeArrivals(jobs: Pick<JobStore, 'usage'>, limits: Limits) {
  const arriving = new Map<string, PendingUpload>()

  const requireRoom = (upload: PendingUpload): void => {
    let { files, bytes } = jobs.usage(upload.owner)
    for (const other of arriving.values()) {
      if (other === upload || other.owner !== upload.owner) continue
      files += other.files
      bytes += Math.max(0, other.bytes - other.freed)
    }
    if (files + upload.files <= limits.userUploads && bytes + upload.bytes - upload.freed <= limits.userUploadBytes) return
    const details = `jobFile: this user has ${files} files of ${bytes} bytes, uploads in progress included; ${limits.userUploads} of ${limits.userUploadBytes} are allowed`
    // The rest of the body is not read.
    throw new Refusal(507, 'Insufficient storage', details, { Connection: 'close' })
  }

  return {
    has: (jobId: string): boolean => arriving.has(jobId),
    /** Throws a 507 when the quota does not allow this size. */
    begin({ id, owner, upload }: Job, bytes: number) {
      const isFreed = [...arriving.values()].some(other => other.owner === owner && other.freed > 0)
      const pending: PendingUpload = { owner, files: upload === null ? 1 : 0, freed: isFreed ? 0 : (upload?.bytes ?? 0), bytes }
      requireRoom(pending)
      arriving.set(id, pending)
      return {
        /** Throws a 507 when the file exceeds the quota of the user at this size. */
        admit(grown: number): void {
          pending.bytes = Math.max(pending.bytes, grown)
          requireRoom(pending)
        },
        end: (): void => void arriving.delete(id),
      }
    },
  }
}

/** 400: the body is not multipart. */
export const notMultipart = (): Error => badRequest(MESSAGE, 'Content-Type: must be multipart/form-data')

/** `true`, `false`, `1`, `0` in any case (contract §14.1). */
const HAS_HEADER: ReadonlyMap<string, boolean> = new Map(Object.entries({ true: true, 1: true, false: false, 0: false }))

type UploadCall = Pick<Call<unknown, unknown>, 'user' | 'id' | 'request' | 'reply'>

const FORM: Form = {
  file: ['jobFile'],
  fields: { hasHeader: { read: text => HAS_HEADER.get(text.toLowerCase()) ?? null, must: 'true or false', isRequired: true } },
}

export async function acceptMultipart(scope: FastifyInstance, limits: Limits): Promise<void> {
  scope.removeAllContentTypeParsers()
  await scope.register(multipart, {
    limits: {
      // One more than allowed, so that the message can name the second file.
      files: limits.uploadFiles + 1,
      parts: limits.uploadParts,
      fields: limits.uploadFields,
      fieldSize: limits.uploadFieldBytes,
    },
  })
  scope.addContentTypeParser('*', (_request: FastifyRequest, _payload: unknown, done: (error: Error) => void) => {
    done(notMultipart())
  })
}

/** Register in a separate scope: only there multipart bodies are parsed. */
export async function uploadRoute(scope: FastifyInstance, deps: AppDeps): Promise<void> {
  const route = createRouter(scope, deps)
  const { objects, jobs, files, clock, limits, play } = deps
  /** A job at `uploading` that is not listed here was interrupted by a disk error. */
  const arrivals = makeArrivals(jobs, limits)
  await acceptMultipart(scope, limits)

  const take = async (before: Job, { request, reply }: UploadCall, admit: (bytes: number) => void): Promise<unknown> => {
    const envelope = watchEnvelope(request.raw, limits.uploadEnvelopeBytes, admit)
    const parts = request.parts({ limits: { fileSize: limits.uploadBytes } })
    jobs.change(before.id, { status: 'uploading', details: null })
    let received: Received | null = null
    try {
      received = await receive(parts, { limits, form: FORM, place: files.upload, envelope })
      const columns = await countColumns(files.upload(received.id), limits)
      const { fields, ignored, ...file } = received
      nameIgnored(reply, ignored)
      const upload: Upload = { ...file, hasHeader: fields.get('hasHeader') === true, columns, createdAt: clock.now() }
      return uploadRecord(jobs.change(before.id, { status: 'uploaded', upload, mappings: [] }), upload, play, request.id)
    } catch (error) {
      if (received !== null) await rm(files.upload(received.id), { force: true })
      // An invalid form changes nothing; a broken transfer is an upload error (contract §5.6).
      const { status, details } = before
      const isForm = error instanceof Refusal && request.raw.complete && status !== 'uploading'
      const broken = { status: 'uploadError', details: 'the file did not arrive completely' } as const
      jobs.change(before.id, isForm ? { status, details } : broken)
      throw error
    }
  }

  const handler = async (call: UploadCall): Promise<unknown> => {
    const { user, id, request } = call
    const before = objects.job(user, id)
    const isInterrupted = before.status === 'uploading' && !arrivals.has(id)
    requireStatus('upload', isInterrupted ? 'uploadError' : before.status)
    if (!request.isMultipart()) throw notMultipart()
    const announced = Number(request.headers['content-length'] ?? 0)
    if (announced > limits.uploadBytes + limits.uploadEnvelopeBytes) {
      throw new Refusal(413, 'Content Too Large', `jobFile: is larger than ${limits.uploadBytes} bytes`)
    }
    const arrival = arrivals.begin(before, Math.max(0, announced - limits.uploadEnvelopeBytes))
    const record = await take(before, call, arrival.admit).finally(arrival.end)
    if (before.upload !== null) await rm(files.upload(before.upload.id), { force: true })
    return record
  }
  route('upload', handler, { bodyLimit: limits.uploadBytes })
}
