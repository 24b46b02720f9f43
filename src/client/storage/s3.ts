/**
 * Objects in S3 and compatible stores, through Amazon's client: it signs requests and splits uploads into parts. Every request uses our
 * transport and retries. The client is loaded with the first such object.
 */
import { FettleError } from '../../errors.ts'
import { extensionsOf } from '../../formats/index.ts'
import { type S3Place, type S3Settings, s3Client } from './s3-client.ts'
import { type ObjectStore, openedObject } from './whole.ts'
import type { ObjectWire } from './wire.ts'

/** Small, so that a retry is quick; two parts are in memory at a time. */
const PART_BYTES = 8 * 1024 * 1024
const MAX_PARTS = 10_000

export function s3Store(
  wire: ObjectWire,
  settings: S3Settings,
  { bucket, key }: S3Place,
  label: string,
  signal?: AbortSignal,
): ObjectStore {
  const place = { Bucket: bucket, Key: key }
  return {
    async open(from, etag) {
      const { sdk, client, lastReply } = await s3Client(wire, settings, { access: 'read', label, signal })
      const part = from === 0 || etag === null ? {} : { Range: `bytes=${from}-`, IfMatch: etag }
      await client.send(new sdk.GetObjectCommand({ ...place, ...part }))
      return openedObject(lastReply(), label)
    },
    /** Writes the object completely or not at all. After a lost reply to the last request, it checks whether the object exists. */
    async put(file) {
      const { sdk, client } = await s3Client(wire, settings, { access: 'write', label, signal })
      const { Readable } = await import('node:stream')
      const Body = Readable.from(file.open(), { objectMode: false })
      const upload = new sdk.Upload({
        client,
        params: { ...place, Body, ContentType: file.type, Metadata: { sha256: file.sha256 } },
        partSize: Math.max(PART_BYTES, Math.ceil(file.bytes / MAX_PARTS)),
        queueSize: 2,
        leavePartsOnError: false,
      })
      try {
        await upload.done()
      } catch (error) {
        signal?.throwIfAborted()
        // Nothing was sent to a server without a valid certificate.
        if (FettleError.is(error) && error.code === 'FETTLE_TLS') throw error
        const existing = await client.send(new sdk.HeadObjectCommand(place)).catch(() => null)
        if (existing?.ContentLength === file.bytes && existing.Metadata?.sha256 === file.sha256) return
        throw asFettleError(error, label)
      }
    },
    /**
     * Starts an upload and aborts it. Without `isTable`, its name is not that of a table, so an existing object is not replaced. Throws
     * FETTLE_OUTPUT_WRITE.
     */
    async checkWritable(isTable) {
      const { sdk, client } = await s3Client(wire, settings, { access: 'write', label, signal })
      if (!isTable && (await client.send(new sdk.HeadObjectCommand(place)).catch(() => null)) !== null)
        throw new FettleError(
          'FETTLE_OUTPUT_WRITE',
          `${label}: the object exists and its name is not that of a table, so it is not replaced.`,
          { hint: `Name the output by its format: ${extensionsOf().join(', ')}.` },
        )
      try {
        const { UploadId } = await client.send(new sdk.CreateMultipartUploadCommand(place))
        await client.send(new sdk.AbortMultipartUploadCommand({ ...place, UploadId })).catch(() => {})
      } catch (error) {
        throw asFettleError(error, label)
      }
    },
  }
}

/** Converts errors of Amazon's client: a reply of 200 with an error, or an unreadable one. */
function asFettleError(error: unknown, label: string): unknown {
  if (FettleError.is(error)) return error
  const { name = 'unknown', message = '' } = error as Partial<Error>
  return new FettleError('FETTLE_UNAVAILABLE', `${label}: the server answered with an error: ${name} ${message}`.trim(), {
    cause: error,
    hint: 'Run the same command again: it resumes.',
  })
}
