/**
 * Counts the records of a UTF-8 table, in pieces cut anywhere, and lists structural problems. It makes no cells or strings, and
 * counts exactly the records that csv-parse returns: a blank line is not a record, and CRLF, LF and CR each end one.
 */
import { characters } from '../text/encoding.ts'
import type { CellTap } from './column-profiler.ts'
import { BLOCK_BYTES, structuralIndexer } from './structural-index.ts'

/** `merged`: a quoted cell joined lines that would each be a record by itself. */
export type ProblemKind = 'bareQuote' | 'spaceBeforeQuote' | 'afterQuote' | 'unclosed' | 'nul' | 'bytes' | 'columns' | 'merged'

/** `record` counts from 1 and includes the header; `line` and `column` (in characters) count from 1. */
export interface Problem {
  readonly kind: ProblemKind
  readonly line: number
  readonly column: number | null
  readonly record: number
}

/** A record and what is wrong in it; `start` and `end` are offsets in the table, without the line end. */
export interface ScannedRecord {
  readonly start: number
  readonly end: number
  readonly line: number
  readonly record: number
  readonly cells: number
  readonly flaws: readonly ProblemKind[]
}

/** A record may be this long, in bytes: the service's rows are far shorter, so a longer one has an unclosed quote. */
export const MAX_RECORD_BYTES = 1_048_576
export const MAX_COLUMNS = 1024
const PLACES_PER_KIND = 10
// Full length: reads beyond the end of an array are slow.
const NO_LOOKS = new Uint16Array(MAX_COLUMNS)

const NO_FLAWS: readonly ProblemKind[] = []

const NOTHING = new Uint8Array(0)

const QUOTE = 0x22
const LF = 0x0a
const CR = 0x0d
const NUL = 0x00

const OPEN = 0 // in an unquoted cell, or before the first byte of a cell
const QUOTED = 1
const CLOSED = 2 // after a closing quote that is followed by a delimiter or line end
const CLOSING = 3 // a quote was the last byte of a piece: closing, or the first of two

const MAX_RAGGED = 50

/** Records in a row with another number of cells than the first record; lines and records from 1. */
interface RaggedRecords {
  readonly line: number
  /** Where the last of them begins. */
  lastLine: number
  readonly record: number
  count: number
  readonly found: number
}

/** Counts records; feed it with `push` and close it with `end`. */
export class RecordScanner {
  records = 0
  blankLines = 0
  readonly empty: EmptyRecords
  line = 1
  /** Cells of the first record. */
  columns = 0
  lastColumns = 0
  /** Bytes up to the end of the last complete record or blank line. */
  consumed = 0
  /** Records whose last cell is empty. */
  trailingEmpty = 0
  readonly lineEnds = { lf: 0, crlf: 0, cr: 0 }
  /** Records by number of cells; the last place counts all above the limit. */
  readonly widths = new Uint32Array(MAX_COLUMNS + 2)
  /** Line of the first record of each width. */
  readonly firstLines = new Map<number, number>()
  /** The first places of each kind; `counts` has the totals. */
  readonly problems: Problem[] = []
  readonly counts = new Map<ProblemKind, number>()
  /** The first ragged records, those that follow each other with as many cells as one, and how many there are in all. */
  readonly ragged: RaggedRecords[] = []
  raggedCount = 0
  /** After `end`: the last record had no line end. */
  openEnded = false

  readonly #delimiter: number
  readonly #relaxed: boolean
  readonly #tap: CellTap | null
  readonly #looks: Uint16Array
  readonly #onRecord: ((record: ScannedRecord) => void) | null
  #flaws: readonly ProblemKind[] = NO_FLAWS
  #state = OPEN
  #afterCr = false
  #delimiters = 0
  // Positions are relative to the current piece: negative ones point into earlier pieces.
  /** Bytes before this position were handled together with an earlier byte. */
  #next = 0
  #cellStart = 0
  #recordStart = 0
  #lineStart = 0
  #lineCharacters = 0
  #recordLine = 1
  #quoteLine = 1
  #cellHasBreak = false
  #recordHasBreak = false
  #lineDelimiters = 0
  #linesLikeRecords = true
  #tooLong = false
  #pieceStart = 0
  /** The part of the cell in earlier pieces has only spaces. */
  #cellIsBlank = true

  /**
   * `delimiter` is one ASCII character; `relaxed` reads quotes inside unquoted cells as text; `tap` receives cells, and `onRecord` each
   * record at its end.
   */
  constructor(
    delimiter: string,
    relaxed = false,
    tap: CellTap | null = null,
    onRecord: ((record: ScannedRecord) => void) | null = null,
  ) {
    this.#onRecord = onRecord
    this.#relaxed = relaxed
    this.#tap = tap
    this.#looks = tap?.looks ?? NO_LOOKS
    this.#delimiter = delimiter.charCodeAt(0)
    this.empty = new EmptyRecords(this.#delimiter)
  }

  get isQuoted(): boolean {
    return this.#state === QUOTED
  }

  /** The number of cells that most records have. */
  get usualWidth(): number {
    let usual = 0
    for (let width = 1; width < this.widths.length; width++) if (this.widths[width]! > this.widths[usual]!) usual = width
    return usual
  }

  push(piece: Uint8Array): void {
    const delimiter = this.#delimiter
    const index = structuralIndexer()
    if (piece.length === 0) return
    this.#next = 0
    this.#tap?.enter(piece)
    this.#joinPieces(piece)
    for (let block = 0; block < piece.length; block += BLOCK_BYTES) {
      const end = Math.min(block + BLOCK_BYTES, piece.length)
      const marks = index(piece.subarray(block, end), delimiter)
      for (let start = block; start < end; start += 32) {
        // From the lowest bit to the highest. This loop determines the speed of the scanner.
        for (let left = marks[(start - block) >> 5]!; left !== 0; left &= left - 1) {
          const i = start + 31 - Math.clz32(left & -left)
          if (i < this.#next) continue
          const byte = piece[i]!
          if (byte === delimiter) this.#endCell(i)
          else if (byte === QUOTE) this.#quote(piece, i)
          else if (byte === LF || byte === CR) this.#endLine(piece, i, byte)
          else if (byte === NUL) this.#note('nul', piece, i)
        }
      }
    }
    this.#leave(piece)
  }

  end(): void {
    if (this.#state === QUOTED) {
      this.#add({ kind: 'unclosed', line: this.#quoteLine, column: null, record: this.records + 1 })
      return
    }
    if (this.#recordStart < 0) {
      this.#tap?.enter(NOTHING)
      this.#endRecord(NOTHING, 0)
      this.#tap?.leave(0)
      this.consumed = this.#pieceStart
      this.openEnded = true
      this.#recordStart = 0
    }
  }

  #endCell(i: number): void {
    this.#lineDelimiters++
    if (this.#state === QUOTED) return
    const column = this.#delimiters++
    if (this.#looks[column] !== 0) this.#tap?.read(column, this.#cellStart, i, this.records)
    this.#cellStart = i + 1
    this.#state = OPEN
  }

  #quote(piece: Uint8Array, i: number): void {
    if (this.#state === QUOTED) {
      this.#state = i + 1 === piece.length ? CLOSING : this.#closeQuote(piece, i)
      if (this.#state === QUOTED) this.#next = i + 2
    } else if (i === this.#cellStart) {
      this.#state = QUOTED
      this.#quoteLine = this.line
      this.#cellHasBreak = false
    } else if (!this.#relaxed) this.#bareQuote(piece, i)
  }

  #endLine(piece: Uint8Array, i: number, byte: number): void {
    const isCrlf = byte === CR && piece[i + 1] === LF
    this.#next = i + (isCrlf ? 2 : 1)
    this.#afterCr = byte === CR && this.#next === piece.length && !isCrlf
    if (this.#state === QUOTED) this.#breakInCell()
    else {
      if (byte === LF) this.lineEnds.lf++
      else if (isCrlf) this.lineEnds.crlf++
      else this.lineEnds.cr++
      if (i === this.#recordStart) this.blankLines++
      else this.#endRecord(piece, i)
      this.#state = OPEN
    }
    this.line++
    this.#lineDelimiters = 0
    this.#lineStart = this.#next
    if (this.#state === OPEN) this.#beginRecord(this.#next)
  }

  /** Handles the quote at `i` (-1: the last byte of the previous piece) in a quoted cell by the byte after it. */
  #closeQuote(piece: Uint8Array, i: number): number {
    const next = piece[i + 1]!
    if (next === QUOTE) return QUOTED
    if (next !== this.#delimiter && next !== LF && next !== CR) {
      if (!this.#relaxed) this.#note('afterQuote', piece, i + 1)
      else if (this.#cellHasBreak) {
        this.#add({ kind: 'merged', line: this.#quoteLine, column: null, record: this.records + 1 })
        this.#linesLikeRecords = false
      }
      return OPEN
    }
    return CLOSED
  }

  #bareQuote(piece: Uint8Array, i: number): void {
    this.#note(this.#isBlankTo(piece, i) ? 'spaceBeforeQuote' : 'bareQuote', piece, i)
  }

  #isBlankTo(piece: Uint8Array, end: number): boolean {
    let at = Math.max(this.#cellStart, 0)
    while (at < end && piece[at] === 0x20) at++
    return at === end && (this.#cellStart >= 0 || this.#cellIsBlank)
  }

  #breakInCell(): void {
    this.#cellHasBreak = true
    this.#recordHasBreak = true
    if (this.columns > 0 && this.#lineDelimiters !== this.columns - 1) this.#linesLikeRecords = false
  }

  #endRecord(piece: Uint8Array, end: number): void {
    this.#tap?.read(this.#delimiters, this.#cellStart, end, this.records)
    const cells = this.#delimiters + 1
    const record = ++this.records
    this.lastColumns = cells
    if (record === 1) this.columns = cells
    else if (cells !== this.columns) {
      this.raggedCount++
      const last = this.ragged.at(-1)
      if (last !== undefined && last.record + last.count === record && last.found === cells) {
        last.count++
        last.lastLine = this.#recordLine
      } else if (this.ragged.length < MAX_RAGGED)
        this.ragged.push({ line: this.#recordLine, lastLine: this.#recordLine, record, count: 1, found: cells })
    }
    const width = Math.min(cells, MAX_COLUMNS + 1)
    if (this.widths[width]!++ === 0) this.firstLines.set(cells, this.#recordLine)
    if (end === this.#cellStart) this.trailingEmpty++
    this.empty.add(piece, Math.max(this.#recordStart, 0), end)
    this.empty.end(record)
    if (cells > MAX_COLUMNS) this.#addAtRecord('columns', record)
    if (end - this.#recordStart > MAX_RECORD_BYTES && !this.#tooLong) this.#addAtRecord('bytes', record)
    if (this.#recordHasBreak && this.#isMerged(cells)) this.#addAtRecord('merged', record)
    if (this.#onRecord === null) return
    const [start, line, flaws] = [this.#pieceStart + this.#recordStart, this.#recordLine, this.#flaws]
    this.#onRecord({ start, end: this.#pieceStart + end, line, record, cells, flaws })
  }

  // A lone column proves nothing: every line of it looks like a record.
  #isMerged(cells: number): boolean {
    return this.#linesLikeRecords && cells === this.columns && cells > 1 && this.#lineDelimiters === cells - 1
  }

  #beginRecord(at: number): void {
    this.#delimiters = 0
    this.empty.begin()
    this.#cellStart = at
    this.#recordStart = at
    this.#recordLine = this.line
    this.#recordHasBreak = false
    this.#linesLikeRecords = this.columns > 0
    this.#tooLong = false
    this.#flaws = NO_FLAWS
    this.consumed = this.#pieceStart + at
  }

  /** Completes the last byte of the previous piece: a CR, whose LF may be the first byte of this one, or a quote. */
  #joinPieces(piece: Uint8Array): void {
    if (this.#afterCr && piece[0] === LF) {
      this.#next = 1
      this.#lineStart = 1
      if (this.#state === OPEN) {
        this.lineEnds.cr--
        this.lineEnds.crlf++
        this.#cellStart = 1
        this.#recordStart = 1
        this.consumed = this.#pieceStart + 1
      }
    }
    this.#afterCr = false
    if (this.#state !== CLOSING) return
    this.#state = this.#closeQuote(piece, -1)
    if (this.#state === QUOTED) this.#next = 1
  }

  #leave(piece: Uint8Array): void {
    const length = piece.length
    if (length - this.#recordStart > MAX_RECORD_BYTES && !this.#tooLong) {
      this.#tooLong = true
      this.#addAtRecord('bytes', this.records + 1)
    }
    this.#lineCharacters =
      (this.#lineStart < 0 ? this.#lineCharacters : 0) + characters(piece, Math.max(this.#lineStart, 0), length)
    this.#cellIsBlank = this.#isBlankTo(piece, length)
    this.#tap?.leave(this.#cellStart)
    this.empty.add(piece, Math.max(this.#recordStart, 0), length)
    this.#cellStart -= length
    this.#recordStart -= length
    this.#lineStart = Math.max(this.#lineStart, 0) - length
    this.#pieceStart += length
  }

  #note(kind: ProblemKind, piece: Uint8Array, i: number): void {
    // Counting characters is slow: read with a wrong delimiter, every quote of a table may be a problem.
    const isKept = (this.counts.get(kind) ?? 0) < PLACES_PER_KIND
    this.#add({ kind, line: this.line, column: isKept ? this.#columnAt(piece, i) : null, record: this.records + 1 })
  }

  #columnAt(piece: Uint8Array, i: number): number {
    const before = this.#lineStart < 0 ? this.#lineCharacters : 0
    return before + characters(piece, Math.max(this.#lineStart, 0), i) + 1
  }

  #addAtRecord(kind: ProblemKind, record: number): void {
    this.#add({ kind, line: this.#recordLine, column: null, record })
  }

  #add(problem: Problem): void {
    if (this.#onRecord !== null && !this.#flaws.includes(problem.kind)) this.#flaws = [...this.#flaws, problem.kind]
    const count = (this.counts.get(problem.kind) ?? 0) + 1
    this.counts.set(problem.kind, count)
    if (count <= PLACES_PER_KIND) this.problems.push(problem)
  }
}

// What a record has so far: QUOTED and CLOSED, as of the scanner, are about a cell of blanks.
const START = 0 // before the first byte of a cell
const BLANK = 4 // in an unquoted cell of blanks
const FILLED = 5

const FIRST_EMPTY = 4

/** Counts records without a value: nothing but delimiters, blanks and pairs of quotes. Works on bytes, in pieces cut anywhere. */
class EmptyRecords {
  count = 0
  /** The numbers (from 1) of the first four. */
  readonly first: number[] = []
  #state = START
  readonly #delimiter: number

  constructor(delimiter: number) {
    this.#delimiter = delimiter
  }

  /** Ends the record of this number, which has been added. */
  end(record: number): void {
    if (this.#state === FILLED) return
    this.count++
    if (this.first.length < FIRST_EMPTY) this.first.push(record)
  }

  begin(): void {
    this.#state = START
  }

  /** Adds bytes of a record, its line end excluded. Of most records it reads one byte. */
  add(piece: Uint8Array, from: number, to: number): void {
    for (let at = from; at < to && this.#state !== FILLED; at++) this.#state = this.#after(piece[at]!)
  }

  #after(byte: number): number {
    const state = this.#state
    if (byte === this.#delimiter && state !== QUOTED) return START
    if (byte === QUOTE) return state === START ? QUOTED : state === QUOTED ? CLOSED : FILLED
    if (byte !== 0x20 && !(byte >= 0x09 && byte <= 0x0d)) return FILLED
    return state === QUOTED ? QUOTED : state === CLOSED ? FILLED : BLANK
  }
}
