/** Reads and writes remote objects, in S3 or at https addresses; an object is written completely or not at all. */
import { type Outgoing, openHttps, putHttps } from './https.ts'
import { checkS3, openS3, putS3 } from './s3.ts'
import type { S3Place, S3Settings } from './s3-settings.ts'
import { wholeObject } from './whole.ts'
import { createObjectWire, type WireOptions } from './wire.ts'

/** The address of an object; `shown` is its name in messages. */
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
    async checkWritable(place, isTable) {
      if (place.kind === 's3') await checkS3(wire, options.s3(), place, `write ${place.shown}`, isTable)
    },
    close: () => wire.close(),
  }
}
