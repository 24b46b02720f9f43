/**
 * A file of answers of one kind and age: a line of cells for each, an index sorted by key, and facts about all of them. Any process may
 * read it at any time. What is there and cannot be read is an error that names the file: "no answer" would be paid again.
 */
import { crc32 } from 'node:zlib'
import { z } from 'zod'
import type { FettleError } from '../../errors.ts'
import { GrowingBytes } from '../../files/growing-bytes.ts'
import { unreadableKept } from '../../files/kept-files.ts'
import { ReadWindow } from '../../files/read-window.ts'
import { SealedFile, SealedWriter } from '../../files/sealed-file.ts'
import { RecordBuckets, sortRecords } from '../../files/sorted-records.ts'
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
  /** A digest of what the answers depend on besides their keys; the folder has its name. */
  scope: z.string(),
  /** Milliseconds for which an answer is used. */
  age: z.number(),
  tags: z.array(z.string()),
  sources: z.array(Source),
})
export type AnswersFacts = Readonly<z.infer<typeof Facts>>

const Head = Facts.extend({ index: z.object({ bytes: z.number(), sha256: z.string() }) })

/** Key 16 bytes, owner 8, place of the line 6, its length 4, source 2, outcome 1, CRC-32 of the line 4, row 8. */
const RECORD = 49
const AT = { owner: 16, place: 24, length: 30, source: 34, outcome: 36, crc: 37, row: 41 } as const
const KIND = 'FETANSW4'
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
  #file: SealedWriter | null = null
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

  async publish(facts: AnswersFacts): Promise<void> {
    const file = await this.#flush()
    file.endSection()
    await file.write(sortRecords(this.#index.bytes, RECORD))
    await file.publish(KIND, { ...facts, index: file.endSection() })
  }

  async discard(): Promise<void> {
    await this.#file?.discard()
  }

  async #flush(): Promise<SealedWriter> {
    this.#file ??= await SealedWriter.open(this.path)
    if (this.#waiting > 0) await this.#file.write(Buffer.concat(this.#lines))
    this.#lines = []
    this.#waiting = 0
    return this.#file
  }
}

/** Its methods throw FETTLE_OUTPUT_WRITE for a file that cannot be read, is damaged, or was not written by fettle. */
export class AnswersFile {
  readonly path: string
  readonly facts: AnswersFacts
  readonly count: number
  readonly bytes: number
  readonly #file: SealedFile
  /** Where the index starts. */
  readonly #start: number
  readonly #buckets: RecordBuckets
  readonly #records: ReadWindow
  readonly #lines: ReadWindow

  private constructor(file: SealedFile) {
    this.path = file.path
    this.bytes = file.bytes
    this.#file = file
    const { index, ...facts } = readHead(file)
    this.facts = facts
    this.count = index.bytes / RECORD
    this.#start = file.end - index.bytes
    this.#buckets = new RecordBuckets(file.chunks(this.#start, index, 5_000 * RECORD), this.count, RECORD)
    this.#records = new ReadWindow((place, into) => file.readInto(place, into))
    this.#lines = new ReadWindow((place, into) => file.readInto(place, into))
  }

  /** Null for a file that does not exist. */
  static open(path: string): AnswersFile | null {
    const file = SealedFile.open(path, KIND, 'Restore it, or remove it: its answers are then asked and paid again.')
    try {
      return file && new AnswersFile(file)
    } catch (error) {
      file?.close()
      throw error
    }
  }

  close(): void {
    this.#file.close()
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
    if (line.length !== length || crc32(line) !== sum)
      throw this.#file.damaged(`its answer ${at + 1} of ${this.count} is damaged`)
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

const notOurs = (path: string): FettleError =>
  unreadableKept(path, new Error('its checksums are right, and its content is not one that fettle writes'))

function readHead({ path, head, end }: SealedFile): z.infer<typeof Head> {
  try {
    const facts = Head.parse(JSON.parse(head.toString()))
    if (facts.index.bytes % RECORD === 0 && facts.index.bytes <= end) return facts
  } catch {
    // Refused below.
  }
  throw notOurs(path)
}
