/**
 * Reads a cassette and serves it: a run of its list against this server gets the recorded answers, in recorded order, and the last one again
 * after that. Any login is accepted.
 */

import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  BASE_PLACEHOLDER,
  type CassetteExchange,
  type CassetteHead,
  findOperation,
  JOB_NAME,
  KEPT_TIMES,
  LIST_CHANGES,
  LIST_FACTS,
  parseWireDate,
  type RecordedBody,
  RUN_PLACEHOLDER,
} from '../../contract/index.ts'
import { defined } from '../../defined.ts'
import { FettleError } from '../../errors.ts'
import { systemClock } from '../clock.ts'

/** What is asked of a cassette; strings may name the job of the run that asks. */
type Asked = Pick<CassetteExchange, 'method' | 'path' | 'params' | 'query' | 'body'>

const makeRefusal = (path: string, why: string): FettleError =>
  new FettleError('FETTLE_USAGE', `${path} ${why}`, { hint: 'Name the recording of a run.' })

function parseJson(text: string, otherwise?: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return otherwise
  }
}

const isHead = (value: unknown): value is CassetteHead =>
  typeof value === 'object' && value !== null && 'cassette' in value && 'pipeline' in value

const isExchange = (value: unknown): value is CassetteExchange =>
  typeof value === 'object' && value !== null && 'method' in value && 'path' in value

export function mapStrings(value: unknown, map: (text: string, key: string) => string, key = ''): unknown {
  if (typeof value === 'string') return map(value, key)
  if (Array.isArray(value)) return value.map(inner => mapStrings(inner, map, key))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, mapStrings(inner, map, name)]))
}

const sorted = (values: Readonly<Record<string, string>> = {}) => Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1))

const makeKey = ({ method, path, params, query, body }: Asked): string =>
  JSON.stringify([method, path, sorted(params), sorted(query), body ?? null])

/** A request that was certainly not sent has no answer to repeat: the next one had. */
const withoutUnsent = (exchanges: readonly CassetteExchange[]): readonly CassetteExchange[] =>
  exchanges.filter(({ lost }, at) => lost === undefined || lost.sent || at === exchanges.length - 1)

/** Throws FETTLE_USAGE for a file that cannot be read or is not a cassette. */
export async function openCassette(path: string) {
  const text = await readFile(path, 'utf8').catch((cause: Error) => {
    throw makeRefusal(path, `cannot be read: ${cause.message}`)
  })
  const lines = text.split('\n').filter(line => line !== '')
  const [first, ...rest] = lines.map(line => parseJson(line))
  if (!isHead(first)) throw makeRefusal(path, 'is not a cassette: its first line is not the head of a cassette')
  if (first.cassette !== 1)
    throw makeRefusal(path, `is a cassette of version ${String(first.cassette)}, which this fettle cannot read`)
  const exchanges = rest.filter(isExchange)
  const answers = new Map<string, CassetteExchange[]>()
  for (const exchange of exchanges) {
    const key = makeKey(exchange)
    answers.set(key, [...(answers.get(key) ?? []), exchange])
  }
  const turns = new Map([...answers].map(([key, all]) => [key, [...withoutUnsent(all)]]))
  let runId: string | null = null

  const recorded = (asked: Asked): Asked => {
    const map = (value: string): string => {
      const [, id, part = ''] = JOB_NAME.exec(value) ?? []
      if (id === undefined) return value
      runId = id
      return `fettle-${RUN_PLACEHOLDER}${part}`
    }
    return mapStrings(asked, map) as Asked
  }

  return {
    head: first,
    exchanges: exchanges.length,
    /** Lines without an exchange, such as one that a kill cut off. */
    damaged: rest.length - exchanges.length,
    /** The id of the run that asked last, null before one did. */
    runId: () => runId,
    /** The next answer to a request, null when none was recorded. */
    answer(asked: Asked): CassetteExchange | null {
      const turn = turns.get(makeKey(recorded(asked)))
      if (turn === undefined) return null
      return (turn.length > 1 ? turn.shift() : turn[0]) ?? null
    },
  }
}

export type Cassette = Awaited<ReturnType<typeof openCassette>>

interface ReplayOptions {
  readonly port?: number
  readonly host?: string
  /** Milliseconds since 1970. */
  readonly now?: () => number
  /** Called with each request that the cassette has no answer to. */
  readonly onUnknown?: (request: string) => void
}

const BASE = '/v1'
const SECOND_MS = 1000

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  const isForm = request.headers['content-type']?.startsWith('multipart/') ?? false
  for await (const chunk of request) if (!isForm) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

type Recognised = { readonly operation: string | null; readonly asked: Asked }

async function recognise(request: IncomingMessage): Promise<Recognised> {
  const { method = 'GET' } = request
  const url = new URL(request.url ?? '/', 'http://replay')
  const path = url.pathname.startsWith(`${BASE}/`) ? url.pathname.slice(BASE.length) : url.pathname
  const found = findOperation(method, path)
  const text = await readText(request)
  const file = /^\/files\/([0-9a-f]{16})$/.exec(path)?.[1]
  const hasBody = text !== '' && found?.name !== 'authenticate' && path !== LIST_FACTS.path && path !== LIST_CHANGES.path
  return {
    operation: found?.name ?? (file === undefined ? null : 'file'),
    asked: {
      method,
      path: found?.path ?? (file === undefined ? path : '/files/{name}'),
      params: found?.params ?? (file === undefined ? {} : { name: file }),
      query: Object.fromEntries(url.searchParams),
      body: hasBody ? parseJson(text, text) : undefined,
    },
  }
}

function makeBytes(answer: RecordedBody, show: (json: unknown) => unknown): Buffer {
  if ('json' in answer) return Buffer.from(JSON.stringify(show(answer.json)))
  if ('text' in answer) return Buffer.from(answer.text, answer.encoding ?? 'utf8')
  if ('bytes' in answer) return Buffer.concat([Buffer.from(answer.start, 'hex'), Buffer.alloc(answer.bytes)], answer.bytes)
  return Buffer.alloc(0)
}

/** Starts to serve a cassette at `url`; `pending` counts the requests that are being answered. Throws FETTLE_SETTINGS when it cannot listen. */
export async function serveReplay(cassette: Cassette, options: ReplayOptions = {}) {
  const { host = '127.0.0.1', port = 0, now = systemClock.now, onUnknown = () => undefined } = options
  let url = ''
  let delayMs: number | null = null
  let pending = 0

  /** Times move to the time of the replay, since a run compares them with its clock. Their form stays, but an offset becomes `Z`. */
  const moved = (text: string): string => {
    const at = parseWireDate(text)
    if (at === null) return text
    const later = new Date(at + Math.round((delayMs ?? 0) / SECOND_MS) * SECOND_MS).toISOString()
    const zone = /[+-]\d{2}:?\d{2}$/.exec(text)?.[0]
    return zone === undefined ? later.slice(0, 10) + text[10] + later.slice(11, 19) + text.slice(19) : later
  }
  const shown = (text: string, key = ''): string =>
    (KEPT_TIMES.has(key) ? moved(text) : text)
      .replaceAll(RUN_PLACEHOLDER, cassette.runId() ?? RUN_PLACEHOLDER)
      .replaceAll(BASE_PLACEHOLDER, url)

  const send = (exchange: CassetteExchange, request: IncomingMessage, response: ServerResponse): void => {
    const { lost, status = 200, headers = {}, answer = { text: '' }, cut } = exchange
    // A service that never answered does so again, until the client gives up.
    if (lost?.kind === 'timeout') return
    if (lost !== undefined) return void request.socket.resetAndDestroy()
    const body = makeBytes(answer, json => mapStrings(json, shown))
    const { 'content-length': announced, location, ...rest } = headers
    const hasBody = status !== 204 && status !== 304
    const length = announced === undefined || !hasBody ? undefined : cut ? announced : String(body.length)
    const shownLocation = location === undefined ? undefined : shown(location)
    response.writeHead(status, defined({ ...rest, location: shownLocation, 'content-length': length }))
    if (cut) response.write(body, () => request.socket.destroy())
    else response.end(hasBody ? body : undefined)
  }

  const refuse = ({ operation, asked }: Recognised, why: string, response: ServerResponse): void => {
    const name = `${operation ?? 'an unknown operation'} (${asked.method} ${asked.path})`
    const query = new URLSearchParams(asked.query).toString()
    onUnknown(`${name}${query === '' ? '' : ` ?${query}`}: ${why}`)
    response.writeHead(operation === null ? 404 : 501, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ message: `Not recorded: ${name}`, details: why }))
  }

  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const recognised = await recognise(request)
      delayMs ??= now() - cassette.head.at
      const exchange = cassette.answer(recognised.asked)
      if (exchange === null) return refuse(recognised, 'the cassette has no answer to it with these parameters', response)
      if (exchange.answer !== undefined && 'omitted' in exchange.answer)
        return refuse(recognised, `its answer of ${exchange.answer.omitted} bytes was too large to be recorded`, response)
      send(exchange, request, response)
    }
    pending += 1
    response.once('close', () => {
      pending -= 1
    })
    response.on('error', () => undefined)
    // The client left while it sent its request.
    answer().catch(() => request.socket.destroy())
  })
  await new Promise<void>((listening, failed) => {
    server.once('error', (cause: Error) =>
      failed(new FettleError('FETTLE_SETTINGS', `cannot listen on ${host}:${port}: ${cause.message}`, { cause })),
    )
    server.listen(port, host, listening)
  })
  url = `http://${host.includes(':') ? `[${host}]` : host}:${(server.address() as AddressInfo).port}${BASE}`
  const close = async (): Promise<void> => {
    const closed = new Promise<void>(done => server.close(() => done()))
    server.closeAllConnections()
    await closed
  }
  return { url, pending: () => pending, close, [Symbol.asyncDispose]: close }
}
