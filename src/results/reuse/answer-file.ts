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

/** In place of an outcome: an answer to a search about a company or a question for candidates. */
export const SEARCHED = 'searched'
const SEARCHED_BYTE = 255

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
  readonly outcome: AnswerOutcome | typeof SEARCHED
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
    this.#index.writeUInt8(outcome === SEARCHED ? SEARCHED_BYTE : OUTCOMES.indexOf(outcome), at + 36)
    this.#index.writeUInt32LE(crc32(line), at + 37)
    await this.#addLine(at, line)
  }

  /** Adds an answer of another file, of which this one gets the facts. */
  async copy(file: AnswerFile, from: number, line: Buffer): Promise<void> {
    const at = this.#next()
    file.record(from).copy(this.#index, at)
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

/** Answers are mostly asked for in the order in which they were written: then much is read at once, else little. */
const WINDOW = { ahead: 262_144, single: 4_096 }

/** The bytes around the last place that was read. */
class ReadWindow {
  readonly #fd: number
  #bytes: Buffer = Buffer.alloc(0)
  #from = 0

  constructor(fd: number) {
    this.#fd = fd
  }

  at(place: number, length: number): Buffer {
    const end = this.#from + this.#bytes.length
    if (place < this.#from || place + length > end) {
      const isNext = place <= end && place >= end - WINDOW.single
      this.#bytes = read(this.#fd, place, Math.max(isNext ? WINDOW.ahead : WINDOW.single, length))
      this.#from = place
    }
    return this.#bytes.subarray(place - this.#from, place - this.#from + length)
  }
}

export class AnswerFile {
  readonly path: string
  readonly facts: AnswerFileFacts
  readonly count: number
  readonly #fd: number
  /** Where the index starts. */
  readonly #start: number
  readonly #records: ReadWindow
  readonly #lines: ReadWindow

  private constructor(path: string, fd: number, { facts, start, count }: Layout) {
    this.path = path
    this.facts = facts
    this.count = count
    this.#fd = fd
    this.#start = start
    this.#records = new ReadWindow(fd)
    this.#lines = new ReadWindow(fd)
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
      const found = layoutOf(fd)
      if (found !== null) return new AnswerFile(path, fd, found)
    } catch {
      // A file that cannot be read has no answers; its rows go up again.
    }
    closeSync(fd)
    return null
  }

  close(): void {
    closeSync(this.#fd)
  }

  /** The bytes of the record `at`. */
  record(at: number): Buffer {
    return this.#records.at(this.#start + at * RECORD, RECORD)
  }

  question(at: number): Buffer {
    return this.record(at).subarray(0, 16)
  }

  key(at: number): Buffer {
    return this.record(at).subarray(16, 24)
  }

  outcome(at: number): AnswerOutcome | null {
    return OUTCOMES[this.record(at).readUInt8(36)] ?? null
  }

  source(at: number): number {
    return this.record(at).readUInt16LE(34)
  }

  /** The cells as JSON; null where they are not those that were written. */
  line(at: number): Buffer | null {
    const record = this.record(at)
    const length = record.readUInt32LE(30)
    const line = this.#lines.at(record.readUIntLE(24, 6), length)
    return line.length === length && crc32(line) === record.readUInt32LE(37) ? line : null
  }
}

interface Layout {
  readonly facts: AnswerFileFacts
  readonly start: number
  readonly count: number
}

function layoutOf(fd: number): Layout | null {
  const { size } = fstatSync(fd)
  if (size < TRAILER) return null
  const trailer = read(fd, size - TRAILER, TRAILER)
  if (trailer.toString('latin1', 24) !== MAGIC) return null
  const start = trailer.readUIntLE(0, 6)
  const count = trailer.readUInt32LE(8)
  const textBytes = trailer.readUInt32LE(12)
  const end = start + count * RECORD
  if (end + textBytes + TRAILER !== size) return null
  let sum = 0
  for (let place = start; place < end; place += BATCH) sum = crc32(read(fd, place, Math.min(BATCH, end - place)), sum)
  const text = read(fd, end, textBytes)
  if (crc32(text, sum) !== trailer.readUInt32LE(16)) return null
  return { facts: JSON.parse(text.toString()) as AnswerFileFacts, start, count }
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
