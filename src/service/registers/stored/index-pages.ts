/** Blocks of a stored index: each has a checksum, and is read from the file when it is first needed. */
import { closeSync, openSync, readSync, rmSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { FettleError } from '../../../errors.ts'
import { turnEvery } from '../../../loop-turns.ts'
import type { Pages } from '../../matching/index.ts'

/** The checksums of the blocks of a stream. */
export class BlockSums {
  readonly #size: number
  readonly #sums: number[] = []
  #sum = 0
  #filled = 0

  /** `size`: bytes of a block. */
  constructor(size: number) {
    this.#size = size
  }

  add(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const piece = bytes.subarray(at, at + this.#size - this.#filled)
      this.#sum = crc32(piece, this.#sum)
      this.#filled += piece.length
      at += piece.length
      if (this.#filled === this.#size) this.#close()
    }
  }

  end(): Uint32Array {
    if (this.#filled > 0) this.#close()
    return Uint32Array.from(this.#sums)
  }

  #close(): void {
    this.#sums.push(this.#sum)
    this.#sum = 0
    this.#filled = 0
  }
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
