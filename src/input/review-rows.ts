/**
 * The rows that a person is to look at or has decided about, kept beside the run while its review lasts: one JSON line a row, the
 * file whole or not there. What may stand in it is settled by the pipeline's report settings before.
 */
import { createReadStream } from 'node:fs'
import { unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { openSink, type Sink } from './sink.ts'
import type { SampleRow } from './tally.ts'

const BATCH = 200

const pathIn = (workDir: string): string => join(workDir, 'review.jsonl')

/** The file while it is written. */
export class ReviewWriter {
  readonly #workDir: string
  #sink: Sink | null = null
  #batch: SampleRow[] = []

  constructor(workDir: string) {
    this.#workDir = workDir
  }

  /** Throws FETTLE_OUTPUT_WRITE. */
  async add(row: SampleRow): Promise<void> {
    this.#sink ??= await openSink(pathIn(this.#workDir))
    this.#batch.push(row)
    if (this.#batch.length >= BATCH) await this.#flush()
  }

  /** Gives the file its name; without rows there is none, not even an earlier one. Throws FETTLE_OUTPUT_WRITE. */
  async publish(): Promise<void> {
    if (this.#sink === null) {
      await unlink(pathIn(this.#workDir)).catch(() => {})
      return
    }
    await this.#flush()
    await this.#sink.finish()
    await this.#sink.publish()
  }

  /** Leaves nothing behind; after `publish` it does nothing. */
  async discard(): Promise<void> {
    await this.#sink?.discard()
  }

  async #flush(): Promise<void> {
    await this.#sink!.write(Buffer.from(this.#batch.map(row => `${JSON.stringify(row)}\n`).join('')))
    this.#batch = []
  }
}

/** The rows kept in a run directory, in the order of the input; none where there is no such file. */
export async function* readReview(workDir: string): AsyncGenerator<SampleRow> {
  const stream = createReadStream(pathIn(workDir), 'utf8')
  try {
    for await (const line of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }))
      yield JSON.parse(line) as SampleRow
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  } finally {
    stream.destroy()
  }
}
