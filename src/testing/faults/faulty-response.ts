/** Sends replies that violate HTTP: truncated, reset, stalled or endless. Writes to the raw socket, because Node would correct them. */
import { type OutgoingHttpHeaders, STATUS_CODES } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Exchange } from '../exchange.ts'
import { type Reply, readWhole } from '../upstream.ts'

export type Framing = 'length' | 'chunked' | 'close'

export interface Break {
  readonly framing: Framing
  readonly share: number
  /** What comes instead of the rest. */
  readonly ending: 'end' | 'reset' | 'silence'
  readonly hit: () => void
}

/** Time for the client to read what was sent: a reset that arrives with it is taken for an end. */
const READ_MS = 20

/** Sends a part of a reply and breaks off; false, and nothing sent, when there is no body to break. */
export async function breakOff(exchange: Exchange, given: Reply, { framing, share, ending, hit }: Break): Promise<boolean> {
  const body = given.length === null && !Buffer.isBuffer(given.body) ? await readWhole(given.body) : given.body
  const length = Buffer.isBuffer(body) ? body.length : (given.length ?? 0)
  const bytes = Math.floor(length * share)
  // All of it against its own length is the whole reply.
  if (length === 0 || (bytes === length && framing === 'length' && ending === 'end')) return false
  const { socket } = exchange.request
  exchange.seen.given = given.status
  const write = (piece: string | Buffer): Promise<void> =>
    new Promise(resolve => {
      if (socket.destroyed) resolve()
      else socket.write(piece, () => resolve())
    })
  // `connection: close` makes many clients take a truncation for the end of the reply, so it is sent only where framing needs it.
  const framed = { length: { 'content-length': length }, chunked: CHUNKED, close: { connection: 'close' } }
  await write(headOf(given, { ...exchange.connection, ...framed[framing] }))
  for await (const piece of firstOf(body, bytes)) {
    await write(framing === 'chunked' ? chunkOf(piece) : piece)
    if (socket.destroyed) break
  }
  if (ending === 'reset') await wait(READ_MS)
  hit()
  if (ending === 'reset') exchange.reset()
  if (ending === 'end') socket.destroySoon()
  await exchange.gone
  return true
}

const CHUNKED = { 'transfer-encoding': 'chunked' }
const chunkOf = (piece: Buffer): Buffer =>
  Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')])

function headOf({ status, headers }: Reply, more: OutgoingHttpHeaders): string {
  const lines = Object.entries({ ...headers, ...more }).flatMap(([name, value]) => [value].flat().map(one => `${name}: ${one}`))
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines, '', ''].join('\r\n')
}

async function* firstOf(body: Reply['body'], bytes: number): AsyncGenerator<Buffer> {
  let left = bytes
  if (left > 0)
    for await (const chunk of Buffer.isBuffer(body) ? [body] : (body as AsyncIterable<Buffer>)) {
      const piece = chunk.subarray(0, left)
      left -= piece.length
      if (piece.length > 0) yield piece
      if (left === 0) break
    }
  if (!Buffer.isBuffer(body)) body.destroy()
}

const BLOCK = Buffer.alloc(64 * 1024, 'a')

export function* endless(): Generator<Buffer> {
  yield Buffer.from('{"id":"')
  for (;;) yield BLOCK
}

const MEMBER_BYTES = 16 * 1024 * 1024
const MEMBERS = 64

/** A gigabyte of blanks in a megabyte: members of a gzip file follow one another (RFC 1952 §2.2). */
export function* gzipBomb(): Generator<Buffer> {
  const member = gzipSync(Buffer.alloc(MEMBER_BYTES, ' '), { level: 9 })
  for (let at = 0; at < MEMBERS; at++) yield member
}
