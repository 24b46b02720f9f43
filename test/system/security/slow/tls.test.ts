/**
 * S7: the certificate of the service is verified. With an authority added by NODE_EXTRA_CA_CERTS a good certificate is
 * accepted, so each other one is rejected for its own fault; disabling verification prints a warning.
 */
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { TlsOptions } from 'node:tls'
import { describe, expect, test } from 'vitest'
import { cert as selfSigned, key as selfSignedKey } from '../../../unit/client/self-signed.ts'
import { atEnd, fettle, folderOf, pipelineOf, ROWS } from '../../cli/fettle.ts'
import { CANARY } from '../canary.ts'
import { authority, expired, good, leafKey, otherHost } from '../certificates.ts'

/** Runs against a TLS server; gives how it ended and how many requests the server heard. */
async function runAgainst(
  tls: TlsOptions,
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number; told: string; heard: number }> {
  let heard = 0
  const server = createServer({ key: leafKey, cert: good, ...tls }, (_, response) => {
    heard++
    response.writeHead(401, { 'content-type': 'application/json' }).end('{"message":"no"}')
  })
  server.on('tlsClientError', () => {})
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  const cwd = folderOf({ 'rows.csv': ROWS, 'p.yml': pipelineOf('p', 'retry: {attempts: 3}') })
  writeFileSync(join(cwd, 'authority.pem'), authority)
  const settings = {
    FETTLE_URL: `https://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    FETTLE_USERNAME: CANARY.username,
    FETTLE_PASSWORD: CANARY.password,
    NODE_EXTRA_CA_CERTS: join(cwd, 'authority.pem'),
  }
  const ended = await fettle(['run', 'p.yml'], { cwd, env: { ...settings, ...env } })
  return { code: ended.code, told: (ended.stdout + ended.stderr).replace(/\s+/g, ' '), heard }
}

describe.concurrent('TLS', () => {
  test('a certificate of the added authority is accepted', async () => {
    expect(await runAgainst({})).toMatchObject({ code: 77, heard: 1, told: expect.stringContaining('FETTLE_LOGIN') })
  })

  test.each<[string, TlsOptions, RegExp]>([
    ['expired', { cert: expired }, /CERT_HAS_EXPIRED/],
    ['for another host', { cert: otherHost }, /ERR_TLS_CERT_ALTNAME_INVALID/],
    ['self-signed', { cert: selfSigned, key: selfSignedKey }, /SELF_SIGNED/],
    ['TLS 1.1', { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' }, /PROTOCOL|EPROTO|SSL/],
  ])('%s: refused at once, nothing heard, and the cure named', async (_, tls, why) => {
    const ended = await runAgainst(tls)
    expect(ended).toMatchObject({ code: 76, heard: 0 })
    expect(ended.told).toContain('FETTLE_TLS')
    expect(ended.told).toMatch(why)
    expect(ended.told).toContain('NODE_EXTRA_CA_CERTS')
  })

  test('an unknown authority', async () => {
    const ended = await runAgainst({}, { NODE_EXTRA_CA_CERTS: '' })
    expect(ended).toMatchObject({ code: 76, heard: 0 })
  })

  test('NODE_TLS_REJECT_UNAUTHORIZED=0 disables verification in Node, so the run and its report have a warning', async () => {
    const ended = await runAgainst({ cert: expired }, { NODE_TLS_REJECT_UNAUTHORIZED: '0' })
    expect(ended.code).toBe(77)
    expect(ended.told).toContain('NODE_TLS_REJECT_UNAUTHORIZED=0: server certificates are not verified')
  })
})
