/** Reads and writes remote objects, in S3 or at https addresses; an object is written completely or not at all. */
import { type S3Place, type S3Settings, s3Store } from './s3.ts'
import { type ObjectStore, type Outgoing, openedObject, wholeObject } from './whole.ts'
import { createObjectWire, type ObjectWire, type WireOptions } from './wire.ts'

export type ObjectPlace = { readonly shown: string } & (
  | ({ readonly kind: 's3' } & S3Place)
  | { readonly kind: 'https'; readonly url: string }
)

export interface Objects {
  /** Throws FETTLE_INPUT_READ, FETTLE_INPUT_CHANGED, FETTLE_DOWNLOAD_CUT, and network errors. */
  read(place: ObjectPlace, signal?: AbortSignal): AsyncIterable<Uint8Array>
  /** Throws FETTLE_OUTPUT_WRITE and network errors; the object is unchanged then. */
  write(place: ObjectPlace, file: Outgoing, signal?: AbortSignal): Promise<void>
  /** Throws FETTLE_OUTPUT_WRITE for an object in S3 that could not be written; a plain address cannot be checked before. */
  checkWritable(place: ObjectPlace, isTable: boolean): Promise<void>
  close(): Promise<void>
}

/** Connects with the first request. `s3` returns the settings of S3 when they are needed, and may throw. */
export function createObjects(options: WireOptions & { readonly s3: () => S3Settings }): Objects {
  const wire = createObjectWire(options)
  const openStore = (place: ObjectPlace, label: string, signal?: AbortSignal): ObjectStore =>
    place.kind === 's3' ? s3Store(wire, options.s3(), place, { label, signal }) : httpsStore(wire, place.url, label, signal)
  return {
    read(place, signal) {
      const label = `read the input ${place.shown}`
      return wholeObject((from, etag) => openStore(place, label, signal).open(from, etag), label, wire, signal)
    },
    write: async (place, file, signal) => openStore(place, `write ${place.shown}`, signal).put(file),
    checkWritable: async (place, isTable) => openStore(place, `write ${place.shown}`).checkWritable(isTable),
    close: () => wire.close(),
  }
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

function httpsStore(wire: ObjectWire, address: string, label: string, signal?: AbortSignal): ObjectStore {
  const request = { label, url: new URL(address), hints: HINTS, signal }
  return {
    async open(from, etag) {
      const headers: Record<string, string> = from === 0 || etag === null ? {} : { range: `bytes=${from}-`, 'if-match': etag }
      const reply = await wire.send({ ...request, access: 'read', method: 'GET', headers, followsRedirects: true })
      return openedObject(reply, label)
    },
    async put(file) {
      // No content type: a presigned address may be signed for a different one.
      const headers = { 'content-length': String(file.bytes) }
      const reply = await wire.send({ ...request, access: 'write', method: 'PUT', headers, body: () => file.open() })
      reply.drop()
    },
    checkWritable: async () => {},
  }
}
