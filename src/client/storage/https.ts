/**
 * Objects at plain https addresses: read with GET, written with one PUT, as presigned addresses want it. What an address lets
 * one do stands in its query, which is never shown.
 */
import { type Opened, openedBy } from './whole.ts'
import type { ObjectWire } from './wire.ts'

/** A file on its way to a store. */
export interface Outgoing {
  readonly bytes: number
  readonly sha256: string
  /** What it is, as MIME has it. */
  readonly type: string
  /** From the first byte on, anew for every attempt. */
  open(): AsyncIterable<Uint8Array>
}

const EXPIRED = 'Presigned addresses end after a while and allow one method each: make a new one, and run the same command again.'
const HINTS = {
  401: 'The server wants a login. Use a presigned address: its query is shown and recorded nowhere.',
  403: EXPIRED,
  400: EXPIRED,
  404: 'There is no such object. Look at the address.',
  410: EXPIRED,
  411: 'The server wants another way of sending. Give an address that takes a plain PUT.',
  405: 'Give an address that can be read with GET, or written with PUT.',
}

/** Opens an object at one of its bytes. */
export async function openHttps(
  wire: ObjectWire,
  url: string,
  label: string,
  from: number,
  etag: string | null,
  signal?: AbortSignal,
): Promise<Opened> {
  const headers: Record<string, string> = from === 0 || etag === null ? {} : { range: `bytes=${from}-`, 'if-match': etag }
  const reply = await wire.ask({
    doing: 'read',
    label,
    method: 'GET',
    url: new URL(url),
    headers,
    follows: true,
    hints: HINTS,
    signal,
  })
  return openedBy(reply, label)
}

/** Writes an object. */
export async function putHttps(
  wire: ObjectWire,
  url: string,
  label: string,
  file: Outgoing,
  signal?: AbortSignal,
): Promise<void> {
  const reply = await wire.ask({
    doing: 'write',
    label,
    method: 'PUT',
    url: new URL(url),
    // No type: a presigned address may have signed another.
    headers: { 'content-length': String(file.bytes) },
    body: () => file.open(),
    hints: HINTS,
    signal,
  })
  reply.drop()
}
