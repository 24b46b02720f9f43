/** Where each row of the enriched files lies, to read it again: eight bytes a row. It knows nothing of what rows mean. */
import { type FileHandle, open } from 'node:fs/promises'
import { parse } from 'csv-parse/sync'
import { FettleError } from '../errors.ts'
import { parserOptions } from '../input/table/records.ts'
import type { EnrichedFile } from './enriched-file.ts'
import { enrichedPath } from './file-names.ts'

interface PlacedPart {
  /** Its first row among all. */
  readonly first: number
  /** Where the header ends, in bytes. */
  readonly header: number
  readonly delimiter: string
  handle: FileHandle | null
}

/** The places of the rows of a run. */
export class AnswerOffsets {
  readonly #workDir: string
  readonly #ends: Float64Array
  readonly #parts: PlacedPart[] = []
  #count = 0

  /** For so many rows, in the enriched files of `workDir`. */
  constructor(rows: number, workDir: string) {
    this.#ends = new Float64Array(rows)
    this.#workDir = workDir
  }

  /** A part begins: its header was read. */
  begin(part: number, { place, delimiter }: EnrichedFile): void {
    this.#parts[part] = { first: this.#count, header: place(), delimiter, handle: null }
  }

  /** Notes the row that was just read. */
  add({ place }: EnrichedFile): void {
    this.#ends[this.#count++] = place()
  }

  /** The part of row `number` (from 0). */
  partOf(number: number): number {
    return this.#parts.findLastIndex(({ first }) => first <= number)
  }

  /** Row `number` (from 0) once more. Throws FETTLE_OUTPUT_WRITE when our own disk does not give it back. */
  async read(number: number): Promise<readonly string[]> {
    const part = this.partOf(number)
    const found = this.#parts[part]!
    const path = enrichedPath(this.#workDir, part)
    try {
      found.handle ??= await open(path)
      const from = number === found.first ? found.header : this.#ends[number - 1]!
      const bytes = Buffer.alloc(this.#ends[number]! - from)
      await found.handle.read(bytes, 0, bytes.length, from)
      const [row] = parse(bytes, parserOptions(found.delimiter, 'relaxed')) as string[][]
      if (row === undefined) throw new Error(`row ${number + 1} is no longer there`)
      return row
    } catch (cause) {
      throw new FettleError('FETTLE_OUTPUT_WRITE', `cannot read back ${path}: ${(cause as Error).message}`, { cause })
    }
  }

  /** Lets go of all files. */
  async close(): Promise<void> {
    for (const { handle } of this.#parts) await handle?.close()
  }
}
