/**
 * The choice of a run: what happens to each of its rows, the keys that are sent in the order in which they are sent, and copies of the
 * earlier answers that are used. One file of the run directory, written once: everything about the rows of the run goes by it, so neither
 * time nor other runs change what is sent and written.
 */
import { join } from 'node:path'
import { FettleError } from '../../errors.ts'
import { DigestIndex } from '../../files/digest-index.ts'
import { GrowingBytes } from '../../files/growing-bytes.ts'
import { unreadableKept } from '../../files/kept-files.ts'
import { SealedFile, SealedWriter, type Section } from '../../files/sealed-file.ts'
import type { Plan } from '../../pipeline/model/types.ts'
import type { AnswerOutcome, AnswerSource } from './answers.ts'
import { KEY_BYTES, rowKeyMaker } from './row-key.ts'

export const CHOICE_FILE = 'choice.bin'

export const choicePath = (workDir: string): string => join(workDir, CHOICE_FILE)

/** The row repeats the key of a row that is sent, has an earlier answer, or is sent. */
const FATES = ['repeated', 'known', 'sent'] as const
export type RowFate = (typeof FATES)[number]

/** The end of the file. Its digest is recorded in the journal; a worker gets the file without answers and keys. */
interface Head {
  readonly sources: readonly AnswerSource[]
  readonly answers: Section
  readonly keys: Section
  /** A byte for each row that has a key. */
  readonly fates: Section
}

const KIND = 'FETCHOI3'
const BATCH_BYTES = 131_072

/** Its methods throw FETTLE_OUTPUT_WRITE. */
export class ChoiceWriter {
  readonly #file: SealedWriter
  readonly #sources: readonly AnswerSource[]
  readonly #fates = new GrowingBytes()
  readonly #keys = new GrowingBytes()
  #batch: string[] = []
  #waiting = 0

  private constructor(file: SealedWriter, sources: readonly AnswerSource[]) {
    this.#file = file
    this.#sources = sources
  }

  static async open(workDir: string, sources: readonly AnswerSource[]): Promise<ChoiceWriter> {
    return new ChoiceWriter(await SealedWriter.open(choicePath(workDir)), sources)
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
    const answers = this.#file.endSection()
    await this.#file.write(this.#keys.bytes)
    const keys = this.#file.endSection()
    await this.#file.write(this.#fates.bytes)
    const head: Head = { sources: this.#sources, answers, keys, fates: this.#file.endSection() }
    return this.#file.publish(KIND, head)
  }

  discard(): Promise<void> {
    return this.#file.discard()
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.from(this.#batch.join(''))
    this.#batch = []
    this.#waiting = 0
    await this.#file.write(bytes)
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
  readonly sources: readonly AnswerSource[]
  readonly #file: SealedFile
  readonly #head: Head
  /** Where the fates start; keys and answers are before them, unless a worker has the file. */
  readonly #fates: number
  readonly #lines = this.lines()
  #ahead: KnownAnswer | null = null

  private constructor(file: SealedFile, digest: string) {
    if (file.digest !== digest) throw file.damaged()
    this.#file = file
    this.#head = JSON.parse(file.head.toString()) as Head
    this.sources = this.#head.sources
    this.#fates = file.end - this.#head.fates.bytes
  }

  static open(workDir: string, digest: string): Choice {
    const path = choicePath(workDir)
    const file = SealedFile.open(path, KIND, 'Restore the file, or start a new run.')
    if (file === null) throw unreadableKept(path, new Error('it does not exist'))
    try {
      return new Choice(file, digest)
    } catch (error) {
      file.close()
      throw error
    }
  }

  fates(): Fates {
    const bytes = this.#file.section(this.#fates, this.#head.fates)
    return row => FATES[bytes[row] ?? 0] ?? 'repeated'
  }

  /** The keys that are sent, in the order in which they are sent. */
  keys(): readonly Buffer[] {
    const { keys, answers } = this.#head
    const bytes = this.#file.section(answers.bytes, keys)
    return Array.from({ length: bytes.length / KEY_BYTES }, (_, at) => bytes.subarray(at * KEY_BYTES, (at + 1) * KEY_BYTES))
  }

  /** The file without answers and keys, for a worker, which sends the rows and joins nothing. */
  forWorker(): Buffer {
    return this.#file.read(this.#fates, this.#file.bytes - this.#fates)
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
    if (answer === null) throw this.#file.damaged('it ends early')
    return answer
  }

  again(from: number, length: number): KnownAnswer {
    return this.#parse(this.#file.read(from, length).toString(), from)
  }

  /** Throws unless all answers were read. */
  finish(): void {
    if (this.peek() !== null) throw this.#file.damaged('it has more rows than were chosen')
  }

  /** The lines of the answers, without their ends. */
  *lines(): Generator<{ readonly text: string; readonly from: number }, undefined> {
    let rest: Buffer = Buffer.alloc(0)
    let from = 0
    for (const chunk of this.#file.chunks(0, this.#head.answers, 2 * BATCH_BYTES)) {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      let start = 0
      for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
        yield { text: bytes.toString('utf8', start, end), from: from + start }
        start = end + 1
      }
      from += start
      rest = bytes.subarray(start)
    }
    if (rest.length > 0) throw this.#file.damaged()
  }

  close(): void {
    this.#file.close()
  }

  #parse(text: string, from: number): KnownAnswer {
    try {
      const [number, outcome, cells] = JSON.parse(text) as [number, AnswerOutcome, string[]]
      const source = this.sources[number]
      if (source !== undefined) return { outcome, cells, source, from, length: Buffer.byteLength(text) }
    } catch {
      // Refused below.
    }
    throw this.#file.damaged()
  }
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
