/**
 * Receives the parts of an upload: the file streamed to disk, the one field beside it read. It knows no job; whoever calls it
 * decides what a failure means (contract §5.1, faults H15 to H18).
 */
import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import type { Multipart } from '@fastify/multipart'
import type { Limits } from '../limits.ts'
import { badRequest, Refusal } from '../refusal.ts'
import { partOf, settle } from '../store/files.ts'

/** A file that has safely arrived. */
export interface Received {
  readonly id: string
  readonly filename: string
  readonly hasHeader: boolean
  readonly bytes: number
}

/** How an upload is received. */
export interface Reception {
  readonly limits: Limits
  /** Path of an upload id. */
  readonly place: (id: string) => string
  /** Told of the file as it begins; its bytes so far are `bytesRead`. */
  readonly onFile: (file: { readonly bytesRead: number }) => void
}

const MESSAGE = 'The upload is not acceptable'

/** `true`, `false`, `1`, `0` in any case (contract §14.1). */
const HAS_HEADER: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
])

/** The name as data: no folders, no control characters, a bounded length. */
const plainName = (name: string, length: number): string =>
  (name.split(/[\\/]/).at(-1) ?? '').replaceAll(/[\u0000-\u001f\u007f]/g, '').slice(0, length)

/**
 * Reads all parts. The file is written under a temporary name, synced and renamed only when the whole request was right;
 * otherwise it is removed and a 400 names the part.
 */
export async function receive(parts: AsyncIterable<Multipart>, { limits, place, onFile }: Reception): Promise<Received> {
  const id = randomUUID()
  const path = place(id)
  let filename: string | null = null
  let hasHeader: boolean | null = null
  let bytes = 0
  let fault: string | null = null
  try {
    // After a fault the rest is still read: an answer in the middle of a body would leave the connection unusable.
    for await (const part of parts) {
      const name = part.fieldname.slice(0, limits.fileNameLength)
      if (part.type === 'file') {
        if (name !== 'jobFile') fault ??= `${name}: is not a file of this call`
        else if (filename !== null) fault ??= 'jobFile: is there twice'
        if (fault === null) {
          filename = plainName(part.filename, limits.fileNameLength)
          onFile(part.file)
          await pipeline(part.file, createWriteStream(partOf(path), { flags: 'wx', mode: 0o600, flush: true }))
          bytes = part.file.bytesRead
        } else part.file.resume()
      } else if (part.valueTruncated) {
        throw new Refusal(413, 'Content Too Large', `${name}: is longer than ${limits.uploadFieldBytes} bytes`)
      } else if (name === 'jobFile') fault ??= 'jobFile: must be a file'
      else if (name !== 'hasHeader') fault ??= `${name}: is not a field of this call`
      else if (hasHeader !== null) fault ??= 'hasHeader: is there twice'
      else {
        hasHeader = HAS_HEADER.get(String(part.value).toLowerCase()) ?? null
        if (hasHeader === null) fault ??= 'hasHeader: must be true or false'
      }
    }
    if (filename === null) fault ??= 'jobFile: is missing'
    if (hasHeader === null) fault ??= 'hasHeader: is missing'
    if (fault !== null || filename === null || hasHeader === null) throw badRequest(MESSAGE, fault ?? '')
    await settle(path)
    return { id, filename, hasHeader, bytes }
  } catch (error) {
    await rm(partOf(path), { force: true })
    // The parser's complaints about the body carry no code, unlike those of disk, connection and limits.
    throw error instanceof Refusal || (error as NodeJS.ErrnoException).code !== undefined
      ? error
      : badRequest(MESSAGE, 'body: is not well-formed multipart/form-data')
  }
}
