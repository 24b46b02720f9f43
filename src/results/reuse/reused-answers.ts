/** Reads the earlier answers that a run uses: the file of its directory, in the order of the rows, or one of them again. */
import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { FettleError } from '../../errors.ts'
import { isOfDisk, readChunks } from '../../files/file-chunks.ts'
import { addedColumns, type EnrichedColumns } from '../enriched-columns.ts'
import { REUSED_FILE } from '../file-names.ts'
import type { AnswerOutcome, AnswerSource } from './answer-file.ts'

export interface ReusedAnswer {
  readonly row: readonly string[]
  readonly outcome: AnswerOutcome
  readonly columns: EnrichedColumns
  readonly source: AnswerSource
  /** Its place in the file. */
  readonly from: number
  readonly length: number
}

/** A small part of a long file: it is in memory twice, beside its lines. */
const CHUNK_BYTES = 262_144

interface Source {
  readonly source: AnswerSource
  readonly columns: EnrichedColumns
}

/** Its methods throw FETTLE_OUTPUT_WRITE. */
export class ReusedAnswers {
  readonly path: string
  readonly #sha256: string
  readonly #lines: AsyncGenerator<{ readonly text: string; readonly from: number; readonly length: number }>
  #sources: readonly Source[] = []
  #ahead: ReusedAnswer | null = null
  #handle: FileHandle | null = null

  constructor(workDir: string, sha256: string) {
    this.path = join(workDir, REUSED_FILE)
    this.#sha256 = sha256
    this.#lines = this.#read()
  }

  /** The next answer, which stays the next one; null after the last. */
  async peek(): Promise<ReusedAnswer | null> {
    this.#ahead ??= await this.#next()
    return this.#ahead
  }

  async next(): Promise<ReusedAnswer> {
    const answer = await this.peek()
    this.#ahead = null
    if (answer === null) throw this.#lost('it ends early')
    return answer
  }

  async again(from: number, length: number): Promise<ReusedAnswer> {
    try {
      this.#handle ??= await open(this.path)
      const bytes = Buffer.alloc(length)
      await this.#handle.read(bytes, 0, length, from)
      return this.#parsed(bytes.toString(), from, length)
    } catch (error) {
      throw FettleError.is(error) ? error : this.#lost((error as Error).message)
    }
  }

  /** The sources that the answers name by their numbers, in place of the answers. */
  async sources(): Promise<readonly AnswerSource[]> {
    await this.#lines.next()
    return this.#sources.map(({ source }) => source)
  }

  /** The number of the source of each answer, and the rest of its line, in place of the answers. */
  async *lines(): AsyncGenerator<[number, string]> {
    for await (const { text } of this.#lines) {
      const comma = text.indexOf(',')
      yield [Number(text.slice(1, comma)), text.slice(comma + 1)]
    }
  }

  /** Throws when the file is not the one that was written. Call it after the last answer. */
  async finish(): Promise<void> {
    if ((await this.peek()) !== null) throw this.#lost('it has more rows than were chosen')
  }

  async close(): Promise<void> {
    await this.#lines.return(undefined)
    await this.#handle?.close()
  }

  async #next(): Promise<ReusedAnswer | null> {
    const { value, done } = await this.#lines.next()
    return done ? null : this.#parsed(value.text, value.from, value.length)
  }

  #parsed(text: string, from: number, length: number): ReusedAnswer {
    const [number, outcome, row] = JSON.parse(text) as [number, AnswerOutcome, string[]]
    const known = this.#sources[number]
    if (known === undefined) throw this.#lost('a row names no source')
    return { row, outcome, columns: known.columns, source: known.source, from, length }
  }

  async *#read() {
    const hash = createHash('sha256')
    let rest: Buffer = Buffer.alloc(0)
    let from = 0
    let isFirst = true
    for await (const chunk of this.#chunks()) {
      hash.update(chunk)
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      let start = 0
      for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
        const text = bytes.toString('utf8', start, end)
        const length = end - start
        if (isFirst) this.#begin(text)
        else yield { text, from, length }
        isFirst = false
        from += length + 1
        start = end + 1
      }
      // A copy: the chunk is valid until the next one is read only.
      rest = Buffer.from(bytes.subarray(start))
    }
    if (hash.digest('hex') !== this.#sha256) throw this.#lost('it is not the file that was written')
  }

  async *#chunks(): AsyncGenerator<Buffer> {
    let file: FileHandle | null = null
    try {
      file = await open(this.path)
      yield* readChunks(file, 0, 2, CHUNK_BYTES)
    } catch (error) {
      throw isOfDisk(error) ? this.#lost(error.message) : error
    } finally {
      await file?.close()
    }
  }

  #begin(text: string): void {
    const { sources } = JSON.parse(text) as { sources: readonly AnswerSource[] }
    this.#sources = sources.map(source => ({ source, columns: addedColumns(source.columns) }))
  }

  #lost(why: string): FettleError {
    return new FettleError('FETTLE_OUTPUT_WRITE', `cannot read back ${this.path}: ${why}`)
  }
}
