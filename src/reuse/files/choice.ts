/**
 * The choice of a run: what happens to each of its rows, the keys that are sent in the order in which they are sent, and copies of the
 * earlier answers that are used. One file of the run directory, written once: everything about the rows of the run goes by it, so neither
 * time nor other runs change what is sent and written.
 */
import { createHash } from 'node:crypto'
import { closeSync } from 'node:fs'
import { join } from 'node:path'
import { FettleError } from '../../errors.ts'
import { openSink, type Sink } from '../../files/atomic-file.ts'
import { DigestIndex } from '../../files/digest-index.ts'
import { GrowingBytes } from '../../files/growing-bytes.ts'
import { openKept, readKeptAt, unreadableKept } from '../../files/kept-files.ts'
import type { Plan } from '../../pipeline/model/types.ts'
import type { AnswerOutcome, AnswerSource } from './answers.ts'
import { KEY_BYTES, rowKeyMaker } from './row-key.ts'

export const CHOICE_FILE = 'choice.bin'

export const choicePath = (workDir: string): string => join(workDir, CHOICE_FILE)

/** The row repeats the key of a row that is sent, has an earlier answer, or is sent. */
const FATES = ['repeated', 'known', 'sent'] as const
export type RowFate = (typeof FATES)[number]

interface Section {
  readonly bytes: number
  readonly sha256: string
}

/** The end of the file. Its digest is recorded in the journal; a worker gets the file without answers and keys. */
interface Head {
  readonly format: 'fettle/choice/v1'
  readonly sources: readonly AnswerSource[]
  readonly answers: Section
  readonly keys: Section
  /** A byte for each row that has a key. */
  readonly fates: Section
}

const TRAILER = 12
const MAGIC = 'FETCHOI2'
const BATCH_BYTES = 131_072

const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex')
const describeSection = (bytes: Buffer): Section => ({ bytes: bytes.length, sha256: sha256(bytes) })

/** Its methods throw FETTLE_OUTPUT_WRITE. */
export class ChoiceWriter {
  readonly #sink: Sink
  readonly #sources: readonly AnswerSource[]
  readonly #fates = new GrowingBytes()
  readonly #keys = new GrowingBytes()
  readonly #hash = createHash('sha256')
  #batch: string[] = []
  #waiting = 0
  #answerBytes = 0

  private constructor(sink: Sink, sources: readonly AnswerSource[]) {
    this.#sink = sink
    this.#sources = sources
  }

  static async open(workDir: string, sources: readonly AnswerSource[]): Promise<ChoiceWriter> {
    return new ChoiceWriter(await openSink(choicePath(workDir)), sources)
  }

  addSent(key: Buffer): void {
    this.addFate('sent')
    this.#keys.add(key)
  }

  addFate(fate: RowFate): void {
    this.#fates.add([FATES.indexOf(fate)])
  }

  /** `cells`: as JSON. */
  async addKnown(source: number, outcome: AnswerOutcome, cells: string): Promise<void> {
    this.addFate('known')
    await this.addLine(`[${source},"${outcome}",${cells}]\n`)
  }

  async addLine(line: string): Promise<void> {
    this.#batch.push(line)
    this.#waiting += line.length
    if (this.#waiting >= BATCH_BYTES) await this.#flush()
  }

  /** Returns the digest of the choice. */
  async publish(): Promise<string> {
    await this.#flush()
    const [keys, fates] = [this.#keys.bytes, this.#fates.bytes]
    const head: Head = {
      ...{ format: 'fettle/choice/v1', sources: this.#sources },
      answers: { bytes: this.#answerBytes, sha256: this.#hash.digest('hex') },
      ...{ keys: describeSection(keys), fates: describeSection(fates) },
    }
    const text = Buffer.from(JSON.stringify(head))
    const trailer = Buffer.alloc(TRAILER)
    trailer.writeUInt32LE(text.length, 0)
    trailer.write(MAGIC, 4, 'latin1')
    for (const bytes of [keys, fates, text, trailer]) await this.#sink.write(bytes)
    await this.#sink.finish()
    await this.#sink.publish()
    return sha256(text)
  }

  discard(): Promise<void> {
    return this.#sink.discard()
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.from(this.#batch.join(''))
    this.#batch = []
    this.#waiting = 0
    this.#hash.update(bytes)
    this.#answerBytes += bytes.length
    await this.#sink.write(bytes)
  }
}

/** An earlier answer that the run uses. */
export interface KnownAnswer {
  readonly outcome: AnswerOutcome
  readonly cells: readonly string[]
  readonly source: AnswerSource
  /** Its place in the file. */
  readonly from: number
  readonly length: number
}

/** Its methods throw FETTLE_OUTPUT_WRITE when the file is not the one that was written. Always call `close`. */
export class Choice {
  readonly path: string
  readonly sources: readonly AnswerSource[]
  readonly #fd: number
  readonly #size: number
  readonly #head: Head
  /** Where the fates start; keys and answers are before them, unless a worker has the file. */
  readonly #fates: number
  readonly #lines = this.lines()
  #ahead: KnownAnswer | null = null

  private constructor(path: string, fd: number, size: number, digest: string) {
    this.path = path
    this.#fd = fd
    this.#size = size
    const trailer = this.#read(Math.max(0, size - TRAILER), TRAILER)
    const length = trailer.readUInt32LE(0)
    const start = size - TRAILER - length
    if (trailer.toString('latin1', 4) !== MAGIC || start < 0) throw this.#refuse()
    const text = this.#read(start, length)
    if (sha256(text) !== digest) throw this.#refuse()
    this.#head = JSON.parse(text.toString()) as Head
    this.sources = this.#head.sources
    this.#fates = start - this.#head.fates.bytes
  }

  static open(workDir: string, digest: string): Choice {
    const path = choicePath(workDir)
    const file = openKept(path)
    if (file === null) throw unreadableKept(path, new Error('it does not exist'))
    try {
      return new Choice(path, file.fd, file.stats.size, digest)
    } catch (error) {
      closeSync(file.fd)
      throw error
    }
  }

  fates(): Fates {
    const bytes = this.#section(this.#fates, this.#head.fates)
    return row => FATES[bytes[row] ?? 0] ?? 'repeated'
  }

  /** The keys that are sent, in the order in which they are sent. */
  keys(): readonly Buffer[] {
    const { keys, answers } = this.#head
    const bytes = this.#section(answers.bytes, keys)
    return Array.from({ length: bytes.length / KEY_BYTES }, (_, at) => bytes.subarray(at * KEY_BYTES, (at + 1) * KEY_BYTES))
  }

  /** The file without answers and keys, for a worker, which sends the rows and joins nothing. */
  forWorker(): Buffer {
    return this.#read(this.#fates, this.#size - this.#fates)
  }

  /** The next earlier answer, which stays the next one; null after the last. */
  peek(): KnownAnswer | null {
    if (this.#ahead === null) {
      const { value, done } = this.#lines.next()
      this.#ahead = done ? null : this.#parse(value.text, value.from)
    }
    return this.#ahead
  }

  next(): KnownAnswer {
    const answer = this.peek()
    this.#ahead = null
    if (answer === null) throw this.#refuse('it ends early')
    return answer
  }

  again(from: number, length: number): KnownAnswer {
    return this.#parse(this.#read(from, length).toString(), from)
  }

  /** Throws unless all answers were read. */
  finish(): void {
    if (this.peek() !== null) throw this.#refuse('it has more rows than were chosen')
  }

  /** The lines of the answers, without their ends. */
  *lines(): Generator<{ readonly text: string; readonly from: number }, undefined> {
    const { bytes: total, sha256: digest } = this.#head.answers
    const hash = createHash('sha256')
    let rest: Buffer = Buffer.alloc(0)
    let from = 0
    for (let place = 0; place < total; ) {
      const chunk = this.#read(place, Math.min(2 * BATCH_BYTES, total - place))
      place += chunk.length
      hash.update(chunk)
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      let start = 0
      for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
        yield { text: bytes.toString('utf8', start, end), from: from + start }
        start = end + 1
      }
      from += start
      rest = bytes.subarray(start)
    }
    if (rest.length > 0 || hash.digest('hex') !== digest) throw this.#refuse()
  }

  close(): void {
    closeSync(this.#fd)
  }

  #read(place: number, length: number): Buffer {
    const bytes = readKeptAt(this.path, this.#fd, place, Buffer.allocUnsafe(length))
    if (bytes.length < length) throw this.#refuse('it ends early')
    return bytes
  }

  #section(place: number, { bytes, sha256: digest }: Section): Buffer {
    const section = this.#read(place, bytes)
    if (sha256(section) !== digest) throw this.#refuse()
    return section
  }

  #parse(text: string, from: number): KnownAnswer {
    try {
      const [number, outcome, cells] = JSON.parse(text) as [number, AnswerOutcome, string[]]
      const source = this.sources[number]
      if (source !== undefined) return { outcome, cells, source, from, length: Buffer.byteLength(text) }
    } catch {
      // Refused below.
    }
    throw this.#refuse()
  }

  #refuse = (why = 'it was changed'): FettleError =>
    unreadableKept(this.path, new Error(why), 'Restore the file, or start a new run.')
}

/** What happens to each row that has a key. */
export type Fates = (row: number) => RowFate

/** Reads something of a choice. Throws FETTLE_OUTPUT_WRITE. */
export function readChoice<T>(workDir: string, digest: string, read: (choice: Choice) => T): T {
  const choice = Choice.open(workDir, digest)
  try {
    return read(choice)
  } finally {
    choice.close()
  }
}

/** The fates of the rows of a plan; null where all rows are sent. */
export const readFates = ({ known }: Pick<Plan, 'known'>, workDir: string): Fates | null =>
  known === undefined ? null : readChoice(workDir, known.choice, choice => choice.fates())

/**
 * Whether most rows have an earlier answer. Parsing is then the smaller part of the work with a row, and the input is parsed without a
 * second thread: its memory would be a sixth of the run's.
 */
export const hasMostlyKnown = ({ known, sent }: Pick<Plan, 'known' | 'sent'>): boolean =>
  known !== undefined && sent < known.sent / 2

/** Where the answer to a row is: among the earlier ones, next among those that come back, or that to an equal row (from 0). */
export type AnswerPlace = 'known' | 'next' | number

/**
 * Finds the place of each row that has a key, in their order. Equal rows are numbered among those that come back; of joined shards among
 * all that have an answer: an earlier shard may have known what a later one left to it.
 */
export function placeFinder(
  { mappings, merged }: Pick<Plan, 'mappings' | 'merged'>,
  fates: Fates,
): (uploadRow: readonly string[]) => AnswerPlace {
  const keys = new DigestIndex()
  const numbers: number[] = []
  const keyOf = rowKeyMaker({ mappings })
  let row = -1
  let answers = 0
  return uploadRow => {
    const fate = fates(++row)
    if (fate === 'known' && merged === undefined) return 'known'
    const key = keyOf(uploadRow)
    if (fate === 'repeated') return numbers[keys.find(key)] ?? missing(row)
    const { size } = keys
    if (keys.add(key) === size) numbers.push(answers)
    answers++
    return fate === 'known' ? 'known' : 'next'
  }
}

function missing(row: number): never {
  throw new FettleError('FETTLE_LEDGER', `row ${row + 1} of those with a key repeats no row before it`)
}
