/**
 * A file of answers of one kind and age: a line of cells for each, an index sorted by key, facts about all of them, and lengths and
 * checksum at the end. It appears complete or not at all and never changes, so that any process may read it at any time. What is there
 * and cannot be read is an error that names the file: "no answer" would be paid again.
 */
import { closeSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { z } from 'zod'
import type { FettleError } from '../../errors.ts'
import { openSink, type Sink } from '../../files/atomic-file.ts'
import { GrowingBytes } from '../../files/growing-bytes.ts'
import { openKept, readKeptAt, unreadableKept } from '../../files/kept-files.ts'
import { KEY_BYTES, OWNER_BYTES } from './row-key.ts'

/** What an answer is: what a service may answer about a row (a duplicate is a match of a row with an earlier match), or a search. */
const OUTCOMES = ['matched', 'manualMatched', 'duplicate', 'review', 'unmatched', 'searched'] as const
export type StoredOutcome = (typeof OUTCOMES)[number]
export type AnswerOutcome = Exclude<StoredOutcome, 'searched'>

/** Answers with one age in `reuse`. */
export type AnswerClass = 'matched' | 'review' | 'unmatched'

export const isAnswerOutcome = (outcome: string): outcome is AnswerOutcome =>
  outcome !== 'searched' && (OUTCOMES as readonly string[]).includes(outcome)

export const classifyOutcome = (outcome: AnswerOutcome): AnswerClass =>
  outcome === 'review' || outcome === 'unmatched' ? outcome : 'matched'

const Source = z.object({
  /** The run that asked, and the remote job that answered. */
  run: z.string(),
  job: z.string(),
  at: z.string().refine(text => !Number.isNaN(Date.parse(text))),
  /** The columns that the service added. */
  columns: z.array(z.string()),
  /** It matched rows by hand: whether a duplicate of it would be matched by hand is unknown. */
  byHand: z.literal(true).optional(),
})
export type AnswerSource = Readonly<z.infer<typeof Source>>

const Facts = z.object({
  format: z.literal('fettle/answers/v1'),
  /** A digest of what the answers depend on besides their keys; the folder has its name. */
  scope: z.string(),
  /** Milliseconds for which an answer is used. */
  age: z.number(),
  tags: z.array(z.string()),
  sources: z.array(Source),
})
export type AnswersFacts = Readonly<z.infer<typeof Facts>>

/** Key 16 bytes, owner 8, place of the line 6, its length 4, source 2, outcome 1, CRC-32 of the line 4, row 8. */
const RECORD = 49
const AT = { owner: 16, place: 24, length: 30, source: 34, outcome: 36, crc: 37, row: 41 } as const
const TRAILER = 32
const MAGIC = 'FETANSW3'
const BATCH = 1_048_576

export interface StoredAnswer {
  readonly key: Buffer
  /** See `keyOwner`. */
  readonly owner: Buffer | null
  /** A digest of its cells as decisions know them: see `rowDigest`; null for a search. */
  readonly row: Buffer | null
  /** Index in the sources. */
  readonly source: number
  readonly outcome: StoredOutcome
  readonly cells: readonly string[]
}

/** Its methods throw FETTLE_OUTPUT_WRITE. */
export class AnswersWriter {
  readonly path: string
  count = 0
  #sink: Sink | null = null
  #lines: Buffer[] = []
  #waiting = 0
  #place = 0
  readonly #index = new GrowingBytes()

  constructor(path: string) {
    this.path = path
  }

  async add({ key, owner, row, source, outcome, cells }: StoredAnswer): Promise<void> {
    const line = Buffer.from(`${JSON.stringify(cells)}\n`)
    const record = Buffer.alloc(RECORD)
    key.copy(record)
    owner?.copy(record, AT.owner)
    record.writeUInt32LE(line.length, AT.length)
    record.writeUInt8(OUTCOMES.indexOf(outcome), AT.outcome)
    record.writeUInt32LE(crc32(line), AT.crc)
    row?.copy(record, AT.row)
    await this.#add(record, line, source)
  }

  /** Adds an answer of another file; `source` is the number of its source here. */
  copy(file: AnswersFile, from: number, source: number): Promise<void> {
    const line = Buffer.from(file.line(from))
    return this.#add(Buffer.from(file.record(from)), line, source)
  }

  async #add(record: Buffer, line: Buffer, source: number): Promise<void> {
    record.writeUInt16LE(source, AT.source)
    record.writeUIntLE(this.#place, AT.place, 6)
    this.#index.add(record)
    this.count++
    this.#place += line.length
    this.#lines.push(line)
    this.#waiting += line.length
    if (this.#waiting >= BATCH) await this.#flush()
  }

  async publish(facts: Omit<AnswersFacts, 'format'>): Promise<void> {
    await this.#flush()
    const index = sortByKey(this.#index.bytes)
    const text = Buffer.from(JSON.stringify({ format: 'fettle/answers/v1', ...facts }))
    const trailer = Buffer.alloc(TRAILER)
    trailer.writeUIntLE(this.#place, 0, 6)
    trailer.writeUInt32LE(this.count, 8)
    trailer.writeUInt32LE(text.length, 12)
    trailer.writeUInt32LE(crc32(text, crc32(index)), 16)
    trailer.write(MAGIC, 24, 'latin1')
    await this.#sink!.write(index)
    await this.#sink!.write(Buffer.concat([text, trailer]))
    await this.#sink!.finish()
    await this.#sink!.publish()
  }

  async discard(): Promise<void> {
    await this.#sink?.discard()
  }

  async #flush(): Promise<void> {
    this.#sink ??= await openSink(this.path)
    if (this.#waiting > 0) await this.#sink.write(Buffer.concat(this.#lines))
    this.#lines = []
    this.#waiting = 0
  }
}

/** By the first three bytes of the keys, which are digests: few records share them. */
function sortByKey(index: Buffer): Buffer {
  const order = new Float64Array(index.length / RECORD)
  for (let at = 0; at < order.length; at++) order[at] = index.readUIntBE(at * RECORD, 3) * 2 ** 29 + at
  const sorted = Buffer.allocUnsafe(index.length)
  order.sort().forEach((rank, at) => {
    const from = (rank % 2 ** 29) * RECORD
    index.copy(sorted, at * RECORD, from, from + RECORD)
  })
  return sorted
}

/** Where the records start whose keys have the same first bits, about sixteen each. */
class Buckets {
  readonly #bits: number
  readonly #starts: Uint32Array

  constructor(count: number) {
    this.#bits = Math.min(16, Math.max(0, Math.ceil(Math.log2(count / 16 + 1))))
    this.#starts = new Uint32Array(2 ** this.#bits + 1)
  }

  #of = (bytes: Buffer, place: number): number => bytes.readUInt16BE(place) >> (16 - this.#bits)

  count(records: Buffer): void {
    for (let place = 0; place < records.length; place += RECORD) this.#starts[this.#of(records, place) + 1]!++
  }

  sum(): void {
    for (let at = 1; at < this.#starts.length; at++) this.#starts[at]! += this.#starts[at - 1]!
  }

  /** The first record that may have the key, and the one after the last. */
  find(key: Buffer): readonly [number, number] {
    const bucket = this.#of(key, 0)
    return [this.#starts[bucket]!, this.#starts[bucket + 1]!]
  }
}

/** Answers are mostly read in the order in which they were written: then much is read at once, else little. */
const WINDOW = { ahead: 262_144, single: 4_096 }

/** The bytes around the last place that was read, in one buffer: they are valid until the next call. */
class ReadWindow {
  readonly #read: (place: number, into: Buffer) => Buffer
  #buffer: Buffer = Buffer.alloc(0)
  #bytes: Buffer = Buffer.alloc(0)
  #from = 0

  constructor(read: (place: number, into: Buffer) => Buffer) {
    this.#read = read
  }

  at(place: number, length: number): Buffer {
    const end = this.#from + this.#bytes.length
    if (place < this.#from || place + length > end) {
      const isNext = place <= end && place >= end - WINDOW.single
      const wanted = Math.max(isNext ? WINDOW.ahead : WINDOW.single, length)
      if (this.#buffer.length < wanted) this.#buffer = Buffer.allocUnsafe(wanted)
      this.#bytes = this.#read(place, this.#buffer.subarray(0, wanted))
      this.#from = place
    }
    return this.#bytes.subarray(place - this.#from, place - this.#from + length)
  }
}

/** Its methods throw FETTLE_OUTPUT_WRITE for a file that cannot be read, is damaged, or was not written by fettle. */
export class AnswersFile {
  readonly path: string
  readonly facts: AnswersFacts
  readonly count: number
  readonly bytes: number
  readonly #fd: number
  /** Where the index starts. */
  readonly #start: number
  readonly #buckets: Buckets
  readonly #records: ReadWindow
  readonly #lines: ReadWindow

  private constructor(path: string, fd: number, size: number) {
    const readInto = (place: number, into: Buffer): Buffer => readKeptAt(path, fd, place, into)
    const read = (place: number, length: number): Buffer => readInto(place, Buffer.allocUnsafe(length))
    const trailer = size < TRAILER ? null : read(size - TRAILER, TRAILER)
    if (trailer?.toString('latin1', 24) !== MAGIC) throw damaged(path)
    const start = trailer.readUIntLE(0, 6)
    const count = trailer.readUInt32LE(8)
    const textBytes = trailer.readUInt32LE(12)
    const end = start + count * RECORD
    if (end + textBytes + TRAILER !== size) throw damaged(path)
    this.#buckets = new Buckets(count)
    let sum = 0
    const buffer = Buffer.allocUnsafe(Math.min(5_000 * RECORD, end - start))
    for (let place = start; place < end; place += buffer.length) {
      const records = readInto(place, buffer.subarray(0, end - place))
      sum = crc32(records, sum)
      this.#buckets.count(records)
    }
    this.#buckets.sum()
    const text = read(end, textBytes)
    if (crc32(text, sum) !== trailer.readUInt32LE(16)) throw damaged(path)
    this.path = path
    this.facts = readFacts(path, text)
    this.count = count
    this.bytes = size
    this.#fd = fd
    this.#start = start
    this.#records = new ReadWindow(readInto)
    this.#lines = new ReadWindow(readInto)
  }

  /** Null for a file that does not exist. */
  static open(path: string): AnswersFile | null {
    const file = openKept(path)
    if (file === null) return null
    try {
      return new AnswersFile(path, file.fd, file.stats.size)
    } catch (error) {
      closeSync(file.fd)
      throw error
    }
  }

  close(): void {
    closeSync(this.#fd)
  }

  /** The place of the answer to a key, -1 without one. */
  find(key: Buffer): number {
    let [low, end] = this.#buckets.find(key)
    if (low === end) return -1
    const records = this.#records.at(this.#start + low * RECORD, (end - low) * RECORD)
    for (let place = 0; place < records.length; place += RECORD, low++)
      if (records.compare(key, 0, KEY_BYTES, place, place + KEY_BYTES) === 0) return low
    return -1
  }

  /** The bytes of the record `at`. */
  record(at: number): Buffer {
    return this.#records.at(this.#start + at * RECORD, RECORD)
  }

  key(at: number): Buffer {
    return this.record(at).subarray(0, KEY_BYTES)
  }

  owner(at: number): Buffer {
    return this.record(at).subarray(AT.owner, AT.owner + OWNER_BYTES)
  }

  row(at: number): Buffer {
    return this.record(at).subarray(AT.row, RECORD)
  }

  outcome(at: number): StoredOutcome {
    const outcome = OUTCOMES[this.record(at).readUInt8(AT.outcome)]
    if (outcome === undefined) throw notOurs(this.path)
    return outcome
  }

  source(at: number): number {
    const source = this.record(at).readUInt16LE(AT.source)
    if (source >= this.facts.sources.length) throw notOurs(this.path)
    return source
  }

  sourceOf(at: number): AnswerSource {
    return this.facts.sources[this.source(at)]!
  }

  /** When the service answered, in milliseconds. */
  time(at: number): number {
    return Date.parse(this.sourceOf(at).at)
  }

  /** The cells as a line of JSON. */
  line(at: number): Buffer {
    const record = this.record(at)
    const length = record.readUInt32LE(AT.length)
    const sum = record.readUInt32LE(AT.crc)
    const line = this.#lines.at(record.readUIntLE(AT.place, 6), length)
    if (line.length !== length || crc32(line) !== sum) throw damaged(this.path, `its answer ${at + 1} of ${this.count}`)
    return line
  }

  cells(at: number): readonly string[] {
    return readCells(this.path, this.line(at))
  }
}

/** Throws FETTLE_OUTPUT_WRITE for a line that is not a list of texts. */
export function readCells(path: string, line: Buffer): readonly string[] {
  try {
    const cells: unknown = JSON.parse(line.toString())
    if (Array.isArray(cells) && cells.every(cell => typeof cell === 'string')) return cells
  } catch {
    // Refused below.
  }
  throw notOurs(path)
}

const damaged = (path: string, what = 'it'): FettleError =>
  unreadableKept(path, new Error(`${what} is damaged`), 'Restore it, or remove it: its answers are then asked and paid again.')

const notOurs = (path: string): FettleError =>
  unreadableKept(path, new Error('its checksums are right, and its content is not one that fettle writes'))

function readFacts(path: string, text: Buffer): AnswersFacts {
  try {
    return Facts.parse(JSON.parse(text.toString()))
  } catch {
    throw notOurs(path)
  }
}
