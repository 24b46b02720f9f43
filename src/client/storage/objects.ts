/** Reads and writes remote objects, in S3 or at https addresses; an object is written completely or not at all. */
import { httpsStore } from './https.ts'
import { s3Store } from './s3.ts'
import type { S3Place, S3Settings } from './s3-client.ts'
import { type ObjectStore, type Outgoing, wholeObject } from './whole.ts'
import { createObjectWire, type WireOptions } from './wire.ts'

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
  const storeOf = (place: ObjectPlace, label: string, signal?: AbortSignal): ObjectStore =>
    place.kind === 's3' ? s3Store(wire, options.s3(), place, label, signal) : httpsStore(wire, place.url, label, signal)
  return {
    read(place, signal) {
      const label = `read the input ${place.shown}`
      return wholeObject((from, etag) => storeOf(place, label, signal).open(from, etag), label, wire, signal)
    },
    write: async (place, file, signal) => storeOf(place, `write ${place.shown}`, signal).put(file),
    checkWritable: async (place, isTable) => storeOf(place, `write ${place.shown}`).checkWritable(isTable),
    close: () => wire.close(),
  }
}
