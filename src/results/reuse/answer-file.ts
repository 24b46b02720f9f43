/**
 * A file of answers, as one run got them: a line of cells for each, an index of fixed records, facts about all of them, and lengths
 * and checksum at the end. It appears complete or not at all and never changes, so that any process may read it at any time.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { openSink, type Sink } from '../../files/atomic-file.ts'
import type { ListFacts } from '../../model/list-facts.ts'

/** What a service may answer about a row; the place in the list is stored. A duplicate is a match of a row with an earlier match. */
const OUTCOMES = ['matched', 'manualMatched', 'duplicate', 'review', 'unmatched'] as const
export type AnswerOutcome = (typeof OUTCOMES)[number]

/** Answers with one age in `reuse`. */
export type AnswerClass = 'matched' | 'review' | 'unmatched'

export const isAnswerOutcome = (outcome: string): outcome is AnswerOutcome => (OUTCOMES as readonly string[]).includes(outcome)

export const classOf = (outcome: AnswerOutcome): AnswerClass =>
  outcome === 'review' || outcome === 'unmatched' ? outcome : 'matched'

/** A remote job: when it answered, and the columns that the service added. */
export interface AnswerSource {
  readonly job: string
  readonly at: string
  readonly columns: readonly string[]
  /** It matched rows by hand: whether a duplicate of it would be matched by hand is unknown. */
  readonly byHand?: true
}

export interface AnswerFileFacts {
  readonly format: 'fettle/answers/v1'
  /** A digest of service, account, product and registers. */
  readonly scope: string
  readonly pipeline: string
  readonly tags: readonly string[]
  /** Milliseconds since 1970: then the file is removed. */
  readonly expires: number
  /** How much of the list is in the register, as the service estimated it; answers depend on it. Absent where a service names none. */
  readonly inRegister?: number
  /** Whether the company numbers of the list were relied on; absent in files of earlier versions, which relied on them. */
  readonly companyNumbers?: ListFacts['companyNumbers']
  readonly sources: readonly AnswerSource[]
}

/** What the service took for known of the list; null where it named nothing. */
export const listFactsOf = ({
  inRegister,
  companyNumbers = 'reliable',
}: Pick<AnswerFileFacts, 'inRegister' | 'companyNumbers'>): ListFacts | null =>
  inRegister === undefined ? null : { inRegister, companyNumbers }

/** Question 16 bytes, key 8, place of the line 6, its length 4, source 2, outcome 1, CRC-32 of the line 4. */
const RECORD = 41
const TRAILER = 32
const MAGIC = 'FETANSW1'
const BATCH = 1_048_576
const NO_KEY = Buffer.alloc(8)

interface StoredAnswer {
  readonly question: Buffer
  readonly key: Buffer | null
  /** Index in the sources. */
  readonly source: number
  readonly outcome: AnswerOutcome
  readonly cells: readonly string[]
}

/** Throws FETTLE_OUTPUT_WRITE. */
export class AnswerFileWriter {
  readonly path: string
  count = 0
  #sink: Sink | null = null
  #lines: Buffer[] = []
  #waiting = 0
  #place = 0
  #index: Buffer = Buffer.alloc(64 * RECORD)

  constructor(path: string) {
    this.path = path
  }

  async add({ question, key, source, outcome, cells }: StoredAnswer): Promise<void> {
    const line = Buffer.from(`${JSON.stringify(cells)}\n`)
    const at = this.#next()
    question.copy(this.#index, at)
    ;(key ?? NO_KEY).copy(this.#index, at + 16)
    this.#index.writeUInt32LE(line.length, at + 30)
    this.#index.writeUInt16LE(source, at + 34)
    this.#index.writeUInt8(OUTCOMES.indexOf(outcome), at + 36)
    this.#index.writeUInt32LE(crc32(line), at + 37)
    await this.#addLine(at, line)
  }

  /** Adds an answer of another file, of which this one gets the facts. */
  async copy({ index }: AnswerFile, from: number, line: Buffer): Promise<void> {
    const at = this.#next()
    index.copy(this.#index, at, from * RECORD, (from + 1) * RECORD)
    await this.#addLine(at, Buffer.from(line))
  }

  /** Where the next record begins. */
  #next(): number {
    const at = this.count++ * RECORD
    if (at === this.#index.length) this.#index = Buffer.concat([this.#index, Buffer.alloc(this.#index.length)])
    return at
  }

  async #addLine(at: number, line: Buffer): Promise<void> {
    this.#index.writeUIntLE(this.#place, at + 24, 6)
    this.#place += line.length
    this.#lines.push(line)
    this.#waiting += line.length
    if (this.#waiting >= BATCH) await this.#flush()
  }

  async publish(facts: Omit<AnswerFileFacts, 'format'>): Promise<void> {
    await this.#flush()
    const index = this.#index.subarray(0, this.count * RECORD)
    const text = Buffer.from(JSON.stringify({ format: 'fettle/answers/v1', ...facts }))
    const trailer = Buffer.alloc(TRAILER)
    trailer.writeUIntLE(this.#place, 0, 6)
    trailer.writeUInt32LE(this.count, 8)
    trailer.writeUInt32LE(text.length, 12)
    trailer.writeUInt32LE(crc32(text, crc32(index)), 16)
    trailer.write(MAGIC, 24, 'latin1')
    await this.#sink!.write(Buffer.concat([index, text, trailer]))
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

/** Bytes read at once: answers are mostly asked for in the order in which they were written. */
const WINDOW = 262_144

export class AnswerFile {
  readonly path: string
  readonly facts: AnswerFileFacts
  readonly count: number
  readonly #fd: number
  readonly #index: Buffer
  #window: Buffer = Buffer.alloc(0)
  #from = 0

  private constructor(path: string, fd: number, facts: AnswerFileFacts, index: Buffer) {
    this.path = path
    this.facts = facts
    this.#fd = fd
    this.#index = index
    this.count = index.length / RECORD
  }

  /** Null for a file that is gone, damaged or of another version. */
  static open(path: string): AnswerFile | null {
    let fd: number
    try {
      fd = openSync(path, 'r')
    } catch {
      return null
    }
    try {
      const found = readWhole(fd)
      if (found !== null) return new AnswerFile(path, fd, found.facts, found.index)
    } catch {
      // A file that cannot be read has no answers; its rows go up again.
    }
    closeSync(fd)
    return null
  }

  close(): void {
    closeSync(this.#fd)
  }

  /** The index, in which the record `at` starts at `at * recordBytes`: question, then key. */
  get index(): Buffer {
    return this.#index
  }

  static readonly recordBytes = RECORD

  outcome(at: number): AnswerOutcome | null {
    return OUTCOMES[this.#index.readUInt8(at * RECORD + 36)] ?? null
  }

  source(at: number): number {
    return this.#index.readUInt16LE(at * RECORD + 34)
  }

  /** The cells as JSON; null where they are not those that were written. */
  line(at: number): Buffer | null {
    const record = at * RECORD
    const place = this.#index.readUIntLE(record + 24, 6)
    const length = this.#index.readUInt32LE(record + 30)
    if (place < this.#from || place + length > this.#from + this.#window.length) this.#read(place, length)
    const line = this.#window.subarray(place - this.#from, place - this.#from + length)
    return line.length === length && crc32(line) === this.#index.readUInt32LE(record + 37) ? line : null
  }

  #read(place: number, length: number): void {
    const bytes = Buffer.allocUnsafe(Math.max(WINDOW, length))
    this.#window = bytes.subarray(0, readSync(this.#fd, bytes, 0, bytes.length, place))
    this.#from = place
  }
}

function readWhole(fd: number): { facts: AnswerFileFacts; index: Buffer } | null {
  const { size } = fstatSync(fd)
  if (size < TRAILER) return null
  const trailer = read(fd, size - TRAILER, TRAILER)
  if (trailer.toString('latin1', 24) !== MAGIC) return null
  const lines = trailer.readUIntLE(0, 6)
  const indexBytes = trailer.readUInt32LE(8) * RECORD
  const textBytes = trailer.readUInt32LE(12)
  if (lines + indexBytes + textBytes + TRAILER !== size) return null
  const index = read(fd, lines, indexBytes)
  const text = read(fd, lines + indexBytes, textBytes)
  if (crc32(text, crc32(index)) !== trailer.readUInt32LE(16)) return null
  return { facts: JSON.parse(text.toString()) as AnswerFileFacts, index }
}

function read(fd: number, place: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    const count = readSync(fd, bytes, filled, length - filled, place + filled)
    if (count === 0) break
    filled += count
  }
  return bytes.subarray(0, filled)
}
