/** A service that charges: what it answers about a row depends on nothing else, and it names nothing of the list. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from '../../src/service/index.ts'
import { forwardRequest, ownHeaders, readWhole } from '../../src/testing/exchange.ts'
import { matchOperation } from '../../src/testing/record.ts'

/** What every list is taken for. */
const FACTS = { inRegister: { from: 0.7, to: 0.9, startingOdds: 1.4, matchingOdds: 1.75 }, companyNumbers: 'reliable' }

/** A request on its way through. */
export interface Passing extends ReturnType<typeof matchOperation> {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly sent: Buffer
}

/** Watches every request, and disturbs some: what it throws cuts the connection. */
export interface Referee {
  /** Before the service gets it; a status is answered in its place. */
  arrived(passing: Passing): Promise<number | null>
  /** The service has carried it out: the body to answer in place of this one. */
  carriedOut(passing: Passing, reply: { readonly status: number; readonly body: Buffer }): Promise<Buffer>
}

export interface ChargingService {
  readonly url: string
  /** The settings for a run against it. */
  readonly env: Record<string, string>
  /** Jobs that were enriched. */
  enriched: number
  /** Ids of jobs that are gone. */
  readonly gone: Set<string>
  close(): Promise<void>
}

/** Without what is estimated of the list. A body that is cut stays so. */
function withoutFacts(body: Buffer): Buffer {
  try {
    const isFact = (key: string): boolean => key === 'inRegister' || key === 'companyNumbers'
    return Buffer.from(JSON.stringify(JSON.parse(body.toString(), (key, value) => (isFact(key) ? undefined : value))))
  } catch {
    return body
  }
}

/** Starts it with registers of a data folder; with none, all that were imported there. */
export async function startCharging(
  data: string,
  registers: readonly string[] = ['sample'],
  referee: Referee | null = null,
): Promise<ChargingService> {
  const folder = mkdtempSync(join(tmpdir(), 'fettle-charging-'))
  const service = await serve({
    ...{ dataDir: folder, registerDir: join(data, 'registers'), registers, screensAtOnce: true },
    users: [{ username: 'ann', password: 'a password' }],
  })
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const target = new URL(service.url)
    const { operation, jobId } = matchOperation(request.method ?? '', (request.url ?? '').replace(/\?.*/, ''), '/v1')
    if (operation === 'enrich') charging.enriched++
    if (jobId !== null && charging.gone.has(jobId)) {
      response.writeHead(404, { 'content-type': 'application/json' }).end('{"message":"no such job"}')
      return
    }
    let sent = await readWhole(request)
    const passing: Passing = { operation, jobId, request, response, sent }
    const refused = (await referee?.arrived(passing)) ?? null
    if (refused !== null) {
      response.writeHead(refused, { 'content-type': 'text/plain' }).end('no')
      return
    }
    if (operation === 'createJob') sent = Buffer.from(JSON.stringify({ ...JSON.parse(sent.toString()), ...FACTS }))
    const headers = { ...ownHeaders(request), 'content-length': String(sent.length) }
    const reply = await forwardRequest(request, { target, headers, body: sent })
    const status = reply.statusCode ?? 500
    const whole = await readWhole(reply)
    const body = (await referee?.carriedOut(passing, { status, body: whole })) ?? whole
    const isJson = /json/.test(String(reply.headers['content-type']))
    const text = isJson ? withoutFacts(body) : body
    const { 'content-length': _, 'transfer-encoding': __, 'x-list-facts': ___, ...rest } = reply.headers
    response.writeHead(status, { ...rest, 'content-length': text.length }).end(text)
  }
  const server = createServer((request, response) => void pass(request, response).catch(() => request.socket.destroy()))
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const charging: ChargingService = {
    url,
    env: { FETTLE_URL: url, FETTLE_USERNAME: 'ann', FETTLE_PASSWORD: 'a password' },
    enriched: 0,
    gone: new Set(),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await service.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return charging
}
