/**
 * A service with one job in memory that issues marked tokens and links, echoes every secret it receives in messages, ids,
 * headers and names, and fails on command.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { atEnd } from '../../cli/fettle.ts'
import { CANARY } from '../canary.ts'

/** How a request fails: by a status with an echo, by a page, by a cut, or with a redirect. */
export type Fault = number | 'html' | 'cutJson' | 'reset' | 'redirect' | 'silence' | 'shortFile' | 'foreignLink' | 'badLink'

/** A request as it arrived. */
export interface Heard {
  readonly line: string
  readonly body: string
}

/** The service while it runs. */
export interface Careless {
  readonly url: string
  readonly heard: readonly Heard[]
  /** Stops failing. */
  heal(): void
}

const asHeader = (text: string): string => text.replace(/[^\x20-\x7e\xa0-\xff]/g, '?').slice(0, 500)

/** Starts it; `faults` names what fails: `METHOD /path` without /v1 and without ids, to how, every time it is asked. */
export async function careless(faults: Readonly<Record<string, Fault>> = {}): Promise<Careless> {
  const heard: Heard[] = []
  const job = { name: '', status: 'created', rows: '' }
  let isIll = true
  let logins = 0

  const answer = (line: string, body: string): unknown => {
    const record = (status = job.status): object => {
      job.status = status
      const count = Math.max(0, job.rows.split('\n').filter(row => row !== '').length - 1)
      const jobSummary = { totalRows: count, matched: 0, manualMatched: 0, unmatched: count, duplicates: 0 }
      return { id: 'job-1', name: job.name, status, correlationId: `c ${CANARY.token}`, jobSummary, secret: CANARY.token }
    }
    switch (line) {
      case 'POST /authenticate':
        logins++
        return { token: CANARY.token }
      case 'GET /dataCleaning/jobs':
        return job.name === '' ? [] : [record()]
      case 'POST /dataCleaning/jobs':
        job.name = JSON.parse(body).name
        return record('created')
      case 'POST /dataCleaning/jobs/job-1/upload':
        job.rows = /\r\n\r\n((?:Company|ref)[\s\S]*?)\r\n--/.exec(body)?.[1] ?? ''
        return { ...record('ready'), fileId: 'f' }
      case 'PUT /dataCleaning/jobs/job-1/mappings':
        return []
      case 'POST /dataCleaning/jobs/job-1/submit':
        record('jobMatchingComplete')
        return { messageId: CANARY.token, correlationId: CANARY.token }
      case 'PUT /dataCleaning/jobs/job-1/enrichments':
        return { enrichments: [] }
      case 'POST /dataCleaning/jobs/job-1/enrich':
        record('enrichmentComplete')
        return [{}]
      case 'GET /dataCleaning/jobs/job-1/enrichedFile':
        return { filePath: `/v1/files/job-1.csv?X-Amz-Signature=${encodeURIComponent(CANARY.signature)}` }
      default:
        return record()
    }
  }

  const fail = (how: Fault, echo: string, request: IncomingMessage, response: ServerResponse): void => {
    const headers = { 'x-correlation-id': asHeader(echo), 'set-cookie': `session=${CANARY.token}` }
    if (how === 'reset') request.socket.destroy()
    else if (how === 'silence') return
    else if (how === 'html') response.writeHead(200, { ...headers, 'content-type': 'text/html' }).end(`<p>${echo}</p>`)
    else if (how === 'cutJson') response.writeHead(200, headers).end(`{"token":"${CANARY.token}","m":"${echo}`)
    else if (how === 'redirect')
      response
        .writeHead(302, { ...headers, location: `https://elsewhere.example/x?sig=${encodeURIComponent(CANARY.signature)}` })
        .end()
    else if (how === 'shortFile') response.writeHead(200, { ...headers, 'content-length': 5_000 }).end('Company Name,Reg')
    else if (how === 'foreignLink' || how === 'badLink') {
      const host = how === 'badLink' ? `${encodeURIComponent(CANARY.token)}@evil.example` : 'evil.example'
      const filePath = `https://${host}/f?X-Amz-Signature=${encodeURIComponent(CANARY.signature)}`
      response.writeHead(200, headers).end(JSON.stringify({ filePath }))
    } else
      response
        .writeHead(how, asHeader(echo).slice(0, 80), headers)
        .end(JSON.stringify({ message: echo, details: [echo], correlationId: echo }))
  }

  const server = createServer(async (request, response) => {
    let body = ''
    for await (const piece of request) body += piece
    const line = `${request.method} ${(request.url ?? '').replace(/^\/v1/, '').replace(/\?.*/, '')}`
    heard.push({ line, body })
    const how = isIll ? faults[line] : undefined
    const echo = `${request.url} ${request.headers.authorization ?? ''} ${line.includes('upload') ? '' : body} login ${logins}`
    if (how !== undefined) return fail(how, echo, request, response)
    if (line === 'GET /files/job-1.csv') {
      const [head = '', ...rows] = job.rows.split('\n').filter(row => row !== '')
      const text = [`${head},match.outcome`, ...rows.map(row => `${row},unmatched`)].join('\n')
      return response.writeHead(200, { 'content-type': 'text/csv' }).end(`${text}\n`)
    }
    response
      .writeHead(200, { 'content-type': 'application/json', 'x-correlation-id': CANARY.token })
      .end(JSON.stringify(answer(line, body)))
  })
  server.on('clientError', () => {})
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return {
    url,
    heard,
    heal: () => {
      isIll = false
    },
  }
}
