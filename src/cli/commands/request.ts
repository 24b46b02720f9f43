/** `fettle request`: sends one request to any operation of a service, and prints the answer or writes it to a file. */
import { lstat, readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { text as readAll } from 'node:stream/consumers'
import { openClient } from '../../account/account.ts'
import { counted } from '../../counted.ts'
import { findProxies } from '../../env/environment.ts'
import { readCredentials } from '../../env/trust.ts'
import { EXIT, FettleError } from '../../errors.ts'
import { checkWritable, writeAtomic } from '../../files/atomic-file.ts'
import { resolveService } from '../../prepare/resolve-service.ts'
import { clip, escapeTerminal, safeJson } from '../../report/index.ts'
import { findJsonFault } from '../../service/http/json-body.ts'
import { type Flags, usageError } from '../command.ts'
import { isOn, listFlag, needText, textFlag } from '../options/read.ts'
import type { Io } from '../terminal/io.ts'

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** Levels of a body. */
const MAX_DEPTH = 1_000

type Method = (typeof METHODS)[number]

interface Sent {
  readonly method: Method
  readonly path: `/${string}`
  readonly query: Readonly<Record<string, readonly string[]>>
  readonly body: unknown
}

/** Returns 0 for an answer of success; every other answer is thrown. */
export async function run(flags: Flags, io: Io): Promise<number> {
  const { env, signal } = io
  const sent = await readRequest(flags, io)
  const { method, path, ...parts } = sent
  const output = textFlag(flags, 'output')
  const place = output === null ? null : resolve(io.cwd, output)
  if (place !== null) await requireNewFile(place, output ?? '')
  const named = textFlag(flags, 'service')
  const service = resolveService({ env, service: named }, { service: null })
  if (service.kind === 'embedded')
    throw usageError(
      'an embedded service ends with its command',
      'Set FETTLE_URL, or pass --service with the address of a service.',
    )
  const credentials = readCredentials(env, service, {}, named)
  const client = await openClient({ service, credentials, proxies: findProxies(env), signal })
  try {
    if (place !== null) {
      const { data, status, correlationId } = await client
        .request(method, path, { ...parts, as: 'bytes' }, { signal })
        .withResponse()
      await writeAtomic(place, data, { isShared: true })
      const size = counted(data.length, 'byte')
      if (isOn(flags, 'json')) io.out(resultLine({ status, correlationId, bytes: data.length, output }))
      else io.out(`${status}: ${size} written to ${output}`)
      return EXIT.ok
    }
    const answer = await client.request(method, path, { ...parts, as: 'text' }, { signal }).withResponse()
    const { status, correlationId } = answer
    const data = parseAnswer(sent, answer.data, answer)
    if (isOn(flags, 'json')) io.out(resultLine({ status, correlationId, data }))
    else if (method === 'HEAD') io.out(describeHead(answer))
    else if (answer.data === '') io.err(`${status}: an empty answer`)
    else io.out(safeJson(data, 2))
    return EXIT.ok
  } catch (error) {
    throw withHint(error)
  } finally {
    await client.close()
  }
}

/** The hints of the table are about runs. */
function withHint(error: unknown): unknown {
  if (!FettleError.is(error)) return error
  const { code, message, status, correlationId, unanswered } = error
  const hint = unanswered
    ? 'Find out whether it took effect before you send it again: it was sent once.'
    : code === 'FETTLE_NOT_FOUND'
      ? 'Check the path, and the address of the service.'
      : error.action?.command === 'resume'
        ? 'Check the address and the network, then run the same command again.'
        : null
  if (hint === null) return error
  return new FettleError(code, message, { hint, status: status ?? undefined, correlationId, unanswered, cause: error })
}

/** `200: application/json, 1234 bytes` */
function describeHead({ status, header }: { status: number; header(name: string): string | null }): string {
  const [kind, bytes] = [header('content-type'), header('content-length')]
  return `${status}: ${escapeTerminal(kind ?? 'no content type')}${bytes === null ? '' : `, ${escapeTerminal(bytes)} bytes`}`
}

const resultLine = (fields: object): string => safeJson({ schema: 'fettle/request/v1', ...fields })

async function readRequest(flags: Flags, io: Io): Promise<Sent> {
  const wanted = needText(flags, 'method').toUpperCase()
  const method = METHODS.find(name => name === wanted)
  if (method === undefined) throw usageError(`the method ${wanted} is not supported: expected ${METHODS.join(', ')}`)
  const path = needText(flags, 'path')
  if (!path.startsWith('/')) throw usageError(`the path ${path} must start with /`, 'Give it without the address: /companies.')
  if (path.includes('?')) throw usageError(`the path ${path} has a query`, 'Pass each parameter as --query name=value.')
  if (path.includes('{')) throw usageError(`the path ${path} has a name in braces`, 'Put the value in its place.')
  const given = textFlag(flags, 'data')
  if (given !== null && (method === 'GET' || method === 'HEAD'))
    throw usageError(`a ${method} has no --data`, 'Pass --query name=value.')
  if (method === 'HEAD' && textFlag(flags, 'output') !== null)
    throw usageError('the answer to a HEAD has no body to write', 'Leave --output out, or send a GET.')
  const body = given === null ? undefined : await readBody(given, io)
  return { method, path: path as `/${string}`, query: readQuery(flags), body }
}

function readQuery(flags: Flags): Sent['query'] {
  const query = new Map<string, string[]>()
  for (const text of listFlag(flags, 'query')) {
    const [, name, value] = /^([^=]+)=([\s\S]*)$/.exec(text) ?? []
    if (name === undefined || value === undefined) throw usageError(`--query ${text}: expected name=value`)
    query.set(name, [...(query.get(name) ?? []), value])
  }
  return Object.fromEntries(query)
}

/** The JSON of `--data`: a text, a file as `@FILE`, or standard input as `@-`. */
async function readBody(given: string, io: Io): Promise<unknown> {
  const file = given.startsWith('@') ? given.slice(1) : null
  const shown = file === null ? '--data' : file === '-' ? 'standard input' : file
  const bytes = file === null ? given : file === '-' ? await readAll(io.stdin()) : await readText(resolve(io.cwd, file), shown)
  const text = bytes.replace(/^\ufeff/, '')
  const fault = findJsonFault(text, MAX_DEPTH)
  if (fault === null) return JSON.parse(text)
  const lines = text.slice(0, fault.position).split('\n')
  const [line, column] = [lines.length, (lines.at(-1)?.length ?? 0) + 1]
  throw new FettleError('FETTLE_USAGE', `${shown} is not JSON, see line ${line}, column ${column}`, {
    hint: file === null ? 'Pass JSON, or a file of it as @FILE.' : 'Fix the JSON.',
    at: file === null || file === '-' ? null : { file, line, column },
  })
}

async function readText(path: string, shown: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw usageError(`--data @${shown} cannot be read: ${(error as NodeJS.ErrnoException).code}`, 'Name a file of JSON.')
  }
}

/** Before the request: its answer may have been paid for, and could not be requested again. */
async function requireNewFile(path: string, shown: string): Promise<void> {
  if ((await lstat(path).catch(() => null)) !== null) throw usageError(`${shown} exists already`, 'Name a new file.')
  await checkWritable(path, { isShared: true })
}

function parseAnswer(
  { method, path }: Sent,
  text: string,
  { status, header }: { status: number; header(name: string): string | null },
) {
  if (text === '') return null
  try {
    return JSON.parse(text) as unknown
  } catch {
    const kind = header('content-type') ?? 'no content type'
    throw new FettleError(
      'FETTLE_CONTRACT',
      `request ${method} ${path}: the service answered ${status} with ${kind}, not JSON: "${clip(text, 80)}"`,
      { hint: 'Pass --output FILE to write such an answer to a file; first find out whether it was charged.', status },
    )
  }
}
