/** S3: for any answer of a careless service to any request, the error contains no secret, at any depth. */
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import type { Client } from '../../../src/client/index.ts'
import { withOptions } from '../../../src/run/ports.ts'
import {
  type Answer,
  clientOf,
  cutReply,
  errorOf,
  JOBS,
  LOGIN,
  reset,
  serveScript,
  silence,
  uploadOf,
} from '../../unit/client/kit.ts'
import { CANARY, canariesIn } from './canary.ts'

/** All that the service was told, told again. */
const echoOf = (request: Parameters<Extract<Answer, (...args: never[]) => void>>[0], body: Buffer): string =>
  `${request.url} ${request.headers.authorization ?? ''} ${request.headers['idempotency-key'] ?? ''} ${body} ${CANARY.password}`

/** Printable ASCII, as a header may hold it. */
const asHeader = (text: string): string => encodeURIComponent(text).slice(0, 2_000)

/** A careless answer: the request stands in its message, its details, its ids and its headers. */
const careless =
  (status: number, how: 'json' | 'html' | 'cut' | 'shape' | 'gzip' = 'json'): Answer =>
  (request, response, seen) => {
    // What cannot be read may be the very answer that holds the token.
    const echo = `${how === 'json' ? '' : CANARY.token} ${echoOf(request, seen.body)}`
    const told = request.headers.authorization === undefined ? asHeader(CANARY.password) : CANARY.token
    const type = how === 'html' ? `text/html; echo="${told}"` : 'application/json'
    const headers = {
      'content-type': type,
      'x-correlation-id': told,
      'set-cookie': `session=${told}`,
      location: `https://elsewhere.example/${told}?sig=${asHeader(CANARY.signature)}`,
      ...(how === 'gzip' ? { 'content-encoding': told } : {}),
    }
    const body = {
      json: JSON.stringify({ message: echo, details: [echo], correlationId: echo, error: echo }),
      html: `<p>${echo}</p>`,
      cut: JSON.stringify({ message: echo }).slice(0, -2),
      shape: JSON.stringify({ [told]: echo, id: [echo], correlationId: told }),
      gzip: echo,
    }[how]
    response.writeHead(status, `no ${told}`, headers).end(body)
  }

const ANSWERS: readonly (readonly [string, Answer])[] = [
  ...[400, 401, 403, 404, 409, 413, 429, 503].map(status => [`${status}`, careless(status)] as const),
  ...[302, 307].map(status => [`redirect ${status}`, careless(status)] as const),
  ...(['html', 'cut', 'shape', 'gzip'] as const).map(how => [`200 ${how}`, careless(200, how)] as const),
  ['reset', reset],
  ['reply cut', cutReply],
  ['silence', silence],
]

const look = async (): Promise<undefined> => undefined
const failingLook = async (): Promise<undefined> => {
  throw new Error('nobody answers')
}
const effect = { key: 'k-1', look }
const FILE = `GET /files/7.csv`

/** Options are the last argument of each, as a run gives them. */
const READERS: readonly (readonly [string, string, (client: Client) => Promise<unknown>])[] = [
  ['authenticate', LOGIN, client => client.authenticate({})],
  ['createJob', `POST ${JOBS}`, client => client.createJob('n', effect)],
  ['createJob, unanswered', `POST ${JOBS}`, client => client.createJob('n', { key: 'k-1', look: failingLook })],
  ['findJobs', `GET ${JOBS}`, client => client.findJobs('n', {})],
  ['readJob', `GET ${JOBS}/7`, client => client.readJob('7', {})],
  ['upload', `POST ${JOBS}/7/upload`, client => client.upload('7', uploadOf(Buffer.from('a,b\n')).file, effect)],
  ['setMappings', `PUT ${JOBS}/7/mappings`, client => client.setMappings('7', [{ mapping: 'name', value: '0' }], {})],
  ['submit', `POST ${JOBS}/7/submit`, client => client.submit('7', effect)],
  ['setEnrichments', `PUT ${JOBS}/7/enrichments`, client => client.setEnrichments('7', ['general.pattern'], {})],
  ['enrich', `POST ${JOBS}/7/enrich`, client => client.enrich('7', effect)],
  ['enrichedFile', `GET ${JOBS}/7/enrichedFile`, client => client.enrichedFile('7', {})],
  ['archive', `POST ${JOBS}/7/archive`, client => client.archive('7', {})],
  ['openEnrichedFile', FILE, client => client.openEnrichedFile('7', {})],
]

/** Everything an error can be made to say. */
const depths = (error: Error): string =>
  [
    inspect(error, { depth: Infinity, showHidden: true, getters: true, maxStringLength: Infinity, maxArrayLength: Infinity }),
    JSON.stringify(error),
    String(error),
    error.stack ?? '',
  ].join('\n')

describe.each(READERS)('%s', (_, route, act) => {
  test.each(ANSWERS)('%s', async (how, answer) => {
    const link = { json: { filePath: `/v1/files/7.csv?X-Amz-Signature=${encodeURIComponent(CANARY.signature)}` } }
    const server = await serveScript({
      [LOGIN]: [{ json: { token: CANARY.token } }],
      [`GET ${JOBS}/7/enrichedFile`]: [link],
      [route]: [answer],
      [`early /v1${JOBS}/7/upload`]: [],
    })
    const retried: string[] = []
    const client = clientOf(server, {
      username: CANARY.username,
      password: CANARY.password,
      limits: { headersMs: 40, bodyMs: 40, idleMs: 40, uploadHeadersMs: 40 },
      attempts: 2,
      onRetry: text => retried.push(text),
    })
    const correlations: unknown[] = []
    const noted = withOptions(client, { onCorrelation: one => correlations.push(one) })
    const error = await errorOf(act(noted)).catch(() => null)
    // A PUT takes any JSON for a confirmation, and `openEnrichedFile` leaves the reading to others.
    if (error === null) expect(['200 html', '200 shape', '200 cut', 'reply cut']).toContain(how)
    else {
      expect(error.code).toMatch(/^FETTLE_/)
      expect(canariesIn(depths(error), 'error')).toEqual([])
    }
    expect(canariesIn(retried.join('\n'), 'note of a repeat')).toEqual([])
    expect(canariesIn(JSON.stringify(correlations), 'correlation ids')).toEqual([])
  })
})
