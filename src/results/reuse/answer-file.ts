/**
 * A file of answers, as one run got them: a line of cells for each, an index of fixed records, facts about all of them, and lengths
 * and checksum at the end. It appears complete or not at all and never changes, so that any process may read it at any time.
 */
import { closeSync, readSync, type Stats } from 'node:fs'
import { crc32 } from 'node:zlib'
import { FettleError } from '../../errors.ts'
import { openSink, type Sink } from '../../files/atomic-file.ts'
import { type OpenKept, openKept, unreadableKept } from '../../files/kept-files.ts'
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

const areTexts = (value: unknown): boolean => Array.isArray(value) && value.every(text => typeof text === 'string')

const isSource = ({ job, at, columns, byHand = true }: Partial<AnswerSource>): boolean =>
  typeof job === 'string' && !Number.isNaN(Date.parse(at ?? '')) && areTexts(columns) && byHand === true

/** Whether a writer of this file wrote the facts: their checksum proves no more than that nothing changed them by accident. */
function isFacts(value: unknown): value is AnswerFileFacts {
  if (typeof value !== 'object' || value === null) return false
  const {
    format,
    scope,
    pipeline,
    tags,
    expires,
    inRegister = 0,
    companyNumbers = 'reliable',
    sources,
  } = value as Partial<AnswerFileFacts>
  return (
    format === 'fettle/answers/v1' &&
    [scope, pipeline].every(text => typeof text === 'string') &&
    [expires, inRegister].every(Number.isFinite) &&
    ['reliable', 'unreliable'].includes(companyNumbers) &&
    areTexts(tags) &&
    Array.isArray(sources) &&
    sources.every(source => typeof source === 'object' && source !== null && isSource(source))
  )
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

/** Question 16 bytes, key 8, place of the line 6, its length 4, source 2, outcome 1, CRC-32 of the line 4, row 8. */
const RECORD = 49
const TRAILER = 32
const MAGIC = 'FETANSW2'
const BATCH = 1_048_576
const NO_KEY = Buffer.alloc(8)

interface StoredAnswer {
  readonly question: Buffer
  readonly key: Buffer | null
  /** A digest of its cells as decisions know them: see `rowDigest`; null for a search. */
  readonly row: Buffer | null
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

  async add({ question, key, row, source, outcome, cells }: StoredAnswer): Promise<void> {
    const line = Buffer.from(`${JSON.stringify(cells)}\n`)
    const at = this.#next()
    question.copy(this.#index, at)
    ;(key ?? NO_KEY).copy(this.#index, at + 16)
    this.#index.writeUInt32LE(line.length, at + 30)
    this.#index.writeUInt16LE(source, at + 34)
    this.#index.writeUInt8(outcome === SEARCHED ? SEARCHED_BYTE : OUTCOMES.indexOf(outcome), at + 36)
    this.#index.writeUInt32LE(crc32(line), at + 37)
    ;(row ?? NO_KEY).copy(this.#index, at + 41)
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

type ReadBytes = (place: number, length: number) => Buffer

/** The bytes around the last place that was read. */
class ReadWindow {
  readonly #read: ReadBytes
  #bytes: Buffer = Buffer.alloc(0)
  #from = 0

  constructor(read: ReadBytes) {
    this.#read = read
  }

  at(place: number, length: number): Buffer {
    const end = this.#from + this.#bytes.length
    if (place < this.#from || place + length > end) {
      const isNext = place <= end && place >= end - WINDOW.single
      this.#bytes = this.#read(place, Math.max(isNext ? WINDOW.ahead : WINDOW.single, length))
      this.#from = place
    }
    return this.#bytes.subarray(place - this.#from, place - this.#from + length)
  }
}

/** Another process replaced or removed a file of answers while it was read: what is known must be looked up again. */
export class AnswersReplaced extends FettleError {
  constructor(path: string) {
    super('FETTLE_OUTPUT_WRITE', `cannot read ${path}: another process replaced it`, { hint: 'Run the same command again.' })
  }
}

/** Descriptors that files of answers use at once: a folder may have more files than a process may open. */
const MOST_OPEN = 16

/** The descriptors of files of answers that are read together, the one that was used longest ago first. */
export class OpenAnswerFiles {
  readonly #descriptors = new Map<AnswerFile, number>()

  /** The descriptor of a file that is open; null for one that was closed to make room. */
  find(file: AnswerFile): number | null {
    const known = this.#descriptors.get(file)
    if (known === undefined) return null
    this.#descriptors.delete(file)
    this.#descriptors.set(file, known)
    return known
  }

  add(file: AnswerFile, descriptor: number): void {
    for (const oldest of this.#descriptors.keys()) {
      if (this.#descriptors.size < MOST_OPEN) break
      this.close(oldest)
    }
    this.#descriptors.set(file, descriptor)
  }

  close(file: AnswerFile): void {
    const known = this.#descriptors.get(file)
    this.#descriptors.delete(file)
    if (known !== undefined) closeSync(known)
  }
}

const isSame = (one: Stats, other: Stats): boolean =>
  one.ino === other.ino && one.dev === other.dev && one.size === other.size && one.mtimeMs === other.mtimeMs

/** Its methods throw FETTLE_OUTPUT_WRITE for a file that cannot be read, and AnswersReplaced. */
export class AnswerFile {
  readonly path: string
  readonly facts: AnswerFileFacts
  readonly count: number
  readonly #stats: Stats
  readonly #open: OpenAnswerFiles
  /** Where the index starts. */
  readonly #start: number
  readonly #records: ReadWindow
  readonly #lines: ReadWindow

  private constructor(path: string, { fd, stats }: OpenKept, { facts, start, count }: Layout, open: OpenAnswerFiles) {
    this.path = path
    this.facts = facts
    this.count = count
    this.#stats = stats
    this.#open = open
    this.#start = start
    const readBytes: ReadBytes = (place, length) => read(path, this.#descriptor(), place, length)
    this.#records = new ReadWindow(readBytes)
    this.#lines = new ReadWindow(readBytes)
    open.add(this, fd)
  }

  /** `open`: of the files that are read together. Null for a file that is gone. Throws FETTLE_OUTPUT_WRITE for one that cannot be read or is damaged, and for one that no fettle wrote. */
  static open(path: string, open = new OpenAnswerFiles()): AnswerFile | null {
    const file = openKept(path)
    if (file === null) return null
    const { fd, stats } = file
    let isUsed = false
    try {
      const layout = readLayout(path, fd, stats.size)
      isUsed = true
      return new AnswerFile(path, file, layout, open)
    } finally {
      if (!isUsed) closeSync(fd)
    }
  }

  close(): void {
    this.#open.close(this)
  }

  /** The file is immutable: one that is not the same under its name has another content. */
  #descriptor(): number {
    const known = this.#open.find(this)
    if (known !== null) return known
    const file = openKept(this.path)
    if (file === null) throw new AnswersReplaced(this.path)
    if (!isSame(file.stats, this.#stats)) {
      closeSync(file.fd)
      throw new AnswersReplaced(this.path)
    }
    this.#open.add(this, file.fd)
    return file.fd
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

  row(at: number): Buffer {
    return this.record(at).subarray(41, 49)
  }

  outcome(at: number): AnswerOutcome | null {
    return OUTCOMES[this.record(at).readUInt8(36)] ?? null
  }

  source(at: number): number {
    const source = this.record(at).readUInt16LE(34)
    if (source >= this.facts.sources.length) throw notOurs(this.path)
    return source
  }

  /** The cells as JSON. */
  line(at: number): Buffer {
    const record = this.record(at)
    const length = record.readUInt32LE(30)
    const line = this.#lines.at(record.readUIntLE(24, 6), length)
    if (line.length !== length || crc32(line) !== record.readUInt32LE(37)) throw damaged(this.path)
    if (!isCells(line)) throw notOurs(this.path)
    return line
  }
}

/** One line of JSON: a list of texts. */
function isCells(line: Buffer): boolean {
  try {
    const cells: unknown = JSON.parse(line.toString())
    return line.indexOf(10) === line.length - 1 && Array.isArray(cells) && cells.every(cell => typeof cell === 'string')
  } catch {
    return false
  }
}

const notOurs = (path: string): FettleError =>
  unreadableKept(path, new Error('its checksums are right, and its content is not one that fettle writes'))

const damaged = (path: string): FettleError =>
  new FettleError('FETTLE_OUTPUT_WRITE', `cannot read ${path}: it is damaged, since its length or a checksum is wrong`, {
    hint: 'Restore the file from a backup, or remove it: the answers in it are then asked and paid again.',
  })

interface Layout {
  readonly facts: AnswerFileFacts
  readonly start: number
  readonly count: number
}

function readLayout(path: string, fd: number, size: number): Layout {
  if (size < TRAILER) throw damaged(path)
  const trailer = read(path, fd, size - TRAILER, TRAILER)
  if (trailer.toString('latin1', 24) !== MAGIC) throw damaged(path)
  const start = trailer.readUIntLE(0, 6)
  const count = trailer.readUInt32LE(8)
  const textBytes = trailer.readUInt32LE(12)
  const end = start + count * RECORD
  if (end + textBytes + TRAILER !== size) throw damaged(path)
  let sum = 0
  for (let place = start; place < end; place += BATCH) sum = crc32(read(path, fd, place, Math.min(BATCH, end - place)), sum)
  const text = read(path, fd, end, textBytes)
  if (crc32(text, sum) !== trailer.readUInt32LE(16)) throw damaged(path)
  return { facts: readFacts(path, text), start, count }
}

function readFacts(path: string, text: Buffer): AnswerFileFacts {
  try {
    const facts: unknown = JSON.parse(text.toString())
    if (isFacts(facts)) return facts
  } catch {
    // Refused below.
  }
  throw notOurs(path)
}

function read(path: string, fd: number, place: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length)
  let filled = 0
  try {
    while (filled < length) {
      const count = readSync(fd, bytes, filled, length - filled, place + filled)
      if (count === 0) break
      filled += count
    }
  } catch (cause) {
    throw unreadableKept(path, cause)
  }
  return bytes.subarray(0, filled)
}
