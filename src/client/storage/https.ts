/** Objects at plain https addresses, such as presigned ones: read with GET, written with a single PUT. Queries are never shown. */
import { type ObjectStore, openedObject } from './whole.ts'
import type { ObjectWire } from './wire.ts'

const EXPIRED = 'Presigned addresses expire, and allow one method each: create a new one, and run the same command again.'
const HINTS = {
  401: 'The server requires a login. Use a presigned address: its query is not shown and not stored.',
  403: EXPIRED,
  400: EXPIRED,
  404: 'The object does not exist. Check the address.',
  410: EXPIRED,
  411: 'Use an address that accepts a plain PUT.',
  405: 'Use an address that can be read with GET, or written with PUT.',
}

export function httpsStore(wire: ObjectWire, address: string, label: string, signal?: AbortSignal): ObjectStore {
  const request = { label, url: new URL(address), hints: HINTS, signal }
  return {
    async open(from, etag) {
      const headers: Record<string, string> = from === 0 || etag === null ? {} : { range: `bytes=${from}-`, 'if-match': etag }
      const reply = await wire.send({ ...request, access: 'read', method: 'GET', headers, followsRedirects: true })
      return openedObject(reply, label)
    },
    async put(file) {
      // No content type: a presigned address may be signed for another one.
      const headers = { 'content-length': String(file.bytes) }
      const reply = await wire.send({ ...request, access: 'write', method: 'PUT', headers, body: () => file.open() })
      reply.drop()
    },
    checkWritable: async () => {},
  }
}
