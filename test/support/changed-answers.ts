/** An embedded service with the sample register for the runs of a test, and a way to it on which its answers are changed. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type ServeOptions, serve } from '../../src/service/index.ts'
import { forwardRequest, readWhole } from '../../src/testing/exchange.ts'
import { matchOperation } from '../../src/testing/record.ts'
import type { Place } from './place.ts'

type Operation = ReturnType<typeof matchOperation>['operation']

/** Returns the body to send in place of this one of a success; null cuts the connection. */
export type ChangeAnswer = (operation: Operation, body: Buffer, path: string) => Buffer | string | null

/** Starts a service in the folder of a test, which ends it. */
export function serveSample({ folder, options }: Place, more: Partial<ServeOptions> = {}) {
  return serve({
    dataDir: join(folder, 'service'),
    registerDir: join(options({}).env.FETTLE_DATA!, 'registers'),
    registers: ['sample'],
    screensAtOnce: true,
    users: [{ username: 'ann', password: 'a password' }],
    ...more,
  })
}

/** Opens a way to the service; returns its address. */
export async function openChangedWay(target: string, change: ChangeAnswer, { atEnd }: Pick<Place, 'atEnd'>): Promise<string> {
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const reply = await forwardRequest(request, { target: new URL(target), headers: request.headers })
    const body = await readWhole(reply)
    const path = (request.url ?? '').replace(/\?.*/, '')
    const { operation } = matchOperation(request.method ?? '', path, '/v1')
    const { 'content-length': _, 'transfer-encoding': __, ...headers } = reply.headers
    const sent = (reply.statusCode ?? 500) < 300 ? change(operation, body, path) : body
    if (sent === null) request.socket.destroy()
    else response.writeHead(reply.statusCode ?? 500, { ...headers, 'content-length': Buffer.byteLength(sent) }).end(sent)
  }
  const server = createServer((request, response) => void pass(request, response).catch(() => request.socket.destroy()))
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}
