import dns from 'node:dns'
import { connect as connectSocket, createServer } from 'node:net'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { Agent } from 'undici'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Download } from '../../../src/client/index.ts'
import { replaceBuiltin } from '../../support/builtin.ts'
import { type Answer, clientOf, errorOf, fault, JOBS, job, LOGIN, type ScriptedServer, serveScript, silence } from './kit.ts'

const LINK = `GET ${JOBS}/7/enrichedFile`
const CSV = 'name,score\nAcme,1\n'
const linkTo = (filePath: string): Answer => ({ json: { filePath } })
const file: Answer = (_, response) =>
  void response.writeHead(200, { 'content-type': 'text/csv', 'content-length': CSV.length }).end(CSV)
const csvAs =
  (encoding: string, bytes: Buffer): Answer =>
  (_, response) =>
    void response
      .writeHead(200, { 'content-type': 'text/csv', 'content-encoding': encoding, 'content-length': bytes.length })
      .end(bytes)
const redirect = (location: string, status = 302): Answer => ({ status, headers: { location }, text: '' })

const textOf = async (download: Download) => {
  const chunks: Uint8Array[] = []
  for await (const chunk of download.body) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

/** Connections to these host names end at these servers, in the clear; everything else as it is. */
function routed(hosts: Record<string, ScriptedServer>): Agent {
  const agent = new Agent({
    connect: ({ hostname, port }, done) => {
      const target = hosts[hostname]
      const socket = connectSocket(target === undefined ? Number(port) : Number(new URL(target.origin).port), '127.0.0.1')
      socket.once('connect', () => done(null, socket)).once('error', error => done(error, null))
    },
  })
  onTestFinished(() => agent.destroy())
  return agent
}

const OWN_HEADERS = ['authorization', 'cookie', 'idempotency-key', 'traceparent', 'user-agent', 'accept']

describe('the file on the service itself', () => {
  test.each(['/v1/files/7.csv?sig=canary', 'files/7.csv?sig=canary'])('%s: fetched with the token', async filePath => {
    const server = await serveScript({ [LINK]: [linkTo(filePath)], 'GET /files/7.csv': [file] })
    const download = await clientOf(server).openEnrichedFile('7')
    expect(download.bytes).toBe(CSV.length)
    expect(await textOf(download)).toBe(CSV)
    const [fetched] = server.of('GET /files/7.csv')
    expect(fetched?.headers.authorization).toBe('Bearer token-1')
    expect(fetched?.query.get('sig')).toBe('canary')
    expect(server.of(LINK)[0]?.query.get('fileType')).toBe('csv')
  })

  test.each([400, 404])(
    'not ready: %i on enrichedFile is FETTLE_NOT_FOUND with the status, for the stage to poll',
    async status => {
      const server = await serveScript({ [LINK]: [fault(status)] })
      expect(await errorOf(clientOf(server).openEnrichedFile('7'))).toMatchObject({
        code: 'FETTLE_NOT_FOUND',
        status,
        exitCode: 76,
      })
      expect(server.of(LINK)).toHaveLength(1)
    },
  )

  test.each([403, 410])('%i: a new link is asked for, once', async status => {
    const script = { [LINK]: [linkTo('/v1/old'), linkTo('/v1/new')], 'GET /old': [fault(status)], 'GET /new': [file] }
    expect(await textOf(await clientOf(await serveScript(script)).openEnrichedFile('7'))).toBe(CSV)
    const again = await serveScript({ [LINK]: [linkTo('/v1/old?sig=canary')], 'GET /old': [fault(status)] })
    const error = await errorOf(clientOf(again).openEnrichedFile('7'))
    expect(error).toMatchObject({ code: 'FETTLE_FILE_LINK', exitCode: 76, status })
    expect(error.message).not.toContain('canary')
    expect(again.of(LINK)).toHaveLength(2)
    expect(again.of('GET /old')).toHaveLength(2)
  })

  test('401 renews the token once; 404 is for the stage; 5xx is repeated', async () => {
    const script = { [LINK]: [linkTo('/v1/f')], 'GET /f': [fault(401), fault(502), file] }
    const server = await serveScript(script)
    expect(await textOf(await clientOf(server).openEnrichedFile('7'))).toBe(CSV)
    expect(server.of(LOGIN)).toHaveLength(2)
    const missing = await serveScript({ [LINK]: [linkTo('/v1/f')], 'GET /f': [fault(404)] })
    expect(await errorOf(clientOf(missing).openEnrichedFile('7'))).toMatchObject({ code: 'FETTLE_NOT_FOUND', status: 404 })
  })

  test.each<[string, (text: string) => Buffer]>([
    ['gzip', gzipSync],
    ['x-gzip', gzipSync],
    ['GZIP', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
  ])('Content-Encoding %s: the plain file, of a length that is not announced; JSON too', async (name, pack) => {
    const encoded =
      (text: string): Answer =>
      (_, response) => {
        const bytes = pack(text)
        response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': name, 'content-length': bytes.length })
        response.end(bytes)
      }
    const script = { [LINK]: [encoded(JSON.stringify({ filePath: '/v1/f' }))], 'GET /f': [csvAs(name, pack(CSV))] }
    const download = await clientOf(await serveScript(script)).openEnrichedFile('7')
    expect(download.bytes).toBeNull()
    expect(await textOf(download)).toBe(CSV)
  })

  test('Content-Encoding: unknown, damaged and false ones are refused by name; one cut off is cut', async () => {
    const opened = async (answer: Answer) =>
      clientOf(await serveScript({ [LINK]: [linkTo('/v1/f')], 'GET /f': [answer] })).openEnrichedFile('7')
    const unknown = await errorOf(opened(csvAs('zstd', Buffer.from('x'))))
    expect([unknown.code, unknown.message]).toEqual(['FETTLE_CONTRACT', expect.stringContaining('encoded as zstd')])
    const wrongSum = gzipSync(CSV)
    wrongSum.writeUInt32LE(7, wrongSum.length - 8)
    for (const bytes of [Buffer.from(CSV), gzipSync(CSV).subarray(0, -9), wrongSum]) {
      const refused = await errorOf(textOf(await opened(csvAs('gzip', bytes))))
      expect([refused.code, refused.message]).toEqual(['FETTLE_FILE_FORM', expect.stringContaining('not whole gzip data')])
    }
    const short = gzipSync(CSV).subarray(0, -9)
    const whole: Answer = (_, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      response.write(short, () => response.end())
    }
    expect(await errorOf(textOf(await opened(whole)))).toMatchObject({ code: 'FETTLE_FILE_FORM' })
    const cut: Answer = (request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' })
      response.write(short, () => request.socket.destroy())
    }
    const untilClosed: Answer = ({ socket }) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\n')
      socket.end(short)
    }
    for (const answer of [cut, untilClosed])
      expect(await errorOf(textOf(await opened(answer)))).toMatchObject({ code: 'FETTLE_DOWNLOAD_CUT' })
  })

  test('the charset is the one in the Content-Type', async () => {
    const typed = async (type: string) => {
      const answer: Answer = (_, response) => void response.writeHead(200, { 'content-type': type }).end(CSV)
      return (await clientOf(await serveScript({ [LINK]: [linkTo('/v1/f')], 'GET /f': [answer] })).openEnrichedFile('7')).charset
    }
    expect(await typed('text/csv; charset="Windows-1252"')).toBe('Windows-1252')
    expect(await typed('text/csv;header=present; Charset=utf-8')).toBe('utf-8')
    expect(await typed('text/csv')).toBeNull()
  })

  test('an unannounced length is null', async () => {
    const chunked: Answer = (_, response) => {
      response.write(CSV)
      response.end()
    }
    const open = await serveScript({ [LINK]: [linkTo('/v1/f')], 'GET /f': [chunked] })
    const download = await clientOf(open).openEnrichedFile('7')
    expect(download.bytes).toBeNull()
    expect(await textOf(download)).toBe(CSV)
  })
})

describe('a body that does not arrive whole', () => {
  const announcedMore: Answer = (request, response) => {
    response.writeHead(200, { 'content-length': '500' })
    response.write(CSV, () => request.socket.destroy())
  }
  const chunkedCut: Answer = (request, response) => void response.write(CSV, () => request.socket.destroy())
  const stalls: Answer = (_, response) => {
    response.writeHead(200, { 'content-length': '500' })
    response.write(CSV)
  }
  test.each<[string, Answer]>([
    ['shorter than announced', announcedMore],
    ['chunks cut off', chunkedCut],
    ['silence', stalls],
  ])('%s: FETTLE_DOWNLOAD_CUT', async (_, answer) => {
    const server = await serveScript({ [LINK]: [linkTo('/v1/f')], 'GET /f': [answer] })
    const download = await clientOf(server, { limits: { idleMs: 80 } }).openEnrichedFile('7')
    expect(await errorOf(textOf(download))).toMatchObject({ code: 'FETTLE_DOWNLOAD_CUT', exitCode: 75 })
    expect(server.of('GET /f')).toHaveLength(1)
  })

  test('slower than the least rate', async () => {
    const drip: Answer = (_, response) => {
      const timer = setInterval(() => response.write('x'), 5)
      response.on('close', () => clearInterval(timer))
    }
    const client = clientOf(await serveScript({ [LINK]: [linkTo('/v1/f')], 'GET /f': [drip] }))
    const download = await client.openEnrichedFile('7')
    const reading = (async () => {
      for await (const _ of download.body) {
        // Dropped: only the pace matters here.
      }
    })()
    const ticking = setInterval(() => client.clock.advance(7000), 1)
    const error = await errorOf(reading)
    clearInterval(ticking)
    expect(error).toMatchObject({ code: 'FETTLE_DOWNLOAD_CUT' })
    expect(error.message).toContain('1024 bytes a second')
  })

  test('an abort ends it with the reason; a reader that leaves ends the connection', async () => {
    const server = await serveScript({ [LINK]: [linkTo('/v1/f')], 'GET /f': [stalls] })
    const client = clientOf(server)
    const stop = new AbortController()
    const download = await client.openEnrichedFile('7', { signal: stop.signal })
    const reading = errorOf(textOf(download))
    setImmediate(() => stop.abort(new Error('Ctrl-C')))
    expect((await reading).message).toBe('Ctrl-C')
    for await (const _ of (await client.openEnrichedFile('7')).body) break
  })
})

describe('the file on another origin', () => {
  const SIGNED = 'https://bucket.s3.amazonaws.com/f?X-Amz-Signature=canary'

  test('the token and our headers stay with the service', async () => {
    const store = await serveScript({ 'GET /f': [file] })
    const server = await serveScript({ [LINK]: [linkTo(SIGNED)] })
    const client = clientOf(server, { dispatcher: routed({ 'bucket.s3.amazonaws.com': store }), traceparent: '00-aa-bb-01' })
    expect(await textOf(await client.openEnrichedFile('7'))).toBe(CSV)
    expect(server.of(LINK)[0]?.headers.traceparent).toBe('00-aa-bb-01')
    const sent = store.of('GET /f')[0]?.headers ?? {}
    for (const name of OWN_HEADERS) expect(sent[name]).toBeUndefined()
    expect(store.of('GET /f')[0]?.query.get('X-Amz-Signature')).toBe('canary')
  })

  test('a 401 there never causes a login; it is taken for an expired link', async () => {
    const store = await serveScript({ 'GET /f': [{ status: 401, text: 'canary in the refusal' }] })
    const server = await serveScript({ [LINK]: [linkTo(SIGNED)] })
    const error = await errorOf(
      clientOf(server, { dispatcher: routed({ 'bucket.s3.amazonaws.com': store }) }).openEnrichedFile('7'),
    )
    expect(error).toMatchObject({ code: 'FETTLE_FILE_LINK', status: 401 })
    expect(error.message).not.toContain('canary')
    expect(server.of(LOGIN)).toHaveLength(1)
  })

  test('a redirect from the service to an allowed store drops the token, also on the way back', async () => {
    const script: Record<string, Answer[]> = { [LINK]: [linkTo('/v1/f')] }
    const server = await serveScript(script)
    script['GET /f'] = [redirect(SIGNED)]
    script['GET /back'] = [file]
    const store = await serveScript({ 'GET /f': [redirect(`${server.url}/back`)] })
    const client = clientOf(server, { dispatcher: routed({ 'bucket.s3.amazonaws.com': store }) })
    expect(await textOf(await client.openEnrichedFile('7'))).toBe(CSV)
    expect(server.of('GET /f')[0]?.headers.authorization).toBe('Bearer token-1')
    expect(store.of('GET /f')[0]?.headers.authorization).toBeUndefined()
    expect(server.of('GET /back')[0]?.headers.authorization).toBeUndefined()
  })

  test.each([
    ['to http', 'http://bucket.s3.amazonaws.com/f'],
    ['to a host that is not listed', 'https://evil.example/f'],
    ['to another port of the same host', 'http://127.0.0.1:9/f'],
    ['to the metadata service', 'http://169.254.169.254/latest'],
    ['to a file', 'file:///etc/passwd'],
  ])('a redirect %s is refused', async (_, location) => {
    const server = await serveScript({ [LINK]: [linkTo('/v1/f')], 'GET /f': [redirect(location)] })
    expect(await errorOf(clientOf(server).openEnrichedFile('7'))).toMatchObject({ code: 'FETTLE_FILE_LINK', exitCode: 76 })
    expect(server.of('GET /f')).toHaveLength(1)
  })

  test('three redirects are followed, a fourth is not, and none without a target', async () => {
    const hop = (n: number): [string, Answer[]] => [`GET /${n}`, [redirect(`/v1/${n + 1}`)]]
    const three = Object.fromEntries([hop(1), hop(2), hop(3), ['GET /4', [file]]])
    expect(await textOf(await clientOf(await serveScript({ [LINK]: [linkTo('/v1/1')], ...three })).openEnrichedFile('7'))).toBe(
      CSV,
    )
    const loop = await serveScript({ [LINK]: [linkTo('/v1/1')], 'GET /1': [redirect('/v1/1')] })
    expect(await errorOf(clientOf(loop).openEnrichedFile('7'))).toMatchObject({ code: 'FETTLE_REDIRECT', exitCode: 76 })
    expect(loop.of('GET /1')).toHaveLength(4)
    const nowhere = await serveScript({ [LINK]: [linkTo('/v1/1')], 'GET /1': [{ status: 302, text: '' }] })
    expect(await errorOf(clientOf(nowhere).openEnrichedFile('7'))).toMatchObject({ code: 'FETTLE_REDIRECT' })
  })
})

test('an allowed name that leads to a private address is refused on connecting', async () => {
  const real = dns.lookup
  const lookup = (host: string, options: object, done: (...args: unknown[]) => void) =>
    host === 'rebound.amazonaws.com'
      ? done(null, [{ address: '127.0.0.1', family: 4 }])
      : real(host, options as never, done as never)
  onTestFinished(replaceBuiltin(dns, { lookup }))
  let connections = 0
  const trap = createServer(socket => {
    connections += 1
    socket.destroy()
  })
  await new Promise<void>(resolve => trap.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void trap.close())
  const { port } = trap.address() as { port: number }
  const server = await serveScript({ [LINK]: [linkTo(`https://rebound.amazonaws.com:${port}/f`)] })
  const client = clientOf(server, { fileHosts: [`rebound.amazonaws.com:${port}`] })
  const error = await errorOf(client.openEnrichedFile('7'))
  expect(error).toMatchObject({ code: 'FETTLE_FILE_LINK', exitCode: 76 })
  expect(error.message).toContain('rebound.amazonaws.com')
  expect(connections).toBe(0)
})

describe('redirects of API calls (F43)', () => {
  const READ = `GET ${JOBS}/7`

  test('a read follows within the service, with the token', async () => {
    const server = await serveScript({ [READ]: [redirect('/v1/moved')], 'GET /moved': [{ json: job('7') }] })
    expect((await clientOf(server).readJob('7')).id).toBe('7')
    expect(server.of('GET /moved')[0]?.headers.authorization).toBe('Bearer token-1')
  })

  test('a read does not leave the service, nor run in circles', async () => {
    const other = await serveScript({ 'GET /moved': [{ json: job('7') }] })
    const away = await serveScript({ [READ]: [redirect(`${other.url}/moved?sig=canary`)] })
    const error = await errorOf(clientOf(away).readJob('7'))
    expect(error).toMatchObject({ code: 'FETTLE_REDIRECT', exitCode: 76, status: 302 })
    expect(error.message).not.toContain('canary')
    expect(other.seen).toHaveLength(0)
    const loop = await serveScript({ [READ]: [redirect(`/v1${JOBS}/7`, 307)] })
    expect(await errorOf(clientOf(loop).readJob('7'))).toMatchObject({ code: 'FETTLE_REDIRECT' })
    expect(loop.of(READ)).toHaveLength(4)
  })

  test('fetches a large report behind its redirect without the token, and rejects one without a redirect', async () => {
    const report = { companyId: 'GB-1', report: { text: 'x'.repeat(9 * 1024 * 1024) } }
    const signed = 'https://bucket.s3.amazonaws.com/f?X-Amz-Signature=canary'
    const store = await serveScript({ 'GET /f': [{ json: report }] })
    const server = await serveScript({
      'GET /companies/GB-1': [redirect(signed)],
      'GET /companies/GB-2': [redirect('/v1/large')],
      'GET /companies/GB-3': [{ json: report }],
      'GET /large': [{ json: report }],
    })
    const { api } = clientOf(server, { dispatcher: routed({ 'bucket.s3.amazonaws.com': store }) })
    expect(await api.readReport({ id: 'GB-1' })).toEqual(report)
    for (const header of OWN_HEADERS) expect(store.of('GET /f')[0]?.headers[header], header).toBeUndefined()
    expect(await api.readReport({ id: 'GB-2' })).toEqual(report)
    expect(server.of('GET /large')[0]?.headers.authorization).toBe('Bearer token-1')
    await expect(api.readReport({ id: 'GB-3' })).rejects.toMatchObject({ message: expect.stringContaining('larger than') })
  })

  test.each([301, 302, 303, 307, 308])('a write is never redirected: %i', async status => {
    const options = { key: 'k', look: async () => undefined }
    const server = await serveScript({
      [`POST ${JOBS}`]: [redirect('/v1/moved', status)],
      [`PUT ${JOBS}/7/mappings`]: [redirect('/v1/moved', status)],
      [`POST ${JOBS}/7/submit`]: [redirect('/v1/moved', status)],
    })
    const client = clientOf(server)
    for (const act of [
      () => client.createJob('n', options),
      () => client.setMappings('7', []),
      () => client.submit('7', options),
    ])
      expect(await errorOf(act())).toMatchObject({ code: 'FETTLE_REDIRECT', status })
    const login = await serveScript({ [LOGIN]: [redirect('/v1/moved', status)] })
    expect(await errorOf(clientOf(login).authenticate())).toMatchObject({ code: 'FETTLE_REDIRECT' })
    expect([...server.seen, ...login.seen].filter(one => one.path.endsWith('moved'))).toHaveLength(0)
  })
})

test('silence before the file begins is repeated', async () => {
  const server = await serveScript({ [LINK]: [linkTo('/v1/f')], 'GET /f': [silence, file] })
  expect(await textOf(await clientOf(server, { limits: { headersMs: 80 } }).openEnrichedFile('7'))).toBe(CSV)
})
