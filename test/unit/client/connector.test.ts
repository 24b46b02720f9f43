/** A service closes a connection that is read slowly: the body is complete or cut short, and the process survives (undici#5360). */
import { once } from 'node:events'
import { createServer as createHttpServer } from 'node:http'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { Agent, buildConnector, request } from 'undici'
import { expect, onTestFinished, test } from 'vitest'
import { findParser } from '../../../src/client/http/connector.ts'
import { createTransport, isNetworkError, LIMITS } from '../../../src/client/http/transport.ts'

const BODY = Buffer.alloc(1_000_000, 'x')

async function readLate(head: string, end: (socket: Socket) => void): Promise<number | string> {
  const server = createServer(socket => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write(`HTTP/1.1 200 OK\r\n${head}\r\n`)
      socket.write(BODY, () => end(socket))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const transport = createTransport(LIMITS)
  onTestFinished(async () => {
    await transport.close()
    server.close()
  })
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  const reply = await transport.send({ method: 'GET', url, headers: {}, headersMs: 5000, idleMs: 5000, to: 'service' })
  if (isNetworkError(reply)) return reply.kind
  let bytes = 0
  try {
    for await (const chunk of reply.body) {
      // Slower than it arrives, so that undici pauses its parser again and again.
      if (bytes === 0) await wait(100)
      await wait(1)
      bytes += chunk.length
    }
  } catch {
    return 'broken off'
  }
  return bytes
}

const close = 'Connection: close\r\n'

test.each([
  ['without a length', close, BODY.length],
  ['with its length', `${close}Content-Length: ${BODY.length}\r\n`, BODY.length],
  ['with a longer length: cut', `${close}Content-Length: ${BODY.length + 1}\r\n`, 'broken off'],
])('a body %s', async (_, head, expected) => {
  expect(await readLate(head, socket => socket.end())).toBe(expected)
})

test('a connection that is reset meanwhile', async () => {
  const read = await readLate(close, socket => socket.resetAndDestroy())
  expect(typeof read === 'number' ? read <= BODY.length : read).toBeTruthy()
})

test('undici has a parser with the parts that the connector uses, on every socket', async () => {
  const server = createHttpServer((_, response) => response.end('ok')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const sockets: object[] = []
  const connect = buildConnector({})
  const agent = new Agent({
    connect: (to, callback) =>
      connect(to, (...result) => {
        if (result[1] !== null) sockets.push(result[1])
        callback(...result)
      }),
  })
  onTestFinished(async () => {
    await agent.close()
    server.close()
  })
  const reply = await request(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { dispatcher: agent })
  await reply.body.text()
  expect(sockets).toHaveLength(1)
  const parser = findParser(sockets[0]!)
  expect(parser).toMatchObject({ paused: expect.any(Boolean), ptr: expect.any(Number), resume: expect.any(Function) })
  expect(parser?.llhttp.llhttp_resume).toBeTypeOf('function')
})
