/**
 * Stores a built index as one file: a header with its digest, then the packed columns. An incomplete, damaged or outdated file is
 * treated as missing.
 */
import { createHash, randomUUID } from 'node:crypto'
import { mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import { z } from 'zod'
import { replaceFile } from '../../files/durable.ts'
import type { IndexImage } from '../matching/index.ts'
import { engineDigest } from './engine-digest.ts'
import { INDEXES, type RegisterInfo, registerDigest } from './files.ts'

const FORMAT = 'fettle-index'
const VERSION = 1
/** The header takes the first page, far more than it needs; the columns start on the second. */
const PAGE = 16_384
const CHUNK = 16 << 20

const Header = z.object({
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  digest: z.string(),
  snapshotDate: z.string().nullable(),
  companies: z.number(),
  bytes: z.number().int().nonnegative(),
  crc32: z.number(),
  places: z.record(z.string(), z.object({ kind: z.enum(['u8', 'u16', 'u32', 'f32']), offset: z.number(), length: z.number() })),
})

/** Path of the index over these registers, one file per combination. */
export const indexPath = (dir: string, names: readonly string[]): string =>
  join(dir, INDEXES, `${createHash('sha256').update(names.join('\n')).digest('hex').slice(0, 16)}.index`)

export async function indexDigest(infos: readonly RegisterInfo[]): Promise<string> {
  const sources = infos.map(info => [info.name, info.file, registerDigest(info), info.companies])
  return createHash('sha256')
    .update(JSON.stringify([await engineDigest(), sources]))
    .digest('hex')
}

const chunksOf = function* (memory: SharedArrayBuffer): Generator<Uint8Array> {
  for (let at = 0; at < memory.byteLength; at += CHUNK) yield new Uint8Array(memory, at, Math.min(CHUNK, memory.byteLength - at))
}

/** Reads an index; null when it is missing, incomplete or has another digest. */
export async function loadIndex(path: string, digest: string): Promise<IndexImage | null> {
  const handle = await open(path).catch(() => null)
  if (handle === null) return null
  try {
    const page = Buffer.alloc(PAGE)
    await handle.read(page, 0, PAGE, 0)
    const header = Header.parse(JSON.parse(page.toString('utf8', 0, page.indexOf('\n'))))
    const { size } = await handle.stat()
    if (header.digest !== digest || size !== PAGE + header.bytes) return null
    const memory = new SharedArrayBuffer(header.bytes)
    let checksum = 0
    let at = PAGE
    for (const chunk of chunksOf(memory)) {
      const { bytesRead } = await handle.read(chunk, 0, chunk.length, at)
      if (bytesRead !== chunk.length) return null
      checksum = crc32(chunk, checksum)
      at += bytesRead
    }
    return checksum === header.crc32 ? { memory, places: header.places } : null
  } catch {
    return null
  } finally {
    await handle.close()
  }
}

type Facts = Pick<z.infer<typeof Header>, 'digest' | 'snapshotDate' | 'companies'>

export async function saveIndex(path: string, { memory, places }: IndexImage, facts: Facts): Promise<void> {
  let checksum = 0
  for (const chunk of chunksOf(memory)) checksum = crc32(chunk, checksum)
  const header = { format: FORMAT, version: VERSION, ...facts, bytes: memory.byteLength, crc32: checksum, places }
  const page = Buffer.alloc(PAGE)
  if (page.write(`${JSON.stringify(header)}\n`) === PAGE) throw new Error('the header of the index is too long')
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await replaceFile(path, `${path}.${randomUUID().slice(0, 8)}.part`, async handle => {
    await handle.write(page)
    for (const chunk of chunksOf(memory)) await handle.writeFile(chunk)
  })
}
