/**
 * The choice of a run: what happens to each of its rows, the keys that are sent in the order in which they are sent, and copies of the
 * earlier answers that are used. One file of the run directory, written once: everything about the rows of the run goes by it, so neither
 * time nor other runs change what is sent and written.
 */
import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { FettleError } from '../../errors.ts'
import { openSink, type Sink } from '../../files/atomic-file.ts'
import { DigestIndex } from '../../files/digest-index.ts'
import type { Plan } from '../../pipeline/model/types.ts'
import type { AnswerOutcome, AnswerSource } from './answers.ts'
import { KEY_BYTES, rowKeyMaker } from './row-key.ts'

export const CHOICE_FILE = 'choice.bin'

export const choicePath = (workDir: string): string => join(workDir, CHOICE_FILE)

/** The row repeats the key of a row that is sent, has an earlier answer, or is sent. */
const FATES = ['repeated', 'known', 'sent'] as const
export type RowFate = (typeof FATES)[number]

/** What happens to each row that has a key, in two bits. */
export class Fates {
  #bytes: Buffer
  #rows = 0

  constructor(bytes: Buffer = Buffer.alloc(1024)) {
    this.#bytes = bytes
  }

  add(fate: RowFate): void {
    const at = this.#rows++
    if (at >> 2 === this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(this.#bytes.length)])
    this.#bytes[at >> 2]! |= FATES.indexOf(fate) << (2 * (at & 3))
  }

  fate(row: number): RowFate {
    return FATES[((this.#bytes[row >> 2] ?? 0) >> (2 * (row & 3))) & 3] ?? 'repeated'
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, (this.#rows + 3) >> 2)
  }
}

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
  readonly fates: Section
}

const TRAILER = 16
const MAGIC = 'FETCHOI1'
const BATCH_BYTES = 131_072

const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex')
const describeSection = (bytes: Buffer): Section => ({ bytes: bytes.length, sha256: sha256(bytes) })

/** Its methods throw FETTLE_OUTPUT_WRITE. */
export class ChoiceWriter {
  readonly #sink: Sink
  readonly #sources: readonly AnswerSource[]
  readonly #fates = new Fates()
  readonly #hash = createHash('sha256')
  #keys: Buffer = Buffer.alloc(64 * KEY_BYTES)
  #sent = 0
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
    this.#fates.add('sent')
    const at = this.#sent++ * KEY_BYTES
    if (at === this.#keys.length) this.#keys = Buffer.concat([this.#keys, Buffer.alloc(at)])
    key.copy(this.#keys, at)
  }

  addFate(fate: RowFate): void {
    this.#fates.add(fate)
  }

  /** `cells`: as JSON. */
  async addKnown(source: number, outcome: AnswerOutcome, cells: string): Promise<void> {
    this.#fates.add('known')
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
    const keys = this.#keys.subarray(0, this.#sent * KEY_BYTES)
    const fates = this.#fates.bytes
    const answers = { bytes: this.#answerBytes, sha256: this.#hash.digest('hex') }
    const head: Head = {
      format: 'fettle/choice/v1',
      sources: this.#sources,
      answers,
      keys: describeSection(keys),
      fates: describeSection(fates),
    }
    const text = Buffer.from(JSON.stringify(head))
    const trailer = Buffer.alloc(TRAILER)
    trailer.writeUInt32LE(text.length, 0)
    trailer.write(MAGIC, 8, 'latin1')
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

const lost = (path: string, why: string): FettleError =>
  new FettleError('FETTLE_OUTPUT_WRITE', `cannot read back ${path}: ${why}`)

async function readAt(handle: FileHandle, place: number, length: number): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(length)
  let filled = 0
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, place + filled)
    if (bytesRead === 0) throw new Error('it ends early')
    filled += bytesRead
  }
  return bytes
}

/** Its methods throw FETTLE_OUTPUT_WRITE when the file is not the one that was written. Always call `close`. */
export class Choice {
  readonly path: string
  readonly sources: readonly AnswerSource[]
  readonly #handle: FileHandle
  readonly #head: Head
  /** Where the fates start; keys and answers are before them, unless a worker has the file. */
  readonly #fates: number
  #lines: AsyncGenerator<{ readonly text: string; readonly from: number }> | null = null
  #ahead: KnownAnswer | null = null

  private constructor(path: string, handle: FileHandle, head: Head, fates: number) {
    this.path = path
    this.sources = head.sources
    this.#handle = handle
    this.#head = head
    this.#fates = fates
  }

  static async open(workDir: string, digest: string): Promise<Choice> {
    const path = choicePath(workDir)
    let handle: FileHandle | null = null
    try {
      handle = await open(path)
      const { size } = await handle.stat()
      const trailer = await readAt(handle, Math.max(0, size - TRAILER), TRAILER)
      const length = trailer.readUInt32LE(0)
      if (trailer.toString('latin1', 8) !== MAGIC || length + TRAILER > size) throw new Error('it was changed')
      const text = await readAt(handle, size - TRAILER - length, length)
      if (sha256(text) !== digest) throw new Error('it was changed')
      const head = JSON.parse(text.toString()) as Head
      return new Choice(path, handle, head, size - TRAILER - length - head.fates.bytes)
    } catch (cause) {
      await handle?.close()
      throw lost(path, (cause as Error).message)
    }
  }

  async fates(): Promise<Fates> {
    return new Fates(await this.#section(this.#fates, this.#head.fates))
  }

  /** The keys that are sent, in the order in which they are sent. */
  async keys(): Promise<readonly Buffer[]> {
    const { keys, answers } = this.#head
    const bytes = await this.#section(answers.bytes, keys)
    return Array.from({ length: bytes.length / KEY_BYTES }, (_, at) => bytes.subarray(at * KEY_BYTES, (at + 1) * KEY_BYTES))
  }

  /** The file without answers and keys, for a worker, which sends the rows and joins nothing. */
  async forWorker(): Promise<Buffer> {
    const { size } = await this.#handle.stat()
    return readAt(this.#handle, this.#fates, size - this.#fates)
  }

  /** The next earlier answer, which stays the next one; null after the last. */
  async peek(): Promise<KnownAnswer | null> {
    this.#lines ??= this.lines()
    if (this.#ahead === null) {
      const { value, done } = await this.#lines.next()
      this.#ahead = done ? null : this.#parse(value.text, value.from)
    }
    return this.#ahead
  }

  async next(): Promise<KnownAnswer> {
    const answer = await this.peek()
    this.#ahead = null
    if (answer === null) throw lost(this.path, 'it ends early')
    return answer
  }

  async again(from: number, length: number): Promise<KnownAnswer> {
    try {
      return this.#parse((await readAt(this.#handle, from, length)).toString(), from)
    } catch (error) {
      throw FettleError.is(error) ? error : lost(this.path, (error as Error).message)
    }
  }

  /** Throws unless all answers were read. */
  async finish(): Promise<void> {
    if ((await this.peek()) !== null) throw lost(this.path, 'it has more rows than were chosen')
  }

  /** The lines of the answers, without their ends. */
  async *lines(): AsyncGenerator<{ readonly text: string; readonly from: number }> {
    const { bytes: total, sha256: digest } = this.#head.answers
    const hash = createHash('sha256')
    let rest: Buffer = Buffer.alloc(0)
    let from = 0
    try {
      for (let place = 0; place < total; ) {
        const chunk = await readAt(this.#handle, place, Math.min(2 * BATCH_BYTES, total - place))
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
    } catch (error) {
      throw FettleError.is(error) ? error : lost(this.path, (error as Error).message)
    }
    if (rest.length > 0 || hash.digest('hex') !== digest) throw lost(this.path, 'it was changed')
  }

  async close(): Promise<void> {
    await this.#lines?.return(undefined)
    await this.#handle.close()
  }

  async #section(place: number, { bytes, sha256: digest }: Section): Promise<Buffer> {
    let why = 'it was changed'
    try {
      const found = await readAt(this.#handle, place, bytes)
      if (sha256(found) === digest) return found
    } catch (error) {
      why = (error as Error).message
    }
    throw lost(this.path, why)
  }

  #parse(text: string, from: number): KnownAnswer {
    try {
      const [number, outcome, cells] = JSON.parse(text) as [number, AnswerOutcome, string[]]
      const source = this.sources[number]
      if (source !== undefined) return { outcome, cells, source, from, length: Buffer.byteLength(text) }
    } catch {
      // Refused below.
    }
    throw lost(this.path, 'it was changed')
  }
}

/** The fates of the rows of a plan; null where all rows are sent. */
export async function readFates({ known }: Pick<Plan, 'known'>, workDir: string): Promise<Fates | null> {
  if (known === undefined) return null
  const choice = await Choice.open(workDir, known.choice)
  try {
    return await choice.fates()
  } finally {
    await choice.close()
  }
}

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
    const fate = fates.fate(++row)
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
