/**
 * Objects in S3 and compatible stores, through Amazon's client: it signs requests and splits uploads into parts. Every request uses our
 * transport and retries. The client is loaded with the first such object.
 */
import { FettleError } from '../../errors.ts'
import { listExtensions } from '../../formats/index.ts'
import { installCommand } from '../../package-file.ts'
import type { Reply } from '../http/transport.ts'
import { type ObjectStore, openedObject } from './whole.ts'
import type { Access, ObjectWire } from './wire.ts'

export interface S3Settings {
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string | null
  /** Null for Amazon's own. */
  readonly endpoint: string | null
}

export interface S3Place {
  readonly bucket: string
  readonly key: string
}

interface S3Purpose {
  readonly access: Access
  readonly label: string
  readonly signal?: AbortSignal
}

type Sdk = typeof import('@aws-sdk/client-s3') & { readonly Upload: typeof import('@aws-sdk/lib-storage').Upload }

/** Throws FETTLE_SETTINGS with the command that installs them. */
async function loadSdk(): Promise<Sdk> {
  try {
    return { ...(await import('@aws-sdk/client-s3')), Upload: (await import('@aws-sdk/lib-storage')).Upload }
  } catch (cause) {
    const what = "s3:// addresses need the packages of Amazon's S3 client, and they are not installed"
    throw new FettleError('FETTLE_SETTINGS', what, { hint: installCommand('@aws-sdk/client-s3', '@aws-sdk/lib-storage'), cause })
  }
}

const RIGHTS =
  'Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, and the rights of their user on the bucket (s3:GetObject, s3:PutObject, s3:AbortMultipartUpload).'
const REGION = 'The bucket is in another region: set AWS_REGION to it.'
const PLACE = 'Check bucket and key, AWS_REGION and AWS_ENDPOINT_URL_S3.'
const HINTS = { 301: REGION, 307: REGION, 400: `${RIGHTS} ${REGION}`, 401: RIGHTS, 403: RIGHTS, 404: PLACE, 405: PLACE }

interface SdkRequest {
  readonly method: string
  readonly protocol: string
  readonly hostname: string
  readonly port?: number
  readonly path: string
  readonly query?: Readonly<Record<string, string | readonly string[] | null>>
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
}

async function s3Client(wire: ObjectWire, settings: S3Settings, { access, label, signal }: S3Purpose) {
  const sdk = await loadSdk()
  const { region, endpoint, accessKeyId, secretAccessKey, sessionToken } = settings
  for (const secret of [secretAccessKey, sessionToken]) if (secret !== null) wire.redactor.hide(secret)
  let last: Reply | null = null
  const handle = async (request: SdkRequest) => {
    const bytes = readBytes(request.body)
    const reply = await wire.send({
      access,
      label,
      method: request.method as 'GET',
      url: formatUrl(request),
      // The transport sets these two itself.
      headers: without(request.headers, ['host', 'expect']),
      body: bytes === null ? undefined : () => cutPieces(bytes),
      hints: HINTS,
      isCleaning: request.method === 'DELETE',
      signal: request.method === 'DELETE' ? undefined : signal,
    })
    last = reply
    return { response: { statusCode: reply.status, reason: '', headers: { ...reply.headers }, body: reply.body } }
  }
  const client = new sdk.S3Client({
    region,
    credentials: { accessKeyId, secretAccessKey, sessionToken: sessionToken ?? undefined },
    endpoint: endpoint ?? undefined,
    forcePathStyle: endpoint !== null,
    maxAttempts: 1,
    // Without the checksums that only Amazon's own store supports: every part is signed with its SHA-256.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { handle, destroy: () => {} },
  })
  const lastReply = (): Reply => {
    if (last === null) throw new FettleError('FETTLE_BUG', `${label}: nothing was sent`)
    return last
  }
  return { sdk, client, lastReply }
}

function formatUrl({ protocol, hostname, port, path, query = {} }: SdkRequest): URL {
  const url = new URL(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`)
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map(text =>
      text === null ? encodeURIComponent(name) : `${encodeURIComponent(name)}=${encodeURIComponent(text)}`,
    ),
  )
  url.search = pairs.join('&')
  return url
}

const without = (headers: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name.toLowerCase())))

const readBytes = (body: unknown): Uint8Array | null =>
  typeof body === 'string' ? Buffer.from(body) : body instanceof Uint8Array ? body : null

const PIECE_BYTES = 64 * 1024

/** In small pieces, so that the stall detector sees progress. */
async function* cutPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += PIECE_BYTES) yield bytes.subarray(from, from + PIECE_BYTES)
}

/** Small, so that a retry is quick; two parts are in memory at a time. */
const PART_BYTES = 8 * 1024 * 1024
const MAX_PARTS = 10_000

export function s3Store(
  wire: ObjectWire,
  settings: S3Settings,
  { bucket, key }: S3Place,
  { label, signal }: Omit<S3Purpose, 'access'>,
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
     * Starts an upload and aborts it. Without `isTable`, its name does not end like a table's, so an existing object is not replaced. Throws
     * FETTLE_OUTPUT_WRITE.
     */
    async checkWritable(isTable) {
      const { sdk, client } = await s3Client(wire, settings, { access: 'write', label, signal })
      if (!isTable && (await client.send(new sdk.HeadObjectCommand(place)).catch(() => null)) !== null)
        throw new FettleError(
          'FETTLE_OUTPUT_WRITE',
          `${label}: the object exists and its name does not end like a table's, so it is not replaced.`,
          { hint: `Name the output by its format: ${listExtensions().join(', ')}.` },
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
