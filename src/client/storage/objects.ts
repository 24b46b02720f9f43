/** Objects that lie elsewhere, whatever store holds them: read whole, written whole or not at all, and asked whether they could be. */
import { type Outgoing, openHttps, putHttps } from './https.ts'
import { checkS3, openS3, putS3 } from './s3.ts'
import type { S3Place, S3Settings } from './s3-settings.ts'
import { wholeObject } from './whole.ts'
import { createObjectWire, type WireOptions } from './wire.ts'

/** Where an object lies, and what it is called where people read. */
export type ObjectPlace = { readonly shown: string } & (
  | ({ readonly kind: 's3' } & S3Place)
  | { readonly kind: 'https'; readonly url: string }
)

/** Stores of objects. */
export interface Objects {
  /** Throws FETTLE_INPUT_READ, FETTLE_INPUT_CHANGED, FETTLE_DOWNLOAD_CUT, and what ends any request. */
  read(place: ObjectPlace, signal?: AbortSignal): AsyncIterable<Uint8Array>
  /** Throws FETTLE_OUTPUT_WRITE, and what ends any request; the object is what it was then. */
  write(place: ObjectPlace, file: Outgoing, signal?: AbortSignal): Promise<void>
  /** Throws FETTLE_OUTPUT_WRITE for an object that could not be written; of a plain address nobody can tell before. */
  prove(place: ObjectPlace, isTable: boolean): Promise<void>
  close(): Promise<void>
}

/** Stores, reached when they are first asked. `s3` gives the settings of S3 when they are needed, and may throw. */
export function createObjects(options: WireOptions & { readonly s3: () => S3Settings }): Objects {
  const wire = createObjectWire(options)
  return {
    read(place, signal) {
      const label = `read the input ${place.shown}`
      const open = (from: number, etag: string | null) =>
        place.kind === 's3'
          ? openS3(wire, options.s3(), place, label, from, etag, signal)
          : openHttps(wire, place.url, label, from, etag, signal)
      return wholeObject(open, label, wire, signal)
    },
    async write(place, file, signal) {
      const label = `write ${place.shown}`
      if (place.kind === 's3') await putS3(wire, options.s3(), place, label, file, signal)
      else await putHttps(wire, place.url, label, file, signal)
    },
    async prove(place, isTable) {
      if (place.kind === 's3') await checkS3(wire, options.s3(), place, `write ${place.shown}`, isTable)
    },
    close: () => wire.close(),
  }
}
