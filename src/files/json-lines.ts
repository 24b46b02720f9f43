/**
 * Records kept beside a run: one JSON line each, the file whole or not there. It does not know what they are about.
 */
import { createReadStream } from 'node:fs'
import { unlink } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { openSink, type Sink } from './atomic-file.ts'

const BATCH = 200

/** A file of records while it is written. Its methods throw FETTLE_OUTPUT_WRITE. */
export class JsonLinesWriter<Item> {
  readonly #path: string
  #sink: Sink | null = null
  #batch: Item[] = []

  constructor(path: string) {
    this.#path = path
  }

  async add(item: Item): Promise<void> {
    this.#sink ??= await openSink(this.#path)
    this.#batch.push(item)
    if (this.#batch.length >= BATCH) await this.#flush()
  }

  /** Gives the file its name; without records there is none, not even an earlier one. */
  async publish(): Promise<void> {
    if (this.#sink === null) {
      await unlink(this.#path).catch(() => {})
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
    await this.#sink!.write(Buffer.from(this.#batch.map(item => `${JSON.stringify(item)}\n`).join('')))
    this.#batch = []
  }
}

/** The records in the order they were added; none where there is no such file. */
export async function* readJsonLines<Item>(path: string): AsyncGenerator<Item> {
  const stream = createReadStream(path, 'utf8')
  try {
    for await (const line of createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }))
      yield JSON.parse(line) as Item
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  } finally {
    stream.destroy()
  }
}
