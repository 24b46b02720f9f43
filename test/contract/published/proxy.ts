/** A server between a client and a service that holds every request and answer against the published description. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { OPERATIONS, type Operation, type OperationName } from '../../../src/contract/index.ts'
import { ofAnswer, ofRequest } from './published.ts'

/** What a proxy has seen: operations, and violations with how often each. */
export class Seen {
  readonly operations = new Set<OperationName>()
  readonly violations = new Map<string, number>()
  add(name: OperationName, where: string, found: readonly string[]): void {
    this.operations.add(name)
    for (const one of found.map(what => `${name} ${where} ${what}`)) {
      this.violations.set(one, (this.violations.get(one) ?? 0) + 1)
    }
  }
}

const braces = ({ path }: Operation): number => path.split('{').length
/** A path with fewer names in braces goes first. */
const ROWS = (Object.entries(OPERATIONS) as [OperationName, Operation][])
  .sort(([, a], [, b]) => braces(a) - braces(b))
  .map(([name, row]) => ({ name, method: row.method, form: new RegExp(`^${row.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`) }))

const HOP = ['host', 'connection', 'keep-alive', 'transfer-encoding', 'content-length', 'content-encoding']
const without = (headers: Iterable<[string, string]>): Record<string, string> =>
  Object.fromEntries([...headers].filter(([name]) => !HOP.includes(name)))

/** The base address of a proxy for the one of a service. */
export async function validatingProxy(service: string, seen: Seen): Promise<string> {
  const { origin, pathname } = new URL(service)
  const forward = async (request: IncomingMessage) => {
    const { method = '', url = '' } = request
    const headers = without(Object.entries(request.headers) as [string, string][])
    const body = await buffer(request)
    const reply = await fetch(origin + url, { method, headers, redirect: 'manual', ...(body.length > 0 ? { body } : {}) })
    const answer = Buffer.from(await reply.arrayBuffer())
    const { pathname: path, searchParams } = new URL(url, origin)
    const name = ROWS.find(
      row => row.method === method && path.startsWith(pathname) && row.form.test(path.slice(pathname.length)),
    )?.name
    if (name !== undefined) {
      seen.add(name, 'request', ofRequest(name, searchParams, headers['content-type']?.split(';')[0] ?? '', body))
      seen.add(name, String(reply.status), ofAnswer(name, reply.status, answer.toString()))
    }
    return { status: reply.status, headers: without(reply.headers), answer }
  }
  const server = createServer((request, response) => {
    forward(request).then(
      ({ status, headers, answer }) => response.writeHead(status, headers).end(answer),
      () => response.destroy(),
    )
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => new Promise<void>(resolve => void server.close(() => resolve())))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`
}
