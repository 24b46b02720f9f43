/**
 * Reads the body of a JSON reply, limited in size and time, and classifies it: the documented answer, an error status, or something off
 * the contract. Unknown fields are kept.
 */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  type BrotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  type Gunzip,
  type Inflate,
  type InflateRaw,
} from 'node:zlib'
import { type AnswerSchema, type Operation, readAnswer, readFault } from '../../contract/index.ts'
import type { Redactor } from '../redact.ts'
import { type NetworkError, readNetworkError } from '../retry/network-error.ts'
import type { Outcome } from '../retry/policy.ts'
import { parseRetryAfter } from '../retry/retry-after.ts'
import type { Reply } from './transport.ts'

/** Characters shown of a page that is not the API's. */
const SHOWN = 80

type Unpack = () => Gunzip | Inflate | InflateRaw | BrotliDecompress

/** By name of Content-Encoding. A service or an object store may send what it stores, also if it was asked for none. */
const ENCODINGS: Readonly<Partial<Record<string, (first: number) => Unpack>>> = {
  gzip: () => createGunzip,
  'x-gzip': () => createGunzip,
  // Named so, but often sent without the header of zlib, whose first byte has the method 8.
  deflate: first => ((first & 0x0f) === 8 ? createInflate : createInflateRaw),
  br: () => createBrotliDecompress,
}

/** A body that is not in its Content-Encoding. */
export class EncodingFailure extends Error {
  readonly code = 'ERR_CONTENT_ENCODING'
}

/** The same reply without its Content-Encoding; as it came where that is unknown. Data that end early without a length count as a connection that did. */
export function decodedReply(reply: Reply): Reply {
  const name = (reply.header('content-encoding') ?? '').trim().toLowerCase()
  const unpackFor = ENCODINGS[name]
  if (unpackFor === undefined) return reply
  const { 'content-encoding': _, 'content-length': length, ...headers } = reply.headers
  // Without both only the end of the connection ends the body.
  const isFramed = length !== undefined || reply.header('transfer-encoding') !== null
  return {
    status: reply.status,
    headers,
    header: field => (field === 'content-encoding' || field === 'content-length' ? null : reply.header(field)),
    body: decodedBody(reply.body, unpackFor, error => {
      const isEarly = (error as NodeJS.ErrnoException).code === 'Z_BUF_ERROR' && !isFramed
      return isEarly || !isOfZlib(error) ? error : new EncodingFailure(`its body is not whole ${name} data (${error.message})`)
    }),
    drop: () => reply.drop(),
  }
}

const isOfZlib = (error: Error): boolean => (error as NodeJS.ErrnoException).code?.startsWith('Z_') === true

async function* decodedBody(
  body: AsyncIterable<Uint8Array>,
  unpackFor: (first: number) => Unpack,
  fail: (error: Error) => Error,
): AsyncGenerator<Uint8Array> {
  const pieces = body[Symbol.asyncIterator]()
  const first = await pieces.next()
  if (first.done) return
  async function* all(): AsyncGenerator<Uint8Array> {
    yield first.value as Uint8Array
    yield* { [Symbol.asyncIterator]: () => pieces }
  }
  const unpack = unpackFor(first.value[0] ?? 0)()
  const reading = pipeline(Readable.from(all()), unpack).catch(() => {})
  try {
    yield* unpack as AsyncIterable<Buffer>
  } catch (error) {
    throw fail(error as Error)
  } finally {
    unpack.destroy()
    await reading
  }
}

/** The whole body, or why it failed; a body above `max` bytes, or incomplete after `withinMs`, is dropped. */
export async function readBody(reply: Reply, max: number, withinMs: number): Promise<Uint8Array | NetworkError> {
  const chunks: Uint8Array[] = []
  let size = 0
  const late = AbortSignal.timeout(withinMs)
  const drop = () => reply.drop()
  late.addEventListener('abort', drop, { once: true })
  try {
    for await (const chunk of reply.body) {
      size += chunk.length
      if (size > max) {
        reply.drop()
        return { kind: 'tooLarge', sent: true, text: `the answer is larger than ${max} bytes` }
      }
      chunks.push(chunk)
    }
  } catch (error) {
    return readNetworkError(late.aborted ? late.reason : error)
  } finally {
    late.removeEventListener('abort', drop)
  }
  return Buffer.concat(chunks)
}

// A foreign `__proto__` would become the prototype of an object that copies the keys.
const withoutProto = (key: string, value: unknown) => (key === '__proto__' ? undefined : value)

const parseJson = (text: string): { readonly value: unknown } | null => {
  try {
    return { value: JSON.parse(text, withoutProto) }
  } catch {
    return null
  }
}

const looksCut = (text: string): boolean => {
  const trimmed = text.trim()
  return (trimmed.startsWith('{') && !trimmed.endsWith('}')) || (trimmed.startsWith('[') && !trimmed.endsWith(']'))
}

const decodeStrict = (bytes: Uint8Array): string | null => {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

const formatPath = (path: readonly PropertyKey[]): string => (path.length === 0 ? 'the whole body' : path.map(String).join('.'))

/** The page of a list that answers 204, as documented for the events of a company; one that has to be complete may not. */
const emptyPage = ({ items, complete }: NonNullable<Operation['pages']>): unknown =>
  complete || items === null ? undefined : { [items === 'data' ? 'totalCount' : 'totalSize']: 0, [items]: [] }

/** What is left of a record holds its id under one of these when it could be read. */
const ID_KEYS = ['id', 'portfolioId'] as const

const hasId = (rest: unknown): boolean =>
  typeof rest === 'object' && rest !== null && ID_KEYS.some(key => (rest as Partial<Record<string, unknown>>)[key] !== undefined)

export interface Reading<T> {
  /** null: a success has no body, and one that is sent is ignored. */
  readonly schema: AnswerSchema<T> | null
  /** Any JSON is accepted, or an empty answer: a write that only confirms. */
  readonly lenient: boolean
  /** The request created or cost something: the reply is kept when its id can be read. */
  readonly keeps?: boolean
  /** Of a list, where its items are in the reply. */
  readonly list?: Operation['pages']
  /** Called with the paths of what could not be read and was left out. */
  readonly onDropped?: (paths: readonly string[]) => void
  /** The reply is not used, so 204 is accepted too. */
  readonly confirms?: boolean
  /** The interface does not describe the reply: any JSON or an empty body (`null`), or the masked text or the bytes of any body. */
  readonly open?: 'json' | 'text' | 'bytes'
  /** The reply is a secret: when it cannot be parsed, nothing of it is shown. */
  readonly secret?: boolean
}

export function readOutcome<T>(
  reply: Reply,
  bytes: Uint8Array,
  { schema, lenient, keeps, list, onDropped, confirms, open, secret }: Reading<T>,
  { redactor, now }: { readonly redactor: Redactor; readonly now: number },
): Outcome<T> {
  const { status } = reply
  const readId = (inBody: string | null): string | null => {
    const id = inBody ?? reply.header('x-correlation-id')
    return id === null ? null : redactor.clean(id)
  }
  if (status < 200 || status > 299) {
    const text = new TextDecoder().decode(bytes)
    const fault = readFault(parseJson(text)?.value ?? text)
    const retryAfterMs = parseRetryAfter(reply.header('retry-after'), reply.header('date'), now)
    return { type: 'status', status, retryAfterMs, fault: { ...fault, correlationId: readId(fault.correlationId) } }
  }
  if (open === 'bytes') return { type: 'answer', value: bytes as T }
  if (open === 'text') return { type: 'answer', value: redactor.mask(new TextDecoder().decode(bytes)) as T }
  if (open === undefined ? schema === null || (confirms && status === 204) : bytes.length === 0)
    return { type: 'answer', value: null as T }
  if (status === 204 && bytes.length === 0) {
    const empty = lenient ? {} : list && emptyPage(list)
    if (empty !== undefined) return { type: 'answer', value: empty as T }
  }
  const text = decodeStrict(bytes)
  const json = text === null ? null : parseJson(text)
  if (json === null) {
    const shown = secret ? '' : `: "${redactor.clean(text ?? new TextDecoder().decode(bytes), SHOWN)}"`
    const kind = reply.header('content-type') ?? 'no content type'
    const what = bytes.length === 0 ? 'an empty body' : `not the documented JSON${shown}`
    const how = bytes.length === 0 ? 'empty' : text !== null && looksCut(text) ? 'cut' : 'notJson'
    return { type: 'offContract', how, status, text: `with ${kind}, ${what}`, correlationId: readId(null) }
  }
  if (schema === null) return { type: 'answer', value: json.value as T }
  const correlationId = readId(readFault(json.value).correlationId)
  const { data, rest, dropped, issue } = readAnswer(schema, json.value, list)
  if (issue === undefined || lenient || (keeps && hasId(rest))) {
    if (dropped.length > 0) onDropped?.(dropped)
    return { type: 'answer', value: (issue === undefined ? data : rest) as T }
  }
  const why = `, at ${formatPath(issue.path)}: ${issue.message}`
  return { type: 'offContract', how: 'shape', status, text: `with JSON that is not as documented${why}`, correlationId }
}
