/**
 * Stores a built index as one file: a header with its digest, the packed columns, and a checksum for each block of them. Opening it reads
 * the columns that a query reads mostly whole; blocks of the others are read, and checked, when they are needed. An incomplete or outdated
 * file is treated as missing, and a damaged one is removed.
 */

import { createHash, randomUUID } from 'node:crypto'
import { closeSync, openSync, readSync, rmSync } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import { z } from 'zod'
import { FettleError } from '../../errors.ts'
import { replaceFile } from '../../files/durable.ts'
import { turnEvery } from '../../loop-turns.ts'
import { BY_RANGE, bytesOf, type Column, type IndexImage, Layout, type Pages, sizeOf } from '../matching/index.ts'
import { engineDigest } from './engine-digest.ts'
import { INDEXES, type RegisterInfo, registerDigest } from './files.ts'

/** Sums the blocks of a stream, `size` bytes each; `sums` has a checksum for each block so far. */
function makeBlockSums(size: number) {
  const sums: number[] = []
  let filled = 0
  const add = (bytes: Uint8Array): void => {
    for (let at = 0; at < bytes.length; ) {
      const piece = bytes.subarray(at, at + size - filled)
      if (filled === 0) sums.push(0)
      sums.push(crc32(piece, sums.pop()))
      filled = (filled + piece.length) % size
      at += piece.length
    }
  }
  return { sums, add }
}

/** Bytes that are loaded at once, and slices between two turns of the event loop: a millisecond or two. */
const SLICE = 1 << 16
const SLICES = 32

/**
 * Fills the memory of an image from its file. A damaged file is removed, so that the next opening builds it again.
 * @throws FettleError FETTLE_INPUT_READ where a block is damaged or cannot be read
 */
export class IndexPages implements Pages {
  /** A block could not be read: the register has to be opened again. */
  isDamaged = false
  readonly #path: string
  readonly #start: number
  readonly #size: number
  readonly #memory: Uint8Array
  readonly #sums: Uint32Array
  readonly #isRead: Uint8Array
  #left: number
  #file: number | null

  /** `start`: where the columns start in the file; `size`: bytes of a block. */
  constructor(path: string, { start, size }: { start: number; size: number }, memory: SharedArrayBuffer, sums: Uint32Array) {
    this.#path = path
    this.#start = start
    this.#size = size
    this.#memory = new Uint8Array(memory)
    this.#sums = sums
    this.#isRead = new Uint8Array(sums.length)
    this.#left = sums.length
    this.#file = openSync(path, 'r')
  }

  get isComplete(): boolean {
    return this.#left === 0
  }

  need(from: number, to: number): void {
    if (this.isComplete) return
    const end = Math.ceil(to / this.#size)
    for (let block = Math.floor(from / this.#size); block < end; block++) if (this.#isRead[block] === 0) this.#read(block)
  }

  /** The same in slices, so that other work goes on meanwhile. */
  async load(from: number, to: number): Promise<void> {
    const turn = turnEvery(SLICES)
    for (let at = from; at < to; at += SLICE) {
      this.need(at, Math.min(to, at + SLICE))
      await turn()
    }
  }

  /** Reads what is left: other threads share the memory, but not these pages. */
  async loadAll(): Promise<void> {
    await this.load(0, this.#memory.length)
    this.close()
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file)
    this.#file = null
  }

  #read(block: number): void {
    const bytes = this.#memory.subarray(block * this.#size, (block + 1) * this.#size)
    try {
      if (this.#file === null) throw new Error('it is closed')
      if (readSync(this.#file, bytes, 0, bytes.length, this.#start + block * this.#size) !== bytes.length)
        throw new Error('it is cut off')
      if (crc32(bytes) !== this.#sums[block]) throw new Error('a checksum is wrong')
    } catch (cause) {
      this.isDamaged = true
      rmSync(this.#path, { force: true })
      const message = `cannot read the index ${this.#path} of a register: ${(cause as Error).message}. It was removed`
      throw new FettleError('FETTLE_INPUT_READ', message, { cause, hint: 'Start again: it is built from the register.' })
    }
    this.#isRead[block] = 1
    this.#left--
  }
}

const FORMAT = 'fettle-index'
const VERSION = 4
/** The header takes the first page, far more than it needs; the columns start on the second. */
const PAGE = 16_384
const CHUNK = 16 << 20
/** Bytes of a block: reading one costs a fraction of a row's work, and the checksums of a gigabyte are one block. */
const BLOCK = 1 << 16

const Header = z.object({
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  digest: z.string(),
  snapshotDate: z.string().nullable(),
  companies: z.number(),
  bytes: z.number().int().nonnegative(),
  block: z.number().int().positive(),
  /** Of the checksums. */
  crc32: z.number(),
  places: z.record(z.string(), z.object({ kind: z.enum(['u8', 'u16', 'u32', 'f32']), offset: z.number(), length: z.number() })),
})

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Path of the index over these registers, one file per combination. */
export const indexPath = (dir: string, infos: readonly RegisterInfo[]): string =>
  join(dir, INDEXES, `${digest(infos.map(({ name }) => name).join('\n')).slice(0, 16)}.index`)

export async function indexDigest(infos: readonly RegisterInfo[]): Promise<string> {
  const sources = infos.map(info => [info.name, info.file, registerDigest(info), info.companies])
  return digest(JSON.stringify([await engineDigest(), sources]))
}

/**
 * Opens an index; null when it is missing, incomplete, damaged or has another digest. What is read later may turn out to be damaged:
 * see IndexPages. The caller closes the pages.
 */
export async function loadIndex(path: string, digest: string): Promise<(IndexImage & { readonly pages: IndexPages }) | null> {
  const handle = await open(path).catch(() => null)
  if (handle === null) return null
  let pages: IndexPages | null = null
  try {
    const page = Buffer.alloc(PAGE)
    await handle.read(page, 0, PAGE, 0)
    const header = Header.parse(JSON.parse(page.toString('utf8', 0, page.indexOf('\n'))))
    const sums = new Uint32Array(Math.ceil(header.bytes / header.block))
    const { size } = await handle.stat()
    if (header.digest !== digest || size !== PAGE + header.bytes + sums.byteLength) return null
    await handle.read(bytesOf(sums), 0, sums.byteLength, PAGE + header.bytes)
    if (crc32(bytesOf(sums)) !== header.crc32) return null
    const memory = new SharedArrayBuffer(header.bytes)
    const { places } = header
    pages = new IndexPages(path, { start: PAGE, size: header.block }, memory, sums)
    for (const [name, place] of Object.entries(places))
      if (!BY_RANGE.has(name)) await pages.load(place.offset, place.offset + sizeOf(place))
    return { memory, places, pages }
  } catch {
    pages?.close()
    return null
  } finally {
    await handle.close()
  }
}

/** Stores a column, or the next piece of the column stored last. */
export type StoreColumn = (name: string, column: Column) => Promise<void>

type Facts = Pick<z.infer<typeof Header>, 'digest' | 'snapshotDate' | 'companies'>

/** Writes the columns that `fill` stores; the file appears when it is complete. */
export async function storeIndex(
  path: string,
  facts: Facts,
  fill: (store: StoreColumn) => Promise<void>,
  block = BLOCK,
): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await replaceFile(path, `${path}.${randomUUID().slice(0, 8)}.part`, async handle => {
    const layout = new Layout()
    const { sums, add } = makeBlockSums(block)
    let end = 0
    const write = async (bytes: Uint8Array): Promise<void> => {
      for (let at = 0; at < bytes.length; at += CHUNK) await handle.writeFile(bytes.subarray(at, at + CHUNK))
      end += bytes.length
    }
    await write(Buffer.alloc(PAGE))
    await fill(async (name, column) => {
      const offset = layout.add(name, column)
      for (const bytes of [Buffer.alloc(offset + PAGE - end), bytesOf(column)]) {
        add(bytes)
        await write(bytes)
      }
    })
    const table = Uint32Array.from(sums)
    await write(bytesOf(table))
    const { places, bytes } = layout
    const header = { format: FORMAT, version: VERSION, ...facts, bytes, block, crc32: crc32(bytesOf(table)), places }
    const text = Buffer.from(`${JSON.stringify(header)}\n`)
    if (text.length > PAGE) throw new Error('the header of the index is too long')
    await handle.write(text, 0, text.length, 0)
  })
}
