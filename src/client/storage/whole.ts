/** Reads a whole object: a body that is cut short is continued where it broke off, as long as the object is unchanged. */
import { FettleError } from '../../errors.ts'
import { timed } from '../http/stall-detector.ts'
import type { Reply } from '../http/transport.ts'
import { readNetworkError } from '../retry/network-error.ts'
import { backoffMs } from '../retry/policy.ts'
import type { ObjectWire } from './wire.ts'

export interface Opened {
  /** Null without a strong tag. */
  readonly etag: string | null
  /** Of the whole object, null when unknown. */
  readonly bytes: number | null
  /** Offset of the first byte of `body`. */
  readonly from: number
  readonly body: AsyncIterable<Uint8Array>
  readonly drop: () => void
}

/** Only a strong tag proves that the bytes are the same (RFC 9110 §8.8.1). */
const strong = (etag: string | null | undefined): string | null => (etag == null || /^W\//i.test(etag) ? null : etag)

/** Throws FETTLE_INPUT_READ when the reply has no length, so that its end cannot be recognised. */
export function openedObject(reply: Reply, label: string): Opened {
  const length = /^\d{1,15}$/.exec(reply.header('content-length') ?? '')?.[0]
  const range = /^bytes (\d{1,15})-\d{1,15}\/(\d{1,15})$/.exec(reply.header('content-range') ?? '')
  if (length === undefined && reply.header('transfer-encoding') === null) {
    reply.drop()
    const hint = 'Serve it with a Content-Length: without one a cut file cannot be recognised.'
    throw new FettleError('FETTLE_INPUT_READ', `${label}: the server does not send its length.`, { hint })
  }
  const isPart = reply.status === 206 && range !== null
  return {
    etag: strong(reply.header('etag')),
    bytes: isPart ? Number(range[2]) : length === undefined ? null : Number(length),
    from: isPart ? Number(range[1]) : 0,
    body: reply.body,
    drop: () => reply.drop(),
  }
}

export interface Outgoing {
  readonly bytes: number
  readonly sha256: string
  readonly type: string
  open(): AsyncIterable<Uint8Array>
}

export interface ObjectStore {
  /** Opens it at a byte; `etag` is its tag when it was opened before. */
  open(from: number, etag: string | null): Promise<Opened>
  put(file: Outgoing): Promise<void>
  checkWritable(isTable: boolean): Promise<void>
}

/**
 * The bytes of an object. Throws FETTLE_INPUT_CHANGED when the object changes meanwhile, FETTLE_DOWNLOAD_CUT when it keeps breaking off,
 * or breaks off and has no tag.
 */
export async function* wholeObject(
  open: ObjectStore['open'],
  label: string,
  wire: ObjectWire,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let first: Opened | null = null
  let offset = 0
  for (let fruitless = 0; ; ) {
    const opened = await open(offset, first?.etag ?? null)
    first ??= opened
    if (opened.etag !== first.etag || opened.bytes !== first.bytes || opened.from > offset) {
      opened.drop()
      throw new FettleError('FETTLE_INPUT_CHANGED', `${label}: the object changed while it was read.`, {
        hint: 'Run the command again when the object is complete.',
      })
    }
    const before = offset
    let why = 'it ended early'
    try {
      // A server may send the object from its start again: skip what was read.
      let skip = offset - opened.from
      const onSlow = (): never => {
        throw new Error(`it came slower than ${wire.limits.bytesPerSecond} bytes a second`)
      }
      for await (const piece of timed(opened.body, wire.clock, wire.limits, onSlow)) {
        const fresh = piece.subarray(skip)
        skip -= piece.length - fresh.length
        offset += fresh.length
        if (fresh.length > 0) yield fresh
      }
      if (opened.bytes === null || offset === opened.bytes) return
    } catch (error) {
      signal?.throwIfAborted()
      why = (error as NodeJS.ErrnoException).code === undefined ? (error as Error).message : readNetworkError(error).text
    } finally {
      opened.drop()
    }
    fruitless = offset > before ? 1 : fruitless + 1
    const text = `${label}: ${why}, after ${offset} of ${first.bytes ?? 'unknown'} bytes`
    if (first.etag === null || fruitless >= wire.options.attempts)
      throw new FettleError('FETTLE_DOWNLOAD_CUT', `${text}.`, { hint: 'Run the same command again.' })
    wire.options.onRetry?.(`${text}; continuing from there`)
    await wire.clock.sleep(backoffMs(fruitless, wire.clock.random()), signal)
  }
}
