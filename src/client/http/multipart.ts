/**
 * The body of an upload: form-data (imported only here) builds the frame, and the file is streamed in constant memory. Bytes are sent
 * directly from the source, which is faster than form-data's own piping; `npm run bench -- upload` compares both with curl.
 */
import FormData from 'form-data'
import { FettleError } from '../../errors.ts'
import type { Clock, FormFile } from '../../model/requests.ts'
import type { Outcome } from '../retry/policy.ts'
import { type HttpRequest, sendOnce, type Wire } from './exchange.ts'
import { watchSending } from './stall-detector.ts'

type Progress = Pick<ReturnType<typeof watchSending>, 'moved' | 'finished'>

const FIRST_PIECE = 64 * 1024
const LARGEST_PIECE = 4 * 1024 * 1024
// A piece is sent in well under a second, so that a slow link still shows progress within the rate window.
const QUICK_MS = 50
const SLOW_MS = 1000

/** Cuts chunks into pieces: small on a slow link, whole on a fast one. */
async function* inPieces(source: AsyncIterable<Uint8Array>, clock: Clock, progress: Progress): AsyncGenerator<Uint8Array> {
  let size = FIRST_PIECE
  for await (const chunk of source) {
    for (let at = 0; at < chunk.length; ) {
      const piece = at === 0 && chunk.length <= size ? chunk : chunk.subarray(at, at + size)
      at += piece.length
      const before = clock.monotonic()
      yield piece
      const tookMs = clock.monotonic() - before
      progress.moved(piece.length)
      if (tookMs < QUICK_MS) size = Math.min(LARGEST_PIECE, size * 2)
      else if (tookMs > SLOW_MS) size = Math.max(FIRST_PIECE, Math.floor(size / 2))
    }
  }
}

interface Form {
  readonly name: string
  readonly file: FormFile
  readonly fields: Readonly<Record<string, string>>
}

/**
 * The form with `fields` and then the file as its part `name`, so that a streaming reader has hasHeader before the first row. The frame
 * is built for an empty file and cut open before its closing boundary; `knownLength` gives the form its exact content length.
 */
export function buildMultipart({ name, file, fields }: Form, clock: Clock, progress: Progress) {
  const form = new FormData()
  for (const [field, value] of Object.entries(fields)) form.append(field, value)
  form.append(name, Buffer.alloc(0), { filename: file.filename, contentType: 'text/csv', knownLength: file.bytes })
  const frame = form.getBuffer()
  const closing = `\r\n--${form.getBoundary()}--\r\n`
  const head = frame.subarray(0, frame.length - closing.length)
  const tail = frame.subarray(frame.length - closing.length)
  let failed: unknown

  const changed = () => {
    const why = `upload of ${file.filename}: the file no longer has the ${file.bytes} bytes announced.`
    return new FettleError('FETTLE_INPUT_CHANGED', why)
  }

  async function* watched(): AsyncGenerator<Uint8Array> {
    let read = 0
    try {
      for await (const chunk of file.open()) {
        read += chunk.length
        if (read > file.bytes) throw changed()
        yield chunk
      }
      if (read < file.bytes) throw changed()
    } catch (error) {
      failed = error
      throw error
    }
  }

  async function* whole(): AsyncGenerator<Uint8Array> {
    let sent = 0
    try {
      yield head
      yield* inPieces(watched(), clock, {
        ...progress,
        moved(bytes) {
          sent += bytes
          progress.moved(bytes)
          file.onProgress?.(sent)
        },
      })
      yield tail
    } finally {
      progress.finished()
    }
  }

  return {
    headers: { ...form.getHeaders(), 'content-length': String(form.getLengthSync()) } as Readonly<Record<string, string>>,
    body: whole(),
    /** The error of the source, undefined without one: it is the reason when sending fails. */
    sourceError: () => failed,
  }
}

/** Throws the error of the file itself, when that is why sending failed. */
export async function askWithFile<T>(question: HttpRequest<T>, form: Form, wire: Wire): Promise<Outcome<T>> {
  const watch = watchSending(wire.limits)
  const { headers, body, sourceError } = buildMultipart(form, wire.clock, watch)
  try {
    const outcome = await sendOnce({ ...question, headers, body, stall: watch.signal }, wire)
    if (outcome.type === 'loss' && sourceError() !== undefined) throw sourceError()
    return outcome
  } finally {
    watch.finished()
  }
}
