/** An exchange of the fault server ends for any behaviour of its client. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, test } from 'vitest'
import { Exchange } from '../../../src/testing/exchange.ts'

test('a reset during a shutdown of the connection still closes it', async () => {
  let exchange: Exchange | null = null
  const server = createServer((request, response) => {
    const around = { target: new URL('http://127.0.0.1'), origin: '', without: [], keepAlive: true, note: () => {} }
    exchange = new Exchange(request, response, {} as never, around)
    // Node itself has begun to shut it down by then; resetting it would fail, and 'close' would never come.
    request.socket.once('end', () => exchange?.reset())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.end('GET / HTTP/1.1\r\nhost: localhost\r\n\r\n')
  await once(server, 'request')
  await exchange!.gone
  expect(exchange!.isOpen).toBe(false)
  server.close()
  client.destroy()
})
