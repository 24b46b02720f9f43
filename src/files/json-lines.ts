/** Writes and reads files of one JSON record per line; the file appears complete or not at all. */
import { createReadStream } from 'node:fs'
import { unlink } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { openSink, type Sink } from './atomic-file.ts'

const BATCH = 200

/** Its methods throw FETTLE_OUTPUT_WRITE. */
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

  /** Gives the file its name; without records an earlier file is removed. */
  async publish(): Promise<void> {
    if (this.#sink === null) {
      await unlink(this.#path).catch(() => {})
      return
    }
    await this.#flush()
    await this.#sink.finish()
    await this.#sink.publish()
  }

  async discard(): Promise<void> {
    await this.#sink?.discard()
  }

  async #flush(): Promise<void> {
    await this.#sink!.write(Buffer.from(this.#batch.map(item => `${JSON.stringify(item)}\n`).join('')))
    this.#batch = []
  }
}

/** The records in the order they were added; empty when the file does not exist. */
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
