/**
 * The bytes of an object from its first to its last, whatever becomes of a connection: a body that is cut short is gone on with
 * where it broke off, as long as it is the same object. It knows no store.
 */
import { FettleError } from '../../errors.ts'
import { timed } from '../http/stall-detector.ts'
import type { Reply } from '../http/transport.ts'
import { readNetworkError } from '../retry/network-error.ts'
import { backoffMs } from '../retry/policy.ts'
import type { ObjectWire } from './wire.ts'

/** An object, open at one of its bytes. */
export interface Opened {
  /** Null for one that does not vouch for every byte. */
  readonly etag: string | null
  /** Of the whole object, null where nobody says. */
  readonly bytes: number | null
  /** The first byte that comes. */
  readonly from: number
  readonly body: AsyncIterable<Uint8Array>
  readonly drop: () => void
}

/** Only a strong tag says that the bytes are the same (RFC 9110 §8.8.1). */
const strong = (etag: string | null | undefined): string | null => (etag == null || /^W\//i.test(etag) ? null : etag)

/** What a reply to a request for an object opens. Throws FETTLE_INPUT_READ when nobody could tell where it ends. */
export function openedBy(reply: Reply, label: string): Opened {
  const length = /^\d{1,15}$/.exec(reply.header('content-length') ?? '')?.[0]
  const range = /^bytes (\d{1,15})-\d{1,15}\/(\d{1,15})$/.exec(reply.header('content-range') ?? '')
  if (length === undefined && reply.header('transfer-encoding') === null) {
    reply.drop()
    const hint = 'Nobody could tell whether it came whole. Serve it with a Content-Length.'
    throw new FettleError('FETTLE_INPUT_READ', `${label}: the server does not say how long it is.`, { hint })
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

/** How an object is opened at a byte; with the tag it had before, when it was open before. */
export type Opener = (from: number, etag: string | null) => Promise<Opened>

/**
 * The bytes of an object. Throws FETTLE_INPUT_CHANGED when it becomes another one on the way, FETTLE_DOWNLOAD_CUT when it keeps
 * breaking off, or breaks off and has no tag to go on by.
 */
export async function* wholeObject(
  open: Opener,
  label: string,
  wire: ObjectWire,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array> {
  let first: Opened | null = null
  let at = 0
  for (let fruitless = 0; ; ) {
    const opened = await open(at, first?.etag ?? null)
    first ??= opened
    if (opened.etag !== first.etag || opened.bytes !== first.bytes || opened.from > at) {
      opened.drop()
      throw new FettleError('FETTLE_INPUT_CHANGED', `${label}: it became another one while it was read.`, {
        hint: 'Run it again once nobody writes to it.',
      })
    }
    const before = at
    let why = 'it ended early'
    try {
      // A server that gives all of it again is heard out.
      let known = at - opened.from
      const onSlow = (): never => {
        throw new Error(`it came slower than ${wire.limits.bytesPerSecond} bytes a second`)
      }
      for await (const piece of timed(opened.body, wire.clock, wire.limits, onSlow)) {
        const fresh = piece.subarray(known)
        known -= piece.length - fresh.length
        at += fresh.length
        if (fresh.length > 0) yield fresh
      }
      if (opened.bytes === null || at === opened.bytes) return
    } catch (error) {
      signal?.throwIfAborted()
      why = (error as NodeJS.ErrnoException).code === undefined ? (error as Error).message : readNetworkError(error).text
    } finally {
      opened.drop()
    }
    fruitless = at > before ? 1 : fruitless + 1
    const told = `${label}: ${why}, after ${at} of ${first.bytes ?? 'unknown'} bytes`
    if (first.etag === null || fruitless >= wire.options.attempts)
      throw new FettleError('FETTLE_DOWNLOAD_CUT', `${told}.`, { hint: 'Run the same command again.' })
    wire.options.onRetry?.(`${told}; going on from there`)
    await wire.clock.sleep(backoffMs(fruitless, wire.clock.random()), signal)
  }
}
