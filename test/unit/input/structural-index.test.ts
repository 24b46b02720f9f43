import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BLOCK_BYTES, plainIndexer, type StructuralIndexer, vectorIndexer } from '../../../src/input/scan/structural-index.ts'
import { runs } from '../../support/runs.ts'

/** The positions that an indexer finds in a block. */
function positions(mark: StructuralIndexer, block: Uint8Array, delimiter: string): number[] {
  const words = mark(block, delimiter.charCodeAt(0))
  return Array.from(block.keys()).filter(at => (words[at >> 5]! >>> (at & 31)) & 1)
}

const delimiters = fc.constantFrom(',', ';', '\t', '|', '\x01', '\x7f', 'a')

describe('the structural index of a block', () => {
  it('runs in WebAssembly here: an invalid module would only be slow', () => {
    expect(vectorIndexer()).not.toBeNull()
  })

  it('has quotes, the delimiter and low control characters, and no other byte', () => {
    const every = Uint8Array.from({ length: 256 }, (_, byte) => byte)
    for (const mark of [plainIndexer(), vectorIndexer()!]) {
      expect(positions(mark, every, ';')).toEqual([...Array(14).keys(), 0x22, 0x3b])
    }
  })

  it('is the same from both indexers, for any block before', () => {
    const [plain, vector] = [plainIndexer(), vectorIndexer()!]
    const blocks = fc.array(fc.uint8Array({ maxLength: 100 }), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(blocks, delimiters, (each, delimiter) => {
        for (const block of each) expect(positions(vector, block, delimiter)).toEqual(positions(plain, block, delimiter))
      }),
      { numRuns: runs(100, 500) },
    )
  })

  it('covers a full block', () => {
    const block = new Uint8Array(BLOCK_BYTES).fill(0x2c)
    expect(positions(vectorIndexer()!, block, ',')).toHaveLength(BLOCK_BYTES)
    expect(positions(plainIndexer(), block, ',')).toHaveLength(BLOCK_BYTES)
  })
})
