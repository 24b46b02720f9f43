/** The behaviour of undici and form-data that the client relies on, one test each, so that an upgrade that changes it fails. */
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import FormData from 'form-data'
import { Agent, RetryAgent, request } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import { errorOf } from './kit.ts'

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const agentOf = <T extends { destroy(): Promise<void> }>(agent: T): T => {
  onTestFinished(() => agent.destroy())
  return agent
}

test.each(['POST', 'PUT'] as const)('undici: RetryAgent repeats neither a POST nor the stream of a PUT: %s', async method => {
  let hits = 0
  const url = await serve((incoming, response) => {
    hits += 1
    incoming.resume().on('end', () => response.writeHead(503).end())
  })
  const dispatcher: RetryAgent = agentOf(new RetryAgent(agentOf(new Agent()), { minTimeout: 1, maxTimeout: 1 }))
  const body = method === 'POST' ? 'text' : Readable.from([Buffer.from('text')])
  const reply = await request(url, { method, body, dispatcher }).catch(() => null)
  await reply?.body.dump()
  expect(hits).toBe(1)
})

test('undici: a body that ends with its connection is a success, cut or not', async () => {
  const url = await serve((incoming, response) => {
    response.useChunkedEncodingByDefault = false
    response.writeHead(200, { connection: 'close' })
    response.write('name,score\nAc', () => incoming.socket.destroySoon())
  })
  const { body } = await request(url, { dispatcher: agentOf(new Agent()) })
  expect(await body.text()).toBe('name,score\nAc')
})

test('undici: a body shorter than its announced length is an error', async () => {
  const url = await serve((incoming, response) => {
    response.writeHead(200, { 'content-length': '100' })
    response.write('short', () => incoming.socket.destroy())
  })
  const { body } = await request(url, { dispatcher: agentOf(new Agent()) })
  expect(await errorOf(body.text())).toMatchObject({ code: 'UND_ERR_SOCKET' })
})

test('undici: request() follows no redirect and inflates nothing', async () => {
  const zipped = gzipSync('x'.repeat(1000))
  const url = await serve(
    (_, response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/', 'content-encoding': 'gzip' }).end(zipped),
  )
  const { statusCode, body } = await request(url, { dispatcher: agentOf(new Agent()) })
  expect(statusCode).toBe(302)
  expect(Buffer.from(await body.arrayBuffer()).equals(zipped)).toBe(true)
})

test('undici: maxResponseSize holds', async () => {
  const url = await serve((_, response) => response.end('x'.repeat(10_000)))
  const { body } = await request(url, { dispatcher: agentOf(new Agent({ maxResponseSize: 1000 })) })
  expect(await errorOf(body.text())).toMatchObject({ code: 'UND_ERR_RES_EXCEEDED_MAX_SIZE' })
})

test.each([900, 1100])('undici: a body of another length than %i announced fails', async announced => {
  const url = await serve((incoming, response) => void incoming.resume().on('end', () => response.end()))
  const body = Readable.from([Buffer.alloc(1000)])
  const headers = { 'content-length': String(announced) }
  const error = await errorOf(request(url, { method: 'POST', body, headers, dispatcher: agentOf(new Agent()) }))
  expect(error).toMatchObject({ code: 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH' })
})

test('fetch inflates without a bound, which is why it is not used', async () => {
  const zipped = gzipSync(Buffer.alloc(20_000_000, 32))
  const url = await serve((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(zipped))
  expect(zipped.length).toBeLessThan(30_000)
  expect((await (await fetch(url)).arrayBuffer()).byteLength).toBe(20_000_000)
})

test('form-data: escapes quotes and line breaks, drops folders', () => {
  const form = new FormData()
  form.append('a"\r\nb', 'x', { filename: '../../etc/pa"ss\r\nwd' })
  const head = String(form.getBuffer()).split('\r\n\r\n')[0]
  expect(head).toContain('name="a%22%0D%0Ab"; filename="pa%22ss%0D%0Awd"')
})

test('form-data: wants text for booleans', () => {
  const form = new FormData()
  expect(() => {
    form.append('hasHeader', true)
    form.getBuffer()
  }).toThrow()
})

test('form-data: returns the exact length, also of a file it does not contain, and frames an empty one', () => {
  const form = new FormData()
  form.append('hasHeader', 'true')
  form.append('jobFile', Buffer.alloc(0), { filename: 'a.csv', knownLength: 1_000_000 })
  const frame = form.getBuffer()
  expect(form.getLengthSync()).toBe(frame.length + 1_000_000)
  expect(String(frame).endsWith(`\r\n\r\n\r\n--${form.getBoundary()}--\r\n`)).toBe(true)
})

test('form-data: no two boundaries are alike', () => {
  const boundaries = Array.from({ length: 100 }, () => new FormData().getBoundary())
  expect(new Set(boundaries).size).toBe(100)
  expect(boundaries[0]).toMatch(/[0-9a-f]{24}$/)
})
