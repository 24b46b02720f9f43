/** Uploads the file of a job (contract §5.1 row 4), within the quota of its user, and sets the status of the job after a failed transfer. */

import { rm } from 'node:fs/promises'
import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { countColumns } from '../csv/csv.ts'
import type { AppDeps } from '../deps.ts'
import { type Call, nameIgnored, route } from '../http/route.ts'
import type { Limits } from '../limits.ts'
import { badRequest, Refusal } from '../refusal.ts'
import { uploadRecord } from './job-record.ts'
import { requireStatus } from './job-rules.ts'
import type { Job, JobStore, Upload } from './jobs-store.ts'
import { type Form, type Received, receive, watchEnvelope } from './receive-upload.ts'

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

  const requireRoom = (one: PendingUpload): void => {
    let { files, bytes } = jobs.usage(one.owner)
    for (const other of arriving.values()) {
      if (other === one || other.owner !== one.owner) continue
      files += other.files
      bytes += Math.max(0, other.bytes - other.freed)
    }
    if (files + one.files <= limits.userUploads && bytes + one.bytes - one.freed <= limits.userUploadBytes) return
    const details = `jobFile: this user has ${files} files of ${bytes} bytes, uploads in progress included; ${limits.userUploads} of ${limits.userUploadBytes} are allowed`
    // The rest of the body is not read.
    throw new Refusal(507, 'Insufficient storage', details, { Connection: 'close' })
  }

  return {
    has: (jobId: string): boolean => arriving.has(jobId),
    /** Throws a 507 when the quota does not allow this size. */
    begin({ id, owner, upload }: Job, bytes: number) {
      const isFreed = [...arriving.values()].some(other => other.owner === owner && other.freed > 0)
      const one: PendingUpload = { owner, files: upload === null ? 1 : 0, freed: isFreed ? 0 : (upload?.bytes ?? 0), bytes }
      requireRoom(one)
      arriving.set(id, one)
      return {
        /** Throws a 507 when the file exceeds the quota of the user at this size. */
        admit(grown: number): void {
          one.bytes = Math.max(one.bytes, grown)
          requireRoom(one)
        },
        end: (): void => void arriving.delete(id),
      }
    },
  }
}

/** 400: the body is not multipart. */
export const notMultipart = (): Error => badRequest('The upload is not acceptable', 'Content-Type: must be multipart/form-data')

/** `true`, `false`, `1`, `0` in any case (contract §14.1). */
const HAS_HEADER: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

type UploadCall = Pick<Call<unknown, unknown>, 'user' | 'id' | 'request' | 'reply'>

const FORM: Form = {
  file: ['jobFile'],
  fields: {
    hasHeader: { read: text => HAS_HEADER.get(text.toLowerCase()) ?? null, must: 'true or false', isRequired: true },
  },
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
  const { objects, jobs, files, clock, limits, play } = deps
  /** A job at `uploading` that is not listed here was interrupted by a disk error. */
  const arrivals = makeArrivals(jobs, limits)
  await acceptMultipart(scope, limits)

  const take = async (
    before: Job,
    { request, reply }: Pick<UploadCall, 'request' | 'reply'>,
    arrival: ReturnType<typeof arrivals.begin>,
  ): Promise<unknown> => {
    const envelope = watchEnvelope(request.raw, limits.uploadEnvelopeBytes, arrival.admit)
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
      jobs.change(
        before.id,
        isForm ? { status, details } : { status: 'uploadError', details: 'the file did not arrive completely' },
      )
      throw error
    }
  }

  const handler = async ({ user, id, request, reply }: UploadCall): Promise<unknown> => {
    const before = objects.job(user, id)
    const isInterrupted = before.status === 'uploading' && !arrivals.has(id)
    requireStatus('upload', isInterrupted ? 'uploadError' : before.status)
    if (!request.isMultipart()) throw notMultipart()
    const announced = Number(request.headers['content-length'] ?? 0)
    if (announced > limits.uploadBytes + limits.uploadEnvelopeBytes) {
      throw new Refusal(413, 'Content Too Large', `jobFile: is larger than ${limits.uploadBytes} bytes`)
    }
    const arrival = arrivals.begin(before, Math.max(0, announced - limits.uploadEnvelopeBytes))
    const record = await take(before, { request, reply }, arrival).finally(arrival.end)
    if (before.upload !== null) await rm(files.upload(before.upload.id), { force: true })
    return record
  }
  route(scope, deps, 'upload', handler, { bodyLimit: limits.uploadBytes })
}
