/**
 * Every outgoing TLS connection against servers with an invalid certificate: the service, objects by https and S3, lineage,
 * and https proxies. Nothing is sent, nothing is retried, and the error names host, reason and fix. Revocation is not tested:
 * Node checks no revocation list.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer as createPlain, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createServer as createTls, type TlsOptions } from 'node:tls'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CANARY } from '../canary.ts'
import { certificate, newKey, type Wanted } from '../make-certificate.ts'

const YEAR = 365 * 86_400_000
const authority = certificate({ common: 'Test root', isAuthority: true })
const weak = certificate({ common: 'Test root of RSA', isAuthority: true, key: newKey(2048) })
const between = certificate({ common: 'Test between', isAuthority: true, issuer: authority.issuer })
const other = certificate({ common: 'Test stranger', isAuthority: true })
const leaf = (wanted: Wanted): TlsOptions => certificate({ issuer: authority.issuer, ...wanted })
const LOOSE = { ciphers: 'ALL:@SECLEVEL=0' }

const GOOD = leaf({})
const BAD: readonly (readonly [name: string, tls: TlsOptions, why: RegExp])[] = [
  ['expired', leaf({ from: -2 * YEAR, to: -YEAR }), /CERT_HAS_EXPIRED/],
  ['not valid yet', leaf({ from: YEAR, to: 2 * YEAR }), /CERT_NOT_YET_VALID/],
  ['of another name', leaf({ names: ['elsewhere.example'] }), /ALTNAME_INVALID/],
  ['of another address', leaf({ names: ['127.0.0.2'] }), /ALTNAME_INVALID/],
  ['of a common name alone', leaf({ common: '127.0.0.1', names: [] }), /ALTNAME_INVALID/],
  ['of the address written as a name', leaf({ names: ['127.0.0.1.'] }), /ALTNAME_INVALID/],
  ['of every name', leaf({ names: ['*'] }), /ALTNAME_INVALID/],
  ['of every name below', leaf({ names: ['*.0.0.1'] }), /ALTNAME_INVALID/],
  ['signed by itself', certificate({}), /SELF_SIGNED/],
  ['of an authority that nobody trusts', leaf({ issuer: other.issuer }), /UNABLE_TO/],
  ['with a gap in its chain', leaf({ issuer: between.issuer }), /UNABLE_TO/],
  [
    'signed by one that is no authority',
    leaf({ issuer: certificate({ common: 'Test leaf', issuer: authority.issuer }).issuer }),
    /UNABLE_TO|INVALID_CA/,
  ],
  ['signed with SHA-1', { ...leaf({ issuer: weak.issuer, hash: 'sha1' }), ...LOOSE }, /too weak/],
  ['signed with MD5', { ...leaf({ issuer: weak.issuer, hash: 'md5' }), ...LOOSE }, /too weak/],
  ['of a key of RSA with 512 bits', { ...leaf({ key: newKey(512) }), ...LOOSE }, /TOO_SMALL|SSL|EPROTO|SIGNATURE/],
  ['TLS 1.1', { ...GOOD, ...LOOSE, minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1' }, /PROTOCOL|EPROTO|SSL/],
  ['TLS 1.0', { ...GOOD, ...LOOSE, minVersion: 'TLSv1', maxVersion: 'TLSv1' }, /PROTOCOL|EPROTO|SSL/],
]

const endings: (() => void)[] = []
afterAll(() => {
  for (const end of endings) end()
})

/** A server that counts connections and what it reads over them. */
async function serve(server: Server): Promise<{ port: number; connections: number; heard: string }> {
  const seen = { port: 0, connections: 0, heard: '' }
  const sockets = new Set<Socket>()
  const hear = (socket: Socket): void => {
    socket.on('error', () => {})
    socket.on('data', piece => {
      seen.heard += piece.toString('latin1')
      socket.end(
        'HTTP/1.1 401 Unauthorized\r\ncontent-type: application/json\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}',
      )
    })
  }
  server.on('connection', (socket: Socket) => {
    seen.connections++
    sockets.add(socket)
  })
  server.on('secureConnection', hear)
  server.on('tlsClientError', () => {})
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  seen.port = (server.address() as AddressInfo).port
  endings.push(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return seen
}

interface Ended {
  readonly code: string
  readonly message: string
  readonly hint: string
  readonly ms: number
}

let ask: (line: { way: string; url: string; proxy?: string }) => Promise<Ended>
beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), 'fettle-tls-'))
  writeFileSync(join(folder, 'ca.pem'), authority.cert + weak.cert)
  const child = spawn(process.execPath, [fileURLToPath(new URL('tls-child.mjs', import.meta.url))], {
    env: { PATH: process.env.PATH ?? '', NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'), CANARY: CANARY.password },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  let last = Promise.resolve<unknown>(null)
  ask = line => {
    const next = last.then(async () => {
      child.stdin.write(`${JSON.stringify(line)}\n`)
      return JSON.parse((await answers.next()).value as string) as Ended
    })
    last = next
    return next
  }
  endings.push(() => {
    child.stdin.end()
    rmSync(folder, { recursive: true, force: true })
  })
})

const WAYS = ['service', 'read', 'write', 's3', 's3write', 'lineage'] as const
/** A handshake that fails is final: no wait of a repeat lies in it. */
const MOST_MS = 5_000

describe('a certificate', () => {
  test.each(WAYS)('of an added authority is accepted: %s', async way => {
    const server = await serve(createTls(GOOD))
    const { code } = await ask({ way, url: `https://127.0.0.1:${server.port}` })
    expect(code).not.toBe('FETTLE_TLS')
    expect(server.heard).toContain('HTTP/1.1')
  })

  describe.each(BAD)('%s', (_, tls, why) => {
    test.each(WAYS)('%s', async way => {
      const server = await serve(createTls(tls))
      const ended = await ask({ way, url: `https://127.0.0.1:${server.port}` })
      expect(server.heard).toBe('')
      expect(server.connections).toBe(1)
      expect(ended.message).toMatch(why)
      expect(ended.message).toContain(`127.0.0.1:${server.port}`)
      expect(ended.ms).toBeLessThan(MOST_MS)
      if (way !== 'lineage') {
        expect(ended.code).toBe('FETTLE_TLS')
        expect(ended.hint).toContain('NODE_EXTRA_CA_CERTS')
      }
    })

    test('a proxy', async () => {
      const server = await serve(createTls(tls))
      const proxy = `https://user:${encodeURIComponent(CANARY.password)}@127.0.0.1:${server.port}`
      const ended = await ask({ way: 'service', url: 'https://127.0.0.1:9', proxy })
      expect(server.heard).toBe('')
      expect(server.connections).toBe(1)
      expect(ended).toMatchObject({ code: 'FETTLE_TLS', message: expect.stringMatching(why) })
      expect(ended.message).toContain(`the proxy 127.0.0.1:${server.port}`)
      expect(ended.message).not.toContain(CANARY.password)
    })
  })
  test('accepted, then replaced by an expired one: the token is not sent again', async () => {
    const tls = createTls(GOOD)
    const server = await serve(tls)
    const answer = '{"token":"t0ken-of-the-test","tokenType":"Bearer"}'
    tls.prependListener('secureConnection', socket => {
      socket.removeAllListeners('data')
      socket.once('data', () => {
        tls.setSecureContext(leaf({ from: -2 * YEAR, to: -YEAR }))
        socket.end(
          `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${answer.length}\r\nconnection: close\r\n\r\n${answer}`,
        )
      })
    })
    const ended = await ask({ way: 'service', url: `https://127.0.0.1:${server.port}` })
    expect(ended).toMatchObject({ code: 'FETTLE_TLS', message: expect.stringContaining('CERT_HAS_EXPIRED') })
    expect(server.connections).toBe(2)
    expect(server.heard).not.toContain('t0ken')
  })

  test.each(['read', 'write', 's3'] as const)('of a server that a redirect names is not even asked for: %s', async way => {
    const bad = await serve(createTls(leaf({ from: -2 * YEAR, to: -YEAR })))
    const tls = createTls(GOOD)
    const server = await serve(tls)
    const to = `https://127.0.0.1:${bad.port}/elsewhere`
    tls.prependListener('secureConnection', socket => {
      socket.once('data', () =>
        socket.end(`HTTP/1.1 307 Temporary\r\nlocation: ${to}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`),
      )
    })
    const ended = await ask({ way, url: `https://127.0.0.1:${server.port}` })
    expect(ended.code).toMatch(/^FETTLE_/)
    expect([bad.connections, server.connections]).toEqual([0, 1])
  })
})

describe('no TLS', () => {
  test.each(WAYS)('a plain HTTP server at an https address: %s', async way => {
    const server = createPlain(socket => {
      socket.on('error', () => {})
      socket.once('data', () => socket.end('HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n'))
    })
    const seen = await serve(server)
    const ended = await ask({ way, url: `https://127.0.0.1:${seen.port}` })
    expect(seen.connections).toBe(1)
    expect(ended.message).toMatch(/TLS with 127\.0\.0\.1:\d+ failed: .*\((?:ERR_SSL_|EPROTO)/)
    if (way !== 'lineage') expect(ended.code).toBe('FETTLE_TLS')
  })

  test('an interrupted handshake may be a network error: it is retried a few times, and nothing is sent', async () => {
    let heard = 0
    const server = createPlain(socket => {
      socket.on('error', () => {})
      socket.once('data', piece => {
        if (piece.includes(CANARY.password)) heard++
        socket.destroy()
      })
    })
    const seen = await serve(server)
    const ended = await ask({ way: 'service', url: `https://127.0.0.1:${seen.port}` })
    expect(ended.code).toBe('FETTLE_NETWORK')
    expect(seen.connections).toBe(4)
    expect(heard).toBe(0)
  })
})
