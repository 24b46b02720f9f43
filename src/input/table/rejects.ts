/**
 * Takes the rows that cannot be read out of a table, for `input.rejects`. Only a row whose extent is proved is taken out: a broken
 * quote must not take rows that can be read with it.
 */
import { isUtf8 } from 'node:buffer'
import { counted } from '../../counted.ts'
import type { InputFacts, RejectReason } from '../../pipeline/model/types.ts'
import { MAX_RECORD_BYTES, type ProblemKind, RecordScanner, type ScannedRecord } from '../scan/record-scanner.ts'
import { escapeInvalid, REPLACEMENT } from '../text/encoding.ts'

/** A row that cannot be read. */
export interface Reject {
  readonly line: number
  readonly reason: RejectReason
  /** The reason in words. */
  readonly why: string
  readonly text: string
}

/** Where it cannot be proved which lines a broken row has. */
export interface Unproved {
  readonly line: number
  readonly why: string
}

export const REJECT_WORDS: Readonly<Record<RejectReason, string>> = {
  cells: 'wrong number of cells',
  quotes: 'broken quotes',
  encoding: 'broken encoding',
  nul: 'a NUL byte',
}

const QUOTES: readonly ProblemKind[] = ['bareQuote', 'spaceBeforeQuote', 'afterQuote', 'unclosed', 'merged', 'bytes']
const LINE_END = /\r\n|\n|\r/

type Shape = Pick<InputFacts, 'delimiter' | 'quotes' | 'encoding'>

/** Reads a table in UTF-8, in pieces cut anywhere. */
export class RejectFilter {
  readonly counts: Partial<Record<RejectReason, number>> = {}
  rows = 0
  /** The first place at which the extent of a row is not proved; nothing is read after it. */
  unproved: Unproved | null = null
  readonly #shape: Shape
  readonly #onReject: ((reject: Reject) => void) | undefined
  readonly #scanner: RecordScanner
  #records: ScannedRecord[] = []
  /** The text from offset `#at` on that is not passed on yet: the beginning of a record. */
  #rest: Buffer = Buffer.alloc(0)
  #at = 0

  constructor(shape: Shape, onReject?: (reject: Reject) => void) {
    this.#shape = shape
    this.#onReject = onReject
    this.#scanner = new RecordScanner(shape.delimiter, shape.quotes === 'relaxed', null, record => this.#records.push(record))
  }

  /** Blank lines of the table, without those that rejected rows leave. */
  get blankLines(): number {
    return this.#scanner.blankLines
  }

  /** The records that end in the piece; rejected ones leave their line ends, so that lines keep their numbers. */
  push(piece: Buffer): Buffer {
    if (this.unproved !== null) return NOTHING
    this.#scanner.push(piece)
    const text = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece])
    const kept = this.#clean(text, this.#scanner.consumed - this.#at)
    // A copy: the piece is valid until the next one is read.
    this.#rest = Buffer.from(text.subarray(this.#scanner.consumed - this.#at))
    this.#at = this.#scanner.consumed
    if (this.#rest.length > MAX_RECORD_BYTES) this.#fail(this.#scanner.line, `a row has more than ${MAX_RECORD_BYTES} bytes here`)
    return kept
  }

  /** The last record, which has no line end or an open quote. */
  end(): Buffer {
    if (this.unproved !== null) return NOTHING
    const { isQuoted, records, line } = this.#scanner
    this.#scanner.end()
    if (isQuoted) {
      const end = this.#at + this.#rest.toString('latin1').replace(/[\r\n]+$/, '').length
      const first = line - linesIn(this.#rest) + 1
      this.#records.push({ start: this.#at, end, line: first, record: records + 1, cells: 0, flaws: ['unclosed'] })
    }
    return this.#clean(this.#rest, this.#rest.length)
  }

  #clean(text: Buffer, to: number): Buffer {
    const whole = text.subarray(0, to)
    const isValid = this.#isValid(whole)
    const parts: Buffer[] = []
    let from = 0
    for (const record of this.#records.splice(0)) {
      const [start, end] = [record.start - this.#at, record.end - this.#at]
      const raw = whole.subarray(start, end)
      const found = this.#judge(record, isValid || this.#isValid(raw))
      if (found === null || this.unproved !== null) continue
      const { line } = record
      const doubt = record.record === 1 ? 'the first row shows how many cells the others have' : this.#doubt(record, raw)
      if (doubt !== null) this.#fail(line, `${found.why}: ${doubt}`)
      this.counts[found.reason] = (this.counts[found.reason] ?? 0) + 1
      this.rows++
      this.#onReject?.({ line, text: escapeInvalid(raw), ...found })
      parts.push(whole.subarray(from, start), raw.filter(byte => byte === 0x0a || byte === 0x0d) as Buffer)
      from = end
    }
    return parts.length === 0 ? whole : Buffer.concat([...parts, whole.subarray(from)])
  }

  #isValid(text: Buffer): boolean {
    return this.#shape.encoding === 'utf-8' ? isUtf8(text) : !text.includes(REPLACEMENT)
  }

  #judge({ cells, flaws }: ScannedRecord, isValid: boolean): Pick<Reject, 'reason' | 'why'> | null {
    const { columns } = this.#scanner
    const isRelaxed = this.#shape.quotes === 'relaxed'
    const found = (reason: RejectReason, more = '') => ({ reason, why: REJECT_WORDS[reason] + more })
    if (!isValid) return found('encoding', `: not ${this.#shape.encoding}`)
    if (flaws.includes('nul')) return found('nul')
    // Lines that strict quotes join are a row that can be read.
    if (flaws.some(flaw => QUOTES.includes(flaw) && (flaw !== 'merged' || isRelaxed))) return found('quotes')
    return cells === columns ? null : found('cells', `: ${cells} instead of ${columns}`)
  }

  /** Why it is not proved which lines belong to a broken row; null where it is. */
  #doubt({ flaws }: ScannedRecord, raw: Buffer): string | null {
    const { columns } = this.#scanner
    if (flaws.includes('bytes')) return `it has more than ${MAX_RECORD_BYTES} bytes`
    const text = raw.toString('latin1')
    const lines = text.split(LINE_END)
    const isRow = (line: string): boolean => line.split(this.#shape.delimiter).length === columns
    const isQuoteBroken = flaws.some(flaw => QUOTES.includes(flaw))
    if (lines.length > 1)
      return isQuoteBroken || lines.some(isRow) ? `its quotes join ${counted(lines.length, 'line')}, which may be rows` : null
    // Nothing follows it.
    if (flaws.includes('unclosed')) return null
    const isOdd = text.split('"').length % 2 === 0
    return isOdd && !isRow(text) ? 'its last quote may belong to a row of several lines' : null
  }

  #fail(line: number, why: string): void {
    this.unproved ??= { line, why }
  }
}

const NOTHING = Buffer.alloc(0)

const linesIn = (text: Buffer): number => text.toString('latin1').split(LINE_END).length
