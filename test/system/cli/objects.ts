/** A server of files on loopback, as a store of objects behind presigned addresses is one. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { atEnd } from './fettle.ts'

/** Serves the files to whoever asks with this query, takes what is put, unless its path is `held`, and remembers who asked. */
export async function serveFiles(objects: Map<string, Buffer>, query = '') {
  const asked: string[] = []
  const held = new Set<string>()
  const server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://local')
    asked.push(`${request.method} ${pathname}`)
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk))
    request.on('end', () => {
      if (search !== query) return response.writeHead(403).end()
      if (request.method === 'PUT' && held.has(pathname)) return
      if (request.method === 'PUT') {
        objects.set(pathname, Buffer.concat(chunks))
        return response.writeHead(200).end()
      }
      const found = objects.get(pathname)
      if (found === undefined) return response.writeHead(404).end()
      return response.writeHead(200, { 'content-length': found.length, etag: `"${found.length}"` }).end(found)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  atEnd(() => {
    server.closeAllConnections()
    server.close()
  })
  return { objects, asked, held, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}
