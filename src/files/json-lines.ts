/** Writes and reads files of one JSON record per line, which may be packed; the file appears complete or not at all. */
import { createReadStream } from 'node:fs'
import { unlink } from 'node:fs/promises'
import { StringDecoder } from 'node:string_decoder'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { openSink, type Sink } from './atomic-file.ts'
import { contentChunks, isPacked, PACK_LEVEL } from './file-chunks.ts'

const pack = promisify(gzip)

/** Bytes of a batch; larger ones pack better. */
const BATCH = 65_536
const PACKED_BATCH = 262_144

/** Its methods throw FETTLE_OUTPUT_WRITE. */
export class JsonLinesWriter<Item> {
  readonly #path: string
  readonly #isPacked: boolean
  #sink: Sink | null = null
  /** Lines as bytes, outside of the heap: as records or text they would fill it. */
  #batch: Buffer = Buffer.alloc(0)
  #size = 0
  /** A packed batch, while the next one is collected. */
  #writing: Promise<void> = Promise.resolve()

  constructor(path: string) {
    this.#path = path
    this.#isPacked = isPacked(path)
  }

  async add(item: Item): Promise<void> {
    this.#sink ??= await openSink(this.#path)
    const line = `${JSON.stringify(item)}\n`
    const most = this.#size + line.length * 3
    if (most > this.#batch.length) this.#batch = Buffer.concat([this.#batch], Math.max(most, this.#limit + 4096))
    this.#size += this.#batch.write(line, this.#size)
    if (this.#size >= this.#limit) await this.#flush()
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

  get #limit(): number {
    return this.#isPacked ? PACKED_BATCH : BATCH
  }

  async #flush(): Promise<void> {
    if (this.#size === 0) return
    const lines = Buffer.from(this.#batch.subarray(0, this.#size))
    this.#size = 0
    if (!this.#isPacked) return this.#sink!.write(lines)
    await this.#writing
    // Members of gzip may follow each other in one file.
    this.#writing = pack(lines, { level: PACK_LEVEL }).then(packed => this.#sink!.write(packed))
    // Awaited with the next batch: until then a failure must not count as unhandled.
    this.#writing.catch(() => {})
  }
}

/** Writes a file of these records; without any, an earlier file is removed. Throws FETTLE_OUTPUT_WRITE. */
export async function writeJsonLines<Item>(path: string, items: Iterable<Item> | AsyncIterable<Item>): Promise<void> {
  const writer = new JsonLinesWriter<Item>(path)
  try {
    for await (const item of items) await writer.add(item)
    await writer.publish()
  } finally {
    await writer.discard()
  }
}

/** The records from number `from` (from 0) on; returns how many the file has. */
export async function* readJsonLinesFrom<Item>(path: string, from: number): AsyncGenerator<Item, number> {
  let at = 0
  for await (const item of readJsonLines<Item>(path)) if (at++ >= from) yield item
  return at
}

/** The records in the order they were added; empty when the file does not exist. Throws errors of the disk, of zlib and of JSON. */
export async function* readJsonLines<Item>(path: string): AsyncGenerator<Item> {
  try {
    for await (const line of linesOf(path)) yield JSON.parse(line) as Item
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** The lines of a file, which may be packed. */
export async function* linesOf(path: string): AsyncGenerator<string> {
  for await (const lines of lineBatches(path)) yield* lines
}

/** Few bytes at a time: lines that wait for their turn would become old garbage. */
const SPLIT_BYTES = 32_768

/** Fresh buffers wait for the garbage collector: small ones take less room. */
const SMALL_BYTES = 131_072

/** The same, several at a time, which takes less than waiting for each. */
export async function* lineBatches(path: string): AsyncGenerator<string[]> {
  const decoder = new StringDecoder('utf8')
  let rest = ''
  const pieces = isPacked(path) ? contentChunks(path, cause => cause) : createReadStream(path, { highWaterMark: SMALL_BYTES })
  for await (const piece of pieces as AsyncIterable<Buffer>) {
    for (let from = 0; from < piece.length; from += SPLIT_BYTES) {
      const lines = `${rest}${decoder.write(piece.subarray(from, from + SPLIT_BYTES))}`.split('\n')
      rest = lines.pop() ?? ''
      yield lines
    }
  }
  if (rest !== '') yield [rest]
}
