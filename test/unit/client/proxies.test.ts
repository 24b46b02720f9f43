/** F45: the service and its files through a proxy that tunnels, refuses, requires a password, answers itself or stays silent. */
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect as open, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Proxies, proxyFor } from '../../../src/client/http/transport.ts'
import { type Answer, clientOf, errorOf, JOBS, job, LOGIN, page, serveScript } from './kit.ts'
import { cert, key } from './self-signed.ts'

const READ = `GET ${JOBS}/7`
const ok: Answer = { json: job('7') }

interface Tunnelled {
  readonly to: string
  readonly authorization: string | undefined
}

/** A proxy that takes every host for `target`, or answers CONNECT with this status; null: not at all. */
async function serveProxy(target: string, answer: (asked: number, to: string) => number | null = () => 200) {
  const asked: Tunnelled[] = []
  const sockets = new Set<Socket>()
  const proxy = createServer()
  proxy.on('connection', socket => void sockets.add(socket))
  proxy.on('connect', (request: IncomingMessage, socket: Socket) => {
    const status = answer(asked.length, request.url ?? '')
    asked.push({ to: request.url ?? '', authorization: request.headers['proxy-authorization'] })
    socket.on('error', () => undefined)
    if (status === null) return
    if (status !== 200) return void socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`)
    const way = open(Number(new URL(target).port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n')
      way.pipe(socket).pipe(way)
    })
    way.on('error', () => socket.destroy())
    sockets.add(way)
  })
  await new Promise<void>(resolve => proxy.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    return new Promise<void>(resolve => proxy.close(() => resolve()))
  })
  return { asked, url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` }
}

const through = (proxy: string, more: Partial<Proxies> = {}): Proxies => ({ https: proxy, http: proxy, except: [], ...more })

/** A client of a service that only the proxy can find. */
const far = (proxies: Proxies, more = {}) =>
  clientOf({ url: 'http://service.example/v1' }, { insecure: true, proxies, limits: { connectMs: 300 }, ...more })

describe('a service behind a proxy', () => {
  test('is reached through a tunnel, with the password of the proxy and without ours', async () => {
    const server = await serveScript({ [READ]: [ok] })
    const proxy = await serveProxy(server.origin)
    const client = far(through(proxy.url.replace('//', '//me:proxy%20secret@')))
    expect((await client.readJob('7')).id).toBe('7')
    const authorization = `Basic ${Buffer.from('me:proxy secret').toString('base64')}`
    expect(proxy.asked[0]).toEqual({ to: 'service.example:80', authorization })
    expect(server.of(READ)[0]?.headers).not.toHaveProperty('proxy-authorization')
    expect(server.of(LOGIN)).toHaveLength(1)
  })

  test('407 ends at once with 77', async () => {
    const proxy = await serveProxy('http://127.0.0.1:1', () => 407)
    const error = await errorOf(far(through(proxy.url.replace('//', '//me:wrong@'))).authenticate())
    expect(error).toMatchObject({ code: 'FETTLE_FORBIDDEN', exitCode: 77 })
    expect(error.message).toMatch(/: the proxy 127\.0\.0\.1:\d+ answered 407\.$/)
    expect(error.hint).toContain('HTTPS_PROXY')
    expect(proxy.asked).toHaveLength(1)
  })

  test.each([403, 502, 503])(
    'a refusal to connect (%i) is a connection refused: repeated, for nothing was sent',
    async status => {
      const server = await serveScript({ [READ]: [ok] })
      const proxy = await serveProxy(server.origin, asked => (asked < 2 ? status : 200))
      const client = far(through(proxy.url))
      await client.readJob('7')
      expect(client.takeCounts()).toMatchObject({ requests: 4, retries: 2 })
      const lasting = await errorOf(far(through((await serveProxy(server.origin, () => status)).url)).authenticate())
      expect(lasting).toMatchObject({ code: 'FETTLE_NETWORK', exitCode: 75, unanswered: false })
      expect(lasting.message).toMatch(
        new RegExp(`: the proxy 127\\.0\\.0\\.1:\\d+ answered ${status}; given up after 4 attempts\\.$`),
      )
    },
  )

  test('reports a silent or missing proxy as a failed connection', async () => {
    const silent = await serveProxy('http://127.0.0.1:1', () => null)
    const error = await errorOf(far(through(silent.url), { attempts: 1 }).authenticate())
    expect(error).toMatchObject({ exitCode: 75, unanswered: false })
    const gone = await errorOf(far(through('http://me:secret@127.0.0.1:1'), { attempts: 1 }).authenticate())
    expect(gone).toMatchObject({ code: 'FETTLE_NETWORK', exitCode: 75, unanswered: false })
    expect(error.message).toMatch(/: no answer came in time through the proxy 127\.0\.0\.1:\d+;/)
    expect(gone.message).toMatch(/: no connection to the proxy 127\.0\.0\.1:1 \(ECONNREFUSED\);/)
    expect(gone.hint).toMatch(/HTTPS_PROXY.*NO_PROXY/)
  })

  test('a portal page is not the API: twice more, then 76', async () => {
    const server = await serveScript({ [LOGIN]: [page] })
    const proxy = await serveProxy(server.origin)
    expect(await errorOf(far(through(proxy.url)).authenticate())).toMatchObject({ code: 'FETTLE_CONTRACT', exitCode: 76 })
    expect(server.of(LOGIN)).toHaveLength(3)
  })

  test('who answers through the tunnel has to prove who he is', async () => {
    const server = createTlsServer({ key, cert })
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const proxy = await serveProxy(`https://127.0.0.1:${(server.address() as AddressInfo).port}`)
    const client = clientOf({ url: 'https://service.example/v1' }, { proxies: through(proxy.url) })
    expect(await errorOf(client.authenticate())).toMatchObject({ code: 'FETTLE_TLS', exitCode: 76 })
    expect(proxy.asked).toMatchObject([{ to: 'service.example:443' }])
  })

  test('the password of a proxy is never shown', async () => {
    const server = await serveScript({ [LOGIN]: [{ status: 400, json: { message: 'via me:hush-hush' } }] })
    const proxy = await serveProxy(server.origin)
    const error = await errorOf(far(through(proxy.url.replace('//', '//me:hush-hush@'))).authenticate())
    expect(error.message).toContain('via me:***')
  })
})

describe('a file behind a proxy', () => {
  const file = (filePath: string) => ({
    [`GET ${JOBS}/7/enrichedFile`]: [{ json: { filePath } }],
    'GET /f.csv': [{ text: 'a\n1\n' }],
  })
  const read = async (client: ReturnType<typeof far>) => {
    const chunks: Uint8Array[] = []
    for await (const chunk of (await client.openEnrichedFile('7')).body) chunks.push(chunk)
    return Buffer.concat(chunks).toString()
  }

  test('comes through it, and an address that is not public is refused before it is asked', async () => {
    const server = await serveScript(file('/f.csv'))
    const proxy = await serveProxy(server.origin)
    expect(await read(far(through(proxy.url)))).toBe('a\n1\n')
    for (const link of ['https://169.254.169.254/f.csv', 'https://localhost/f.csv', 'https://[::1]/f.csv']) {
      const client = far(through((await serveProxy((await serveScript(file(link))).origin)).url), { fileHosts: ['*'] })
      expect(await errorOf(read(client)), link).toMatchObject({ code: 'FETTLE_FILE_LINK' })
    }
  })

  test('a host that the proxy will not connect to is repeated, then 75', async () => {
    const server = await serveScript(file('https://files.example/f.csv'))
    const proxy = await serveProxy(server.origin, (_, to) => (to === 'files.example:443' ? 403 : 200))
    const client = far(through(proxy.url), { fileHosts: ['files.example'] })
    expect(await errorOf(read(client))).toMatchObject({ code: 'FETTLE_NETWORK', exitCode: 75 })
    expect(proxy.asked.filter(one => one.to === 'files.example:443')).toHaveLength(4)
  })
})

describe('which proxy', () => {
  const both: Proxies = { https: 'http://s:1', http: 'http://h:2', except: [] }
  const except = (...entries: string[]): Proxies => ({ ...both, except: entries })

  test.each<[string, Proxies, string | null]>([
    ['https://a.example/v1', both, 'http://s:1'],
    ['http://a.example/v1', both, 'http://h:2'],
    ['https://a.example/v1', { ...both, https: null }, null],
    ['https://127.0.0.1/v1', both, null],
    ['https://[::1]/v1', both, null],
    ['http://localhost:80/v1', both, null],
    ['http://api.localhost./v1', both, null],
    ['http://127.0.0.1/v1', { ...both, loopback: true }, 'http://h:2'],
    ['https://a.example/v1', except('*'), null],
    ['https://a.example/v1', except('a.example'), null],
    ['https://A.Example./v1', except('a.EXAMPLE'), null],
    ['https://b.a.example/v1', except('a.example'), null],
    ['https://b.a.example/v1', except('.a.example'), null],
    ['https://b.a.example/v1', except('*.a.example'), null],
    ['https://ba.example/v1', except('a.example'), 'http://s:1'],
    ['https://a.example/v1', except('b.example', 'a.example:443'), null],
    ['http://a.example/v1', except('a.example:80'), null],
    ['https://a.example:8443/v1', except('a.example:443'), 'http://s:1'],
    ['https://a.example/v1', except('.', ':443', ''), 'http://s:1'],
    ['https://10.0.0.1/v1', except('10.0.0.1'), null],
    ['https://[2001:4860::1]/v1', except('[2001:4860::1]'), null],
  ])('%s with %o: %s', (address, proxies, proxy) => {
    expect(proxyFor(new URL(address), proxies)).toBe(proxy)
  })
})
