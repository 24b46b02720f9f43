/** A port of the loopback address that nobody listens on. */
import { type AddressInfo, createServer } from 'node:net'

export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  await new Promise<void>(closed => server.close(() => closed()))
  return port
}
