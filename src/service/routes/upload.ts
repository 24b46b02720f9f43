/** The upload of a job's file: contract §5.1 row 4. It decides what a broken transfer means for the job; upload.ts of jobs/ reads it. */
import { rm } from 'node:fs/promises'
import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { countColumns } from '../jobs/csv.ts'
import { watchEnvelope } from '../jobs/envelope.ts'
import { type Form, type Received, receive } from '../jobs/upload.ts'
import { requireStatus } from '../jobs/walk.ts'
import type { Limits } from '../limits.ts'
import { badRequest, Refusal } from '../refusal.ts'
import type { Job, Upload } from '../store/jobs.ts'
import type { Context } from './context.ts'
import { uploadRecord } from './job-record.ts'
import { type Call, route } from './operation.ts'

/** 400: the body is no upload at all. */
export const notMultipart = (): Error => badRequest('The upload is not acceptable', 'Content-Type: must be multipart/form-data')

/** `true`, `false`, `1`, `0` in any case (contract §14.1). */
const HAS_HEADER: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

const FORM: Form = {
  file: ['jobFile'],
  fields: {
    hasHeader: { read: text => HAS_HEADER.get(text.toLowerCase()) ?? null, must: 'true or false', isRequired: true },
  },
}

/** Makes this scope understand multipart bodies, and nothing else. */
export async function takeMultipart(scope: FastifyInstance, limits: Limits): Promise<void> {
  scope.removeAllContentTypeParsers()
  await scope.register(multipart, {
    limits: {
      // One more than allowed, so that the second file can be named instead of counted.
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

/** Registers the upload on a scope of its own: only there is a multipart body understood. */
export async function uploadRoute(scope: FastifyInstance, context: Context): Promise<void> {
  const { look, jobs, places, clock, limits } = context
  /** Jobs whose file is arriving now: a job that says so and is not here was left behind by a disk that could not be written. */
  const arriving = new Set<string>()
  await takeMultipart(scope, limits)

  /** Throws a 507 when this user's files, with these bytes in place of the job's present file, would be too many. */
  const requireRoom = ({ owner, upload }: Job, bytes: number): void => {
    const kept = jobs.usage(owner)
    const [files, size] = [kept.files - (upload === null ? 0 : 1), kept.bytes - (upload?.bytes ?? 0)]
    if (files + 1 <= limits.userUploads && size + bytes <= limits.userUploadBytes) return
    const details = `jobFile: this user keeps ${files} files of ${size} bytes; ${limits.userUploads} of ${limits.userUploadBytes} are allowed`
    throw new Refusal(507, 'Insufficient storage', details)
  }

  const receiveFor = async (job: Job, request: FastifyRequest): Promise<Received> => {
    const envelope = watchEnvelope(request.raw, limits.uploadEnvelopeBytes)
    const parts = request.parts({ limits: { fileSize: limits.uploadBytes } })
    const received = receive(parts, { limits, form: FORM, place: places.upload, onFile: envelope.fileBegins })
    try {
      const arrived = await Promise.race([received, envelope.broken])
      envelope.check()
      requireRoom(job, arrived.bytes)
      return arrived
    } catch (error) {
      // Also when it comes to its end after all.
      void received.then(
        ({ id }) => rm(places.upload(id), { force: true }),
        () => {},
      )
      throw error
    }
  }

  const handler = async ({ user, id, request }: Pick<Call<unknown, unknown>, 'user' | 'id' | 'request'>): Promise<unknown> => {
    const before = look.job(user, id)
    const isStranded = before.status === 'uploading' && !arriving.has(id)
    requireStatus('upload', isStranded ? 'uploadError' : before.status)
    if (!request.isMultipart()) throw notMultipart()
    requireRoom(before, 0)
    if (Number(request.headers['content-length']) > limits.uploadBytes + limits.uploadEnvelopeBytes) {
      throw new Refusal(413, 'Content Too Large', `jobFile: is larger than ${limits.uploadBytes} bytes`)
    }
    jobs.change(before.id, { status: 'uploading', details: null })
    arriving.add(id)
    try {
      const received = await receiveFor(before, request)
      const columns = await countColumns(places.upload(received.id), limits)
      const { fields, ...file } = received
      const upload: Upload = { ...file, hasHeader: fields.get('hasHeader') === true, columns, createdAt: clock.now() }
      const job = jobs.change(before.id, { status: 'uploaded', upload, mappings: [] })
      if (before.upload !== null) await rm(places.upload(before.upload.id), { force: true })
      return uploadRecord(job, upload, request.id)
    } catch (error) {
      // A form that is wrong changes nothing; a transfer that broke is an upload error (contract §5.6).
      const { status, details } = before
      const isForm = error instanceof Refusal && request.raw.complete && !isStranded
      jobs.change(before.id, isForm ? { status, details } : { status: 'uploadError', details: 'the file did not arrive whole' })
      throw error
    } finally {
      arriving.delete(id)
    }
  }
  route(scope, context, 'upload', handler, { bodyLimit: limits.uploadBytes })
}
