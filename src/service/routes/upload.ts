/** The upload of a job's file: contract §5.1 row 4. It decides what a broken transfer means for the job; upload.ts of jobs/ reads it. */
import { rm } from 'node:fs/promises'
import multipart from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { countColumns } from '../jobs/csv.ts'
import { receive } from '../jobs/upload.ts'
import { requireStatus } from '../jobs/walk.ts'
import { badRequest, Refusal, unknownJob } from '../refusal.ts'
import type { Upload } from '../store/jobs.ts'
import type { Context } from './context.ts'
import { uploadRecord } from './job-record.ts'
import { route } from './operation.ts'

const notMultipart = (): Error => badRequest('The upload is not acceptable', 'Content-Type: must be multipart/form-data')

/** Registers the upload on a scope of its own: only there is a multipart body understood, and nothing else is. */
export async function uploadRoute(scope: FastifyInstance, context: Context): Promise<void> {
  const { jobs, places, clock, limits } = context
  const { uploadParts, uploadFieldBytes } = limits
  scope.removeAllContentTypeParsers()
  await scope.register(multipart, {
    // Two files, so that the second can be named instead of counted.
    limits: { files: 2, parts: uploadParts, fields: uploadParts, fieldSize: uploadFieldBytes, headerPairs: 20 },
  })
  scope.addContentTypeParser('*', (_request: FastifyRequest, _payload: unknown, done: (error: Error) => void) => {
    done(notMultipart())
  })

  const handler = async ({
    user,
    id,
    request,
  }: {
    user: { id: number }
    id: string
    request: FastifyRequest
  }): Promise<unknown> => {
    const before = jobs.find(user.id, id)
    if (before === null) throw unknownJob()
    requireStatus('upload', before.status)
    if (!request.isMultipart()) throw notMultipart()
    jobs.change(before.id, { status: 'uploading', details: null })
    try {
      const received = await receive(request.parts({ limits: { fileSize: limits.uploadBytes } }), places.upload)
      const columns = await countColumns(places.upload(received.id), limits)
      const upload: Upload = { ...received, columns, createdAt: clock.now() }
      const job = jobs.change(before.id, { status: 'uploaded', upload, mappings: [] })
      if (before.upload !== null) await rm(places.upload(before.upload.id), { force: true })
      return uploadRecord(job, upload, request.id)
    } catch (error) {
      // A form that is wrong changes nothing; a transfer that broke is an upload error (contract §5.6).
      const { status, details } = before
      const isForm = error instanceof Refusal && request.raw.complete
      jobs.change(before.id, isForm ? { status, details } : { status: 'uploadError', details: 'the file did not arrive whole' })
      throw error
    }
  }
  route(scope, context, 'upload', handler, { bodyLimit: limits.uploadBytes })
}
