/**
 * S9–S13 beyond single rules: what is sent to another origin in each of three forms, and the address of a name, checked at
 * connection time even if a resolver changes its answer.
 */
import dns from 'node:dns'
import { connect as connectSocket, createServer } from 'node:net'
import { Agent } from 'undici'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { lookupPublic } from '../../../src/client/http/links.ts'
import { createTransport, LIMITS } from '../../../src/client/http/transport.ts'
import { replaceBuiltin } from '../../support/builtin.ts'
import { type Answer, clientOf, errorOf, JOBS, LOGIN, type ScriptedServer, serveScript } from '../../unit/client/kit.ts'
import { CANARY, canariesIn } from './canary.ts'

const LINK = `GET ${JOBS}/7/enrichedFile`
const file: Answer = { text: 'a,b\n', headers: { 'content-type': 'text/csv', 'set-cookie': 'store=1' } }

/** Connections to `host:port` end at these servers, in the clear. */
function routed(ways: Readonly<Record<string, ScriptedServer>>): Agent {
  const agent = new Agent({
    connect: ({ hostname, port, protocol }, done) => {
      const way = ways[`${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`]
      if (way === undefined) return done(new Error(`nobody is at ${hostname}:${port}`), null)
      const socket = connectSocket(Number(new URL(way.origin).port), '127.0.0.1')
      socket.once('connect', () => done(null, socket)).once('error', error => done(error, null))
    },
  })
  onTestFinished(() => agent.destroy())
  return agent
}

const OURS = /^(?:authorization|cookie|idempotency-key|traceparent|tracestate|user-agent|accept|x-.*|referer|origin)$/

describe('S10: another origin receives none of our data', () => {
  test.each([
    ['another host', 'https://api.example.com', 'https://files.example.com/f', ['files.example.com'], 'files.example.com:443'],
    [
      'another port',
      'https://api.example.com',
      'https://api.example.com:8443/f',
      ['api.example.com:8443'],
      'api.example.com:8443',
    ],
    ['another scheme', 'http://api.example.com', 'https://api.example.com/f', ['api.example.com'], 'api.example.com:443'],
  ])('%s, by link and by redirect', async (_, own, other, fileHosts, at) => {
    for (const way of ['link', 'redirect'] as const) {
      const store = await serveScript({ 'GET /f': [file] })
      const service = await serveScript({
        [LOGIN]: [{ json: { token: CANARY.token }, headers: { 'set-cookie': `session=${CANARY.token}` } }],
        [LINK]: [{ json: { filePath: way === 'link' ? other : '/v1/moved' } }],
        'GET /moved': [{ status: 307, text: '', headers: { location: other } }],
      })
      const dispatcher = routed({ [`${new URL(own).host}:${own.startsWith('https') ? 443 : 80}`]: service, [at]: store })
      const options = {
        url: `${own}/v1`,
        insecure: true,
        fileHosts,
        dispatcher,
        traceparent: '00-aa-bb-01',
        userAgent: CANARY.foreign,
      }
      const client = clientOf(service, { ...options, username: CANARY.username, password: CANARY.password })
      const download = await client.openEnrichedFile('7')
      for await (const _chunk of download.body) {
        // Only what was sent matters here.
      }
      const [asked] = store.of('GET /f')
      expect(Object.keys(asked?.headers ?? {}).filter(name => OURS.test(name))).toEqual([])
      expect(canariesIn(JSON.stringify(asked?.headers), 'headers')).toEqual([])
      expect(store.seen).toHaveLength(1)
      expect(service.of(LINK)[0]?.headers.authorization).toBe(`Bearer ${CANARY.token}`)
      // No cookie is ever kept, so none can go anywhere.
      expect(service.seen.filter(one => one.headers.cookie !== undefined)).toEqual([])
    }
  })

  test('an API call does not follow a redirect to another scheme or port of its host', async () => {
    for (const location of ['https://api.example.com:8443/v1/x', 'http://api.example.com/v1/x', '//api.example.com:444/v1/x']) {
      const service = await serveScript({ [`GET ${JOBS}/7`]: [{ status: 302, text: '', headers: { location } }] })
      const dispatcher = routed({ 'api.example.com:443': service })
      const client = clientOf(service, { url: 'https://api.example.com/v1', dispatcher })
      expect(await errorOf(client.readJob('7'))).toMatchObject({ code: 'FETTLE_REDIRECT' })
      expect(service.seen.map(one => one.path)).toEqual(['/v1/authenticate', `/v1${JOBS}/7`])
    }
  })
})

/** Answers for names in `.example`, one lookup each, and the names asked for. */
const resolver = { answers: [] as string[][], asked: [] as string[] }
const { lookup } = dns
const answering = (host: string, options: object, done: (...args: unknown[]) => void) => {
  if (!host.endsWith('.example')) return lookup(host, options as never, done as never)
  resolver.asked.push(host)
  const found = resolver.answers.shift() ?? []
  done(
    null,
    found.map(address => ({ address, family: address.includes(':') ? 6 : 4 })),
  )
}
afterAll(replaceBuiltin(dns, { lookup: answering }))

const judged = (host: string): Promise<unknown> =>
  new Promise(resolve => lookupPublic(host, { all: true }, (error, addresses) => resolve(error ?? addresses)))

describe('S12: the connected address', () => {
  test('one private address among public ones is rejected', async () => {
    for (const bad of [
      '127.0.0.1',
      '10.0.0.1',
      '169.254.169.254',
      '::1',
      'fd00::1',
      '::ffff:192.168.0.1',
      '0.0.0.0',
      '64:ff9b::a00:1',
    ]) {
      resolver.answers = [['93.184.215.14', bad]]
      expect(await judged('mixed.example'), bad).toMatchObject({ code: 'FETTLE_FILE_LINK' })
    }
  })

  test('a resolver that changes its answer is called once a connection, and the checked answer is used', async () => {
    let connections = 0
    const trap = createServer(socket => {
      connections++
      socket.destroy()
    })
    await new Promise<void>(resolve => trap.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void trap.close())
    const { port } = trap.address() as { port: number }
    const transport = createTransport(LIMITS)
    onTestFinished(() => transport.close())
    const send = (to: 'service' | 'foreign', host: string) =>
      transport.send({
        method: 'GET',
        url: new URL(`https://${host}:${port}/f`),
        headers: {},
        headersMs: 1_000,
        idleMs: 1_000,
        to,
      })

    // First public, as one that checks beforehand would see it; then private, as the connection would.
    resolver.answers = [['93.184.215.14'], ['127.0.0.1'], ['127.0.0.1']]
    resolver.asked = []
    expect(await judged('turn.example')).toEqual([{ address: '93.184.215.14', family: 4 }])
    await expect(send('foreign', 'turn.example')).rejects.toMatchObject({ code: 'FETTLE_FILE_LINK' })
    expect(resolver.asked).toHaveLength(2)
    expect(connections).toBe(0)
    // The trap is there: for the service itself, whose own address may be private, it is reached.
    await send('service', '127.0.0.1')
    expect(connections).toBe(1)
  })
})
