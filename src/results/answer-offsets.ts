/** Where answers are in their files, so that one can be read again for an equal row: eighteen bytes of memory for each. */
import type { FileHandle } from 'node:fs/promises'
import { parse } from 'csv-parse/sync'
import { FettleError } from '../errors.ts'
import { openContentOf } from '../files/packed-file.ts'
import { parserOptions } from '../input/table/records.ts'
import type { EnrichedFile } from './enriched-file.ts'
import { receivedPath } from './file-names.ts'

/** The part of an earlier answer, which is in no enriched file. */
export const REUSED = 65_535

interface PlacedPart {
  readonly delimiter: string
  /** The end of the last row. */
  end: number
  handle: FileHandle | null
}

export class AnswerOffsets {
  readonly #workDir: string
  readonly #froms: Float64Array
  readonly #lengths: Uint32Array
  readonly #partOf: Uint16Array
  /** The number of the row in its job, from 1. */
  readonly #numbers: Uint32Array
  readonly #parts: PlacedPart[] = []
  #count = 0

  constructor(rows: number, workDir: string) {
    this.#froms = new Float64Array(rows)
    this.#lengths = new Uint32Array(rows)
    this.#partOf = new Uint16Array(rows)
    this.#numbers = new Uint32Array(rows)
    this.#workDir = workDir
  }

  begin(part: number, { place, delimiter }: EnrichedFile): void {
    this.#parts[part] = { end: place(), delimiter, handle: null }
  }

  /** The next row of a part. */
  add(part: number, number: number, { place }: EnrichedFile): void {
    const found = this.#parts[part]!
    const end = place()
    this.#numbers[this.#count] = number
    this.addPlace(part, found.end, end - found.end)
    found.end = end
  }

  addPlace(part: number, from: number, length: number): void {
    this.#froms[this.#count] = from
    this.#lengths[this.#count] = length
    this.#partOf[this.#count++] = part
  }

  place(at: number): { readonly part: number; readonly from: number; readonly length: number; readonly number: number } {
    return { part: this.#partOf[at]!, from: this.#froms[at]!, length: this.#lengths[at]!, number: this.#numbers[at]! }
  }

  /** Reads row `number` (from 0) of an enriched file again. Throws FETTLE_OUTPUT_WRITE when the file cannot be read back. */
  async read(number: number): Promise<readonly string[]> {
    const { part, from, length } = this.place(number)
    const found = this.#parts[part]!
    const path = receivedPath(this.#workDir, part)
    try {
      found.handle ??= await openContentOf(path)
      const bytes = Buffer.alloc(length)
      await found.handle.read(bytes, 0, length, from)
      const [row] = parse(bytes, parserOptions(found.delimiter, 'relaxed')) as string[][]
      if (row === undefined) throw new Error(`row ${number + 1} is no longer there`)
      return row
    } catch (cause) {
      throw new FettleError('FETTLE_OUTPUT_WRITE', `cannot read back ${path}: ${(cause as Error).message}`, { cause })
    }
  }

  async close(): Promise<void> {
    for (const found of this.#parts) await found?.handle?.close()
  }
}
