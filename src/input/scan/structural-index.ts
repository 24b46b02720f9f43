/**
 * Finds the structural bytes of a block: quotes, one delimiter, and control characters below 0x0e, as one bit per byte. Compares
 * sixteen bytes at a time in WebAssembly (structural-index.wat), or one at a time where the platform has none.
 */
import { endianness } from 'node:os'
import { MODULE } from './structural-index-module.ts'

/** Bytes per call: a block and its bits fit in the processor's first cache, and in one page of memory. */
export const BLOCK_BYTES = 32_768
const QUOTE = 0x22
const CONTROLS = 0x0e
const FILLER = 0x61

/**
 * Indexes a block of at most `BLOCK_BYTES`: bit `n`, counted from the lowest bit of the first word, is set when byte `n` is
 * structural. Bits beyond the last byte of the block are undefined. The words are valid until the next call.
 */
export type StructuralIndexer = (block: Uint8Array, delimiter: number) => Int32Array

/** The indexer in JavaScript: correct everywhere, at a third of the speed. */
export function plainIndexer(): StructuralIndexer {
  const words = new Int32Array(BLOCK_BYTES / 32)
  return (block, delimiter) => {
    words.fill(0)
    for (let offset = 0; offset < block.length; offset++) {
      const byte = block[offset]!
      if (byte === delimiter || byte === QUOTE || byte < CONTROLS) words[offset >> 5]! |= 1 << (offset & 31)
    }
    return words
  }
}

/** The part of WebAssembly used here; Node's types have none. */
interface Assembly {
  readonly Module: new (code: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: object }
}
interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer }
  readonly mark: (delimiter: number, end: number) => void
}

/** Null where the platform has no WebAssembly, no vector instructions, or (`ulimit -v`) no room for its memory. */
function instantiate(): Exports | null {
  const { WebAssembly: assembly } = globalThis as { readonly WebAssembly?: Assembly }
  // WebAssembly memory is little-endian, while the words are read in the byte order of the machine.
  if (assembly === undefined || endianness() !== 'LE') return null
  try {
    return new assembly.Instance(new assembly.Module(Buffer.from(MODULE, 'base64'))).exports as Exports
  } catch {
    return null
  }
}

export function vectorIndexer(): StructuralIndexer | null {
  const module = instantiate()
  if (module === null) return null
  const bytes = new Uint8Array(module.memory.buffer, 0, BLOCK_BYTES)
  const words = new Int32Array(module.memory.buffer, BLOCK_BYTES, BLOCK_BYTES / 32)
  return (block, delimiter) => {
    bytes.set(block)
    bytes.fill(FILLER, block.length, block.length + 32)
    module.mark(delimiter, (block.length + 31) & ~31)
    return words
  }
}

let indexer: StructuralIndexer | null = null

export function structuralIndexer(): StructuralIndexer {
  indexer ??= vectorIndexer() ?? plainIndexer()
  return indexer
}
