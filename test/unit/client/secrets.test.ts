import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createRedactor, showUrl } from '../../../src/client/redact.ts'
import { anyCharacter } from '../../support/any-character.ts'
import { type Answer, clientOf, errorOf, fault, JOBS, job, LOGIN, page, reset, serveScript, uploadOf } from './kit.ts'
import { cert, key } from './self-signed.ts'

const SECRET = 'canary-password'

describe('redaction', () => {
  const redactor = createRedactor()
  redactor.hide(SECRET)
  redactor.hide('pä"ss wörd')
  redactor.hide('ab')

  test.each([
    ['plain', `no ${SECRET} here`],
    ['base64', `no ${Buffer.from(SECRET).toString('base64')} here`],
    ['URL-encoded', `no ${encodeURIComponent('pä"ss wörd')} here`],
    ['inside JSON', `no ${JSON.stringify('pä"ss wörd').slice(1, -1)} here`],
  ])('%s', (_, text) => {
    expect(redactor.clean(text)).toBe('no *** here')
  })

  test('a secret is masked before the text is cut, so that no half of it is left', () => {
    expect(redactor.clean(`${'x'.repeat(75)}${SECRET}`, 80)).toBe(`${'x'.repeat(75)}***`)
  })

  test('queries of links are cut, control characters and escape sequences removed', () => {
    expect(redactor.clean('see https://h/p?sig=1#x and http://h/q#y.')).toBe('see https://h/p?*** and http://h/q?***')
    expect(redactor.clean('\u001b[31mred\u001b[0m\r\n\u001b]8;;http://x\u0007link\u0000\u202e')).toBe('red link')
    expect(showUrl(new URL('https://h:8443/p?sig=1#x'))).toBe('https://h:8443/p')
  })

  test('removes the secret and all control characters from any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.string({ unit: anyCharacter }), (before, after) => {
        const shown = redactor.clean(before + SECRET + after)
        expect(shown).not.toContain(SECRET)
        expect(shown).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/)
        expect(shown.length).toBeLessThanOrEqual(301)
      }),
    )
  })

  test('a text of two characters is too short to be masked in every word', () => {
    expect(redactor.clean('ab cab')).toBe('ab cab')
  })
})

/** Tells the caller everything it was sent, as a careless service does. */
const echo: Answer = (request, response, seen) => {
  response.writeHead(400, { 'content-type': 'application/json', 'set-cookie': 'session=canary-cookie' })
  response.end(JSON.stringify({ message: `bad: ${request.headers.authorization} ${seen.body}`, correlationId: 'c' }))
}

describe('errors carry no secret', () => {
  const READ = `GET ${JOBS}/7`
  test.each<[string, Record<string, Answer[]>]>([
    ['an echo of the login', { [LOGIN]: [echo] }],
    ['an echo of the token', { [LOGIN]: [{ json: { token: 'canary-token' } }], [READ]: [echo] }],
    ['the token as a page', { [LOGIN]: [{ json: { token: 'canary-token' } }], [READ]: [{ text: '<p>canary-token' }] }],
    ['a reset', { [LOGIN]: [{ json: { token: 'canary-token' } }], [READ]: [reset] }],
    ['a refusal', { [LOGIN]: [{ json: { token: 'canary-token' } }], [READ]: [fault(403)] }],
    ['401 twice', { [LOGIN]: [{ json: { token: 'canary-token' } }], [READ]: [fault(401)] }],
    ['a login that is no API', { [LOGIN]: [page] }],
    ['a token no header can hold', { [LOGIN]: [{ json: { token: 'canary-token\r\nX-Evil: 1' } }] }],
  ])('%s', async (_, script) => {
    const server = await serveScript(script)
    const error = await errorOf(clientOf(server).readJob('7'))
    expect(error.code).toMatch(/^FETTLE_/)
    expect(inspect(error, { depth: Infinity, showHidden: true })).not.toMatch(/canary/)
    expect(JSON.stringify(error)).not.toMatch(/canary/)
  })

  test('nor do unanswered effects and uploads', async () => {
    const server = await serveScript({ [`POST ${JOBS}/7/upload`]: [reset], [`POST ${JOBS}`]: [reset] })
    const client = clientOf(server)
    const look = async () => {
      throw new Error('no')
    }
    const file = uploadOf(Buffer.from('canary-row')).file
    for (const act of [
      () => client.upload('7', file, { key: 'canary-key', look }),
      () => client.createJob('n', { key: 'canary-key', look }),
    ])
      expect(inspect(await errorOf(act()), { depth: Infinity, showHidden: true })).not.toMatch(/canary/)
  })
})

describe('headers', () => {
  test.each([
    ['traceparent', { traceparent: '00-aa\r\nX-Evil: canary' }],
    ['user-agent', { userAgent: 'fettle\nX-Evil: canary' }],
  ])('%s with a line break is refused before anything is sent', async (name, options) => {
    const server = await serveScript({})
    const error = await errorOf(clientOf(server, options).authenticate())
    expect(error).toMatchObject({ code: 'FETTLE_USAGE' })
    expect(error.message).toContain(name)
    expect(error.message).not.toContain('canary')
    expect(server.seen).toHaveLength(0)
  })

  test('an idempotency key with a line break as well', async () => {
    const server = await serveScript({})
    const error = await errorOf(clientOf(server).submit('7', { key: 'k\nX-Evil: 1', look: async () => undefined }))
    expect(error).toMatchObject({ code: 'FETTLE_USAGE' })
    expect(server.of(`POST ${JOBS}/7/submit`)).toHaveLength(0)
  })

  test('an id is escaped into the path', async () => {
    const server = await serveScript({})
    await errorOf(clientOf(server).readJob('../../x?y#z'))
    expect(server.seen[1]?.path).toBe('/v1/dataCleaning/jobs/..%2F..%2Fx%3Fy%23z')
  })

  test('the embedded protections are sent: key on create, submit, enrich only; agent and trace with everything', async () => {
    const server = await serveScript({
      [`POST ${JOBS}`]: [{ json: { id: '7', name: 'n', status: 'created' } }],
      [`POST ${JOBS}/7/submit`]: [{ json: { messageId: 'm', correlationId: 'c-submit' } }],
      [`POST ${JOBS}/7/enrich`]: [{ json: [{}], headers: { 'x-correlation-id': 'c-enrich' } }],
      [`GET ${JOBS}/7`]: [{ json: { id: '7', name: 'n', status: 'created', correlationId: 'c-read' } }],
    })
    const client = clientOf(server, { traceparent: '00-aa-bb-01', userAgent: 'fettle/9' })
    const noted: unknown[] = []
    const options = { key: 'k-1', look: async () => undefined, onCorrelation: (one: unknown) => noted.push(one) }
    await client.createJob('n', options)
    expect(await client.submit('7', options)).toEqual({ value: 'm', adopted: false })
    await client.enrich('7', options)
    await client.readJob('7')
    expect(server.seen.map(one => one.headers['idempotency-key'])).toEqual([undefined, 'k-1', 'k-1', 'k-1', undefined])
    for (const one of server.seen) expect(one.headers).toMatchObject({ traceparent: '00-aa-bb-01', 'user-agent': 'fettle/9' })
    expect(noted).toEqual([
      { operation: 'submit', correlationId: 'c-submit' },
      { operation: 'enrich', correlationId: 'c-enrich' },
    ])
  })
})

describe('TLS', () => {
  const secure = async (options: object) => {
    let requests = 0
    const server = createServer({ key, cert, ...options }, (_, response) => {
      requests += 1
      response.end('{"token":"t"}')
    })
    server.on('tlsClientError', () => undefined)
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, requests: () => requests }
  }

  test.each([
    ['a certificate nobody vouches for', {}],
    ['an old protocol', { minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' }],
  ])('%s: FETTLE_TLS, not repeated, with the cure', async (_, options) => {
    const server = await secure(options)
    const client = clientOf(server)
    const error = await errorOf(client.authenticate())
    expect(error).toMatchObject({ code: 'FETTLE_TLS', exitCode: 76 })
    expect(error.hint).toContain('NODE_EXTRA_CA_CERTS')
    expect(client.takeCounts()).toMatchObject({ requests: 1, retries: 0 })
    expect(server.requests()).toBe(0)
  })

  test('a server that does not speak TLS at all', async () => {
    const plain = await serveScript({})
    const error = await errorOf(clientOf({ url: plain.url.replace('http:', 'https:') }).authenticate())
    expect(error).toMatchObject({ code: 'FETTLE_TLS' })
    expect(plain.seen).toHaveLength(0)
  })
})

test('a service that echoes the password in a job finds it masked, and an id that holds it refused', async () => {
  const password = 'PWCANARY-echoed-99'
  const server = await serveScript({
    [`GET ${JOBS}/7`]: [{ json: { ...job('7'), status: `matching ${password}`, name: `x ${password}` } }],
    [`GET ${JOBS}/8`]: [{ json: { ...job('7'), id: `8-${password}` } }],
    [`GET ${JOBS}/9`]: [{ json: { ...job('7'), id: '..' } }],
    [`GET ${JOBS}/10`]: [{ json: { ...job('7'), status: 'x'.repeat(3_000_000) } }],
  })
  const client = clientOf(server, { password })
  expect(await client.readJob('7')).toMatchObject({ id: '7', status: 'matching ***', name: 'x ***' })
  for (const id of ['8', '9']) {
    const error = await errorOf(client.readJob(id))
    expect(error).toMatchObject({ code: 'FETTLE_CONTRACT' })
    expect(error.message).not.toContain(password)
  }
  expect((await client.readJob('10')).status.length).toBeLessThan(310)
})

test('a short or weak password does not stand in the way of ids and names', async () => {
  const name = 'fettle-20260101T000000Z-suppliers-abc123'
  const server = await serveScript({
    [`GET ${JOBS}/bench-7`]: [{ json: { ...job('7'), id: 'bench-7', name, status: 'matching' } }],
  })
  for (const password of ['bench', 'suppliers'])
    expect(await clientOf(server, { password }).readJob('bench-7')).toMatchObject({ id: 'bench-7', name, status: 'matching' })
})

test('a token that no header can hold is refused: 76, and not shown', async () => {
  for (const token of ['two\nlines', 'tökén‑x', 'a b']) {
    const error = await errorOf(clientOf(await serveScript({ [LOGIN]: [{ json: { token } }] })).readJob('7'))
    expect(error).toMatchObject({ code: 'FETTLE_CONTRACT', exitCode: 76 })
    expect(error.message).not.toContain(token)
  }
})
