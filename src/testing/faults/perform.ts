/** Applies faults to requests: one function for each kind. */
import { type OutgoingHttpHeaders, STATUS_CODES } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { BUFFER_BYTES, type Exchange, type Reply, readWhole } from '../exchange.ts'
import type { Shot } from './fault-plan.ts'
import type { FaultEffect } from './fault-table.ts'

interface Break {
  readonly framing: 'length' | 'chunked' | 'close'
  readonly share: number
  /** What comes instead of the rest. */
  readonly ending: 'end' | 'reset' | 'silence'
  readonly hit: () => void
}

/** Time for the client to read what was sent: a reset that arrives with it is taken for an end. */
const READ_MS = 20

/** Sends a part of a reply and breaks off; false, and nothing sent, when there is no body to break. */
async function breakOff(exchange: Exchange, given: Reply, { framing, share, ending, hit }: Break): Promise<boolean> {
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
  await write(formatHead(given, { ...exchange.connection, ...framed[framing] }))
  for await (const piece of readFirst(body, bytes)) {
    const chunk = [Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from('\r\n')]
    await write(framing === 'chunked' ? Buffer.concat(chunk) : piece)
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

function formatHead({ status, headers }: Reply, more: OutgoingHttpHeaders): string {
  const lines = Object.entries({ ...headers, ...more }).flatMap(([name, value]) => [value].flat().map(text => `${name}: ${text}`))
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines, '', ''].join('\r\n')
}

async function* readFirst(body: Reply['body'], bytes: number): AsyncGenerator<Buffer> {
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

function* endless(): Generator<Buffer> {
  yield Buffer.from('{"id":"')
  for (;;) yield BLOCK
}

const MEMBER_BYTES = 16 * 1024 * 1024
const MEMBERS = 64

/** A gigabyte of blanks in a megabyte: members of a gzip file follow one another (RFC 1952 §2.2). */
function* gzipBomb(): Generator<Buffer> {
  const member = gzipSync(Buffer.alloc(MEMBER_BYTES, ' '), { level: 9 })
  for (let at = 0; at < MEMBERS; at++) yield member
}

type Effect<K extends FaultEffect['kind']> = Extract<FaultEffect, { kind: K }>
type Json = Record<string, unknown>

const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

/** The text with a change made to each of its records; null if it is not JSON or nothing changes. */
function altered(text: string, change: (record: Json) => Json): string | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  const next = Array.isArray(value)
    ? value.map(record => (isRecord(record) ? change(record) : record))
    : isRecord(value)
      ? change(value)
      : value
  const [before, after] = [JSON.stringify(value), JSON.stringify(next)]
  return before === after ? null : after
}

/** Applies a rewrite; null if it changes nothing. `fill` replaces placeholders in texts. */
function rewritten(text: string, { set, remove, raw }: Effect<'rewrite'>, fill: (text: string) => string): string | null {
  const filled = Object.entries(set).map(([key, value]) => [key, typeof value === 'string' ? fill(value) : value])
  const changed = altered(text, record => {
    const kept = Object.entries(record).filter(([key]) => !remove.includes(key))
    return Object.fromEntries([...kept, ...filled])
  })
  if (raw === '') return changed
  const base = changed ?? text
  const brace = base.indexOf('{')
  return brace === -1 ? changed : base.slice(0, brace + 1) + fill(raw) + base.slice(brace + 1)
}

/** Replaces the status of a job, or of each job in a list, with the next of the sequence; null if the text has no status. */
function withStatus(text: string, { sequence, forever }: Effect<'jobStatus'>, turn: number): string | null {
  const status = sequence[forever ? Math.min(turn, sequence.length - 1) : turn % sequence.length]
  const before = altered(text, record => ('status' in record ? { ...record, status: '' } : record))
  if (before === null) return null
  return altered(before, record => (record.status === '' ? { ...record, status } : record))
}

export interface Means {
  readonly onKill: () => unknown
  /** Rejects the request's token from now on; returns false if the request has none. */
  refuseToken(exchange: Exchange): boolean
}

type Perform<K extends FaultEffect['kind']> = (
  exchange: Exchange,
  effect: Effect<K>,
  shot: Pick<Shot, 'hit' | 'turn'>,
  means: Means,
) => Promise<unknown>

const JSON_TYPE = { 'content-type': 'application/json' }
const makeReply = (status: number, headers: Record<string, string>, content: string | Buffer): Reply => {
  const body = Buffer.from(content)
  return { status, headers, body, length: body.length }
}
const toText = async ({ body }: Reply): Promise<string> => (Buffer.isBuffer(body) ? body : await readWhole(body)).toString('utf8')
const MADE_UP = makeReply(200, JSON_TYPE, '{"id":"never-sent","name":"never-sent","status":"created"}')

export const pass = async (exchange: Exchange): Promise<void> => exchange.answer(await exchange.forward())

/** The 401 for a token that is no longer accepted (contract §2.5). */
export const unauthorised = (exchange: Exchange): Promise<void> =>
  exchange.answer(makeReply(401, { ...JSON_TYPE, 'www-authenticate': 'Bearer' }, '{"error":"The token has expired"}'))

/** Executes the request at the service and drops the answer, or reads the request without forwarding it. */
async function spend(exchange: Exchange, carriedOut: boolean): Promise<void> {
  if (!carriedOut) return exchange.drain()
  const { body } = await exchange.forward()
  if (!Buffer.isBuffer(body)) body.destroy()
}

/** Truncates the real reply, or a made-up one if the service must not receive the request. */
async function breakReply(exchange: Exchange, how: Omit<Break, 'framing'>, carriedOut: boolean): Promise<void> {
  if (!carriedOut) await exchange.drain()
  const reply = carriedOut ? await exchange.forward() : MADE_UP
  if (!(await breakOff(exchange, reply, { framing: 'length', ...how }))) await exchange.answer(reply)
}

const PERFORM: { readonly [K in FaultEffect['kind']]: Perform<K> } = {
  async status(exchange, { status, headers, body, carriedOut }, { hit }) {
    await spend(exchange, carriedOut)
    hit()
    const filled = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), exchange.fill(value)])
    const standard = JSON.stringify({ correlationId: 'planned', message: 'Planned fault', details: `status ${status}` })
    await exchange.answer(makeReply(status, { ...JSON_TYPE, ...Object.fromEntries(filled) }, body ?? standard))
  },

  async reset(exchange, { at, share, carriedOut }, { hit }) {
    if (at === 'replyBody') return breakReply(exchange, { share, ending: 'reset', hit }, carriedOut !== false)
    if (at === 'requestBody' && carriedOut !== true) {
      const length = exchange.bodyLength
      if (length === 0) return pass(exchange)
      const cutAfter = length === null ? 1 : Math.min(Math.max(1, Math.floor(length * share)), Math.max(1, length - 1))
      // The broken request is the intended effect.
      await exchange.forward({ cutAfter }).catch(() => {})
    } else if (at === 'reply' || carriedOut === true) await spend(exchange, carriedOut === true)
    hit()
    exchange.reset()
  },

  async stall(exchange, { at, share, carriedOut }, { hit }) {
    if (at === 'replyBody') return breakReply(exchange, { share, ending: 'silence', hit }, carriedOut !== false)
    await spend(exchange, carriedOut === true)
    hit()
    await exchange.gone
  },

  async drip(exchange, { bytes, everyMs }, { hit }) {
    const reply = await exchange.forward()
    if (reply.length === 0) return exchange.answer(reply)
    const headers = reply.length === null ? reply.headers : { ...reply.headers, 'content-length': reply.length }
    hit()
    await exchange.stream({ status: reply.status, headers }, drops(reply.body, bytes, everyMs))
    if (!Buffer.isBuffer(reply.body)) reply.body.destroy()
  },

  async truncate(exchange, { framing, keep }, { hit }) {
    const reply = await exchange.forward()
    const isBroken = await breakOff(exchange, reply, { framing, share: keep, ending: 'end', hit })
    if (!isBroken) await exchange.answer(reply)
  },

  async body(exchange, { text, encoding, type, status, carriedOut }, { hit }) {
    await spend(exchange, carriedOut)
    hit()
    const bytes = encoding === 'utf8' ? exchange.fill(text) : Buffer.from(text, encoding)
    await exchange.answer(makeReply(status, { 'content-type': type }, bytes))
  },

  async rewrite(exchange, effect, { hit }) {
    const reply = await exchange.forward()
    const text = await toText(reply)
    const changed = rewritten(text, effect, text => exchange.fill(text))
    if (changed !== null) hit()
    await exchange.answer({ ...reply, body: Buffer.from(changed ?? text) })
  },

  async jobStatus(exchange, effect, { hit, turn }) {
    const reply = await exchange.forward()
    const text = await toText(reply)
    const changed = reply.status === 200 ? withStatus(text, effect, turn) : null
    if (changed !== null) hit()
    await exchange.answer({ ...reply, body: Buffer.from(changed ?? text) })
  },

  async redirect(exchange, { to, status }, { hit }) {
    await exchange.drain()
    hit()
    await exchange.answer(makeReply(status, { location: exchange.fill(to) }, ''))
  },

  async expireToken(exchange, _effect, { hit }, { refuseToken }) {
    if (!refuseToken(exchange)) return pass(exchange)
    await exchange.drain()
    hit()
    await unauthorised(exchange)
  },

  async bomb(exchange, { how }, { hit }) {
    await exchange.drain()
    hit()
    const headers = how === 'gzip' ? { ...JSON_TYPE, 'content-encoding': 'gzip' } : JSON_TYPE
    await exchange.stream({ status: 200, headers }, how === 'gzip' ? gzipBomb() : endless())
  },

  async duplicate(exchange, _effect, { hit }) {
    const length = exchange.bodyLength
    if (length === null || length > BUFFER_BYTES) return pass(exchange)
    const body = await readWhole(exchange.request)
    const first = await exchange.forward({ body })
    const { body: second } = await exchange.forward({ body })
    if (!Buffer.isBuffer(second)) second.destroy()
    hit()
    await exchange.answer(first)
  },

  async killClient(exchange, { at }, { hit }, { onKill }) {
    if (at === 'answered') {
      await pass(exchange)
      hit()
      await onKill()
      return
    }
    if (at === 'carriedOut') await spend(exchange, true)
    hit()
    await onKill()
    exchange.reset()
  },

  // The server calls points, in addition to any fault.
  point: pass,
}

async function* drops(body: Reply['body'], bytes: number, everyMs: number): AsyncGenerator<Buffer> {
  for await (const chunk of Buffer.isBuffer(body) ? [body] : (body as AsyncIterable<Buffer>))
    for (let at = 0; at < chunk.length; at += bytes) {
      yield chunk.subarray(at, at + bytes)
      await wait(everyMs)
    }
}

export function perform<K extends FaultEffect['kind']>(exchange: Exchange, shot: Shot, means: Means): Promise<unknown> {
  return PERFORM[shot.effect.kind as K](exchange, shot.effect as Effect<K>, shot, means)
}
