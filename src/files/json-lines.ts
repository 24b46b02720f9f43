/** Writes and reads files of one JSON record per line, also packed by gzip; the file appears complete or not at all. */
import { createReadStream } from 'node:fs'
import { unlink } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { openSink, type Sink } from './atomic-file.ts'

const pack = promisify(gzip)

const BATCH = 200
/** Larger pieces pack better. */
const PACKED_BATCH = 2000

/** Its methods throw FETTLE_OUTPUT_WRITE. */
export class JsonLinesWriter<Item> {
  readonly #path: string
  readonly #isPacked: boolean
  #sink: Sink | null = null
  #batch: Item[] = []
  /** A packed batch, while the next one is collected. */
  #writing: Promise<void> = Promise.resolve()

  constructor(path: string, { gzip = false }: { readonly gzip?: boolean } = {}) {
    this.#path = path
    this.#isPacked = gzip
  }

  async add(item: Item): Promise<void> {
    this.#sink ??= await openSink(this.#path)
    this.#batch.push(item)
    if (this.#batch.length >= (this.#isPacked ? PACKED_BATCH : BATCH)) await this.#flush()
  }

  /** Gives the file its name; without records an earlier file is removed. */
  async publish(): Promise<void> {
    if (this.#sink === null) {
      await unlink(this.#path).catch(() => {})
      return
    }
    await this.#flush()
    await this.#writing
    await this.#sink.finish()
    await this.#sink.publish()
  }

  async discard(): Promise<void> {
    await this.#writing.catch(() => {})
    await this.#sink?.discard()
  }

  async #flush(): Promise<void> {
    const lines = this.#batch.map(item => `${JSON.stringify(item)}\n`).join('')
    this.#batch = []
    if (!this.#isPacked) return this.#sink!.write(Buffer.from(lines))
    await this.#writing
    // Members of gzip may follow each other in one file.
    this.#writing = pack(lines, { level: 1 }).then(packed => this.#sink!.write(packed))
    // Awaited with the next batch: until then a failure must not count as unhandled.
    this.#writing.catch(() => {})
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
