/**
 * Objects in S3 and what speaks like it, by Amazon's own client: it signs, addresses and cuts into parts; every request goes
 * through our wire, and is repeated there alone. The client is loaded when somebody first asks for such an object.
 */
import { FettleError } from '../../errors.ts'
import { extensionsOf } from '../../formats/index.ts'
import type { Outgoing } from './https.ts'
import { s3Client } from './s3-client.ts'
import type { S3Place, S3Settings } from './s3-settings.ts'
import { type Opened, openedBy } from './whole.ts'
import type { ObjectWire } from './wire.ts'

/** So small a part is sent again quickly; two at a time are held in memory. */
const PART_BYTES = 8 * 1024 * 1024
const MOST_PARTS = 10_000

/** Opens an object at one of its bytes. */
export async function openS3(
  wire: ObjectWire,
  settings: S3Settings,
  { bucket, key }: S3Place,
  label: string,
  from: number,
  etag: string | null,
  signal?: AbortSignal,
): Promise<Opened> {
  const { sdk, client, lastReply } = await s3Client(wire, settings, { doing: 'read', label, signal })
  const part = from === 0 || etag === null ? {} : { Range: `bytes=${from}-`, IfMatch: etag }
  await client.send(new sdk.GetObjectCommand({ Bucket: bucket, Key: key, ...part }))
  return openedBy(lastReply(), label)
}

/**
 * Writes an object: whole at its end, or not at all. An end whose answer was lost is asked after before it is called a failure.
 */
export async function putS3(
  wire: ObjectWire,
  settings: S3Settings,
  { bucket, key }: S3Place,
  label: string,
  file: Outgoing,
  signal?: AbortSignal,
): Promise<void> {
  const { sdk, client } = await s3Client(wire, settings, { doing: 'write', label, signal })
  const { Readable } = await import('node:stream')
  const upload = new sdk.Upload({
    client,
    params: {
      Bucket: bucket,
      Key: key,
      Body: Readable.from(file.open(), { objectMode: false }),
      ContentType: file.type,
      Metadata: { sha256: file.sha256 },
    },
    partSize: Math.max(PART_BYTES, Math.ceil(file.bytes / MOST_PARTS)),
    queueSize: 2,
    leavePartsOnError: false,
  })
  try {
    await upload.done()
  } catch (error) {
    signal?.throwIfAborted()
    // Nothing was sent to a server that could not prove who it is.
    if (FettleError.is(error) && error.code === 'FETTLE_TLS') throw error
    const is = await client.send(new sdk.HeadObjectCommand({ Bucket: bucket, Key: key })).catch(() => null)
    if (is?.ContentLength === file.bytes && is.Metadata?.sha256 === file.sha256) return
    throw asOurs(error, label)
  }
}

/**
 * Whether an object could be written: an upload is begun and given up. `isTable` says that its name is one of a table; what is
 * there under another name is somebody's own. Throws FETTLE_OUTPUT_WRITE.
 */
export async function checkS3(
  wire: ObjectWire,
  settings: S3Settings,
  { bucket, key }: S3Place,
  label: string,
  isTable: boolean,
): Promise<void> {
  const { sdk, client } = await s3Client(wire, settings, { doing: 'write', label })
  const Place = { Bucket: bucket, Key: key }
  if (!isTable && (await client.send(new sdk.HeadObjectCommand(Place)).catch(() => null)) !== null)
    throw new FettleError('FETTLE_OUTPUT_WRITE', `${label}: it is there, and no table by its name, so it is not replaced.`, {
      hint: `Name the output by its format: ${extensionsOf().join(', ')}.`,
    })
  try {
    const { UploadId } = await client.send(new sdk.CreateMultipartUploadCommand(Place))
    await client.send(new sdk.AbortMultipartUploadCommand({ ...Place, UploadId })).catch(() => {})
  } catch (error) {
    throw asOurs(error, label)
  }
}

/** What the client throws of its own: an answer of 200 that tells an error, or one that it cannot read. */
function asOurs(error: unknown, label: string): unknown {
  if (FettleError.is(error)) return error
  const { name = 'unknown', message = '' } = error as Partial<Error>
  return new FettleError('FETTLE_UNAVAILABLE', `${label}: the server answered with an error: ${name} ${message}`.trim(), {
    cause: error,
    hint: 'Run the same command again: what was begun goes on.',
  })
}
