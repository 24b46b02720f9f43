/** Objects at plain https addresses, such as presigned ones: read with GET, written with a single PUT. Queries are never shown. */
import { type Opened, openedObject } from './whole.ts'
import type { ObjectWire } from './wire.ts'

export interface Outgoing {
  readonly bytes: number
  readonly sha256: string
  readonly type: string
  open(): AsyncIterable<Uint8Array>
}

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

export async function openHttps(
  wire: ObjectWire,
  url: string,
  label: string,
  from: number,
  etag: string | null,
  signal?: AbortSignal,
): Promise<Opened> {
  const headers: Record<string, string> = from === 0 || etag === null ? {} : { range: `bytes=${from}-`, 'if-match': etag }
  const reply = await wire.send({
    access: 'read',
    label,
    method: 'GET',
    url: new URL(url),
    headers,
    followsRedirects: true,
    hints: HINTS,
    signal,
  })
  return openedObject(reply, label)
}

export async function putHttps(
  wire: ObjectWire,
  url: string,
  label: string,
  file: Outgoing,
  signal?: AbortSignal,
): Promise<void> {
  const reply = await wire.send({
    access: 'write',
    label,
    method: 'PUT',
    url: new URL(url),
    // No content type: a presigned address may be signed for another one.
    headers: { 'content-length': String(file.bytes) },
    body: () => file.open(),
    hints: HINTS,
    signal,
  })
  reply.drop()
}
