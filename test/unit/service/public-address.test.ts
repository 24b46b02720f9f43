/** Addresses in links behind a proxy: the public one, or what a trusted proxy reports; headers of other senders are ignored. */
import type { IncomingMessage } from 'node:http'
import { describe, expect, test } from 'vitest'
import { openPublicAddress, publicOrigin } from '../../../src/service/http/public-address.ts'

const HERE = 'http://127.0.0.1:9'
const from = (remoteAddress: string, headers: Record<string, string> = {}): IncomingMessage =>
  ({ socket: { remoteAddress }, headers: { host: 'a.example', ...headers } }) as unknown as IncomingMessage

describe('the address of a link', () => {
  const reported = { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'b.example' }
  test.each<[string, readonly string[], IncomingMessage, string]>([
    ['the host header', [], from('10.0.0.1'), 'http://a.example'],
    ['a sender that is not trusted', ['10.0.0.2'], from('10.0.0.1', reported), 'http://a.example'],
    ['a trusted address', ['10.0.0.1'], from('10.0.0.1', reported), 'https://b.example'],
    ['a trusted subnet', ['10.0.0.0/8'], from('10.9.9.9', reported), 'https://b.example'],
    ['the same as an IPv6 socket shows it', ['10.0.0.0/8'], from('::ffff:10.9.9.9', reported), 'https://b.example'],
    ['a trusted IPv6 subnet', ['fd00::/8'], from('fd00::1', reported), 'https://b.example'],
    ['the protocol alone', ['10.0.0.1'], from('10.0.0.1', { 'x-forwarded-proto': 'https' }), 'https://a.example'],
    [
      'the nearest of several',
      ['10.0.0.1'],
      from('10.0.0.1', { 'x-forwarded-host': 'evil.example, b.example' }),
      'http://b.example',
    ],
    [
      'Forwarded',
      ['10.0.0.1'],
      from('10.0.0.1', { forwarded: 'for=1.2.3.4;host="b.example:8";proto=HTTPS' }),
      'https://b.example:8',
    ],
    ['its last element', ['10.0.0.1'], from('10.0.0.1', { forwarded: 'host=evil.example, host=b.example' }), 'http://b.example'],
    [
      'Forwarded before the other',
      ['10.0.0.1'],
      from('10.0.0.1', { ...reported, forwarded: 'proto=http;host=c.example' }),
      'http://c.example',
    ],
    ['an unknown protocol', ['10.0.0.1'], from('10.0.0.1', { 'x-forwarded-proto': 'gopher' }), 'http://a.example'],
  ])('%s', (_, trustedProxies, request, address) => {
    expect(openPublicAddress({ trustedProxies }).of(request, HERE)).toBe(address)
    expect(openPublicAddress({ trustedProxies, publicUrl: 'https://p.example' }).of(request, HERE)).toBe('https://p.example')
  })

  test('of a request without a host is the one listened on', () => {
    expect(openPublicAddress({}).of({ socket: {}, headers: {} } as IncomingMessage, HERE)).toBe(HERE)
  })
})

test('a public address is https, without a path', () => {
  for (const text of ['https://p.example', 'https://p.example/', 'https://p.example/v1', 'HTTPS://P.example/v1/'])
    expect(publicOrigin(text)).toBe('https://p.example')
  expect(publicOrigin('https://p.example:8443')).toBe('https://p.example:8443')
  for (const text of [
    'p.example',
    'http://p.example',
    'https://u:p@p.example',
    'https://p.example/fettle',
    'https://p.example?a',
    '',
  ])
    expect(() => publicOrigin(text), text).toThrow(expect.objectContaining({ code: 'FETTLE_SETTINGS' }))
  for (const proxy of ['p.example', '10.0.0.0/33', '10.0.0.0/', 'fd00::/129', ''])
    expect(() => openPublicAddress({ trustedProxies: [proxy] }), proxy).toThrow(
      expect.objectContaining({ code: 'FETTLE_SETTINGS' }),
    )
})
