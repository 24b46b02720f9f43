/**
 * The record scanner: counts the records of a UTF-8 table byte by byte, in pieces cut anywhere, and notes what is wrong with
 * their structure. It makes no cells and no strings, which is why it is ten times as fast as a parser; it counts exactly the
 * records csv-parse would give (a blank line is none, CRLF, LF and CR each end one). It knows no file and words no message.
 */

import type { Problem, ProblemKind, Ragged } from './problem.ts'
import type { CellTap } from './scan-cells.ts'

/** A record may be this long, in bytes: the service's rows are far shorter, so a longer one is an unclosed quote. */
export const MAX_RECORD_BYTES = 1_048_576
/** A record may have this many cells. */
export const MAX_COLUMNS = 1024
const PLACES_PER_KIND = 10
// As long as a real one: reading beyond its end would be slow.
const NO_LOOKS = new Uint8Array(MAX_COLUMNS)

const NOTHING = new Uint8Array(0)

const PLAIN = 0
const QUOTE = 1
const DELIMITER = 2
const LF = 3
const CR = 4
const NUL = 5

const OPEN = 0 // in an unquoted cell, or before the first byte of any
const QUOTED = 1
const CLOSED = 2 // the closing quote was seen and what follows it is known to be right
const CLOSING = 3 // a quote was the last byte of a piece: closing, or the first of two

/** Counts records; feed it with `push` and close it with `end`. */
export class RecordScanner {
  /** Complete records, header included. */
  records = 0
  blankLines = 0
  /** Physical line the scanner stands in. */
  line = 1
  /** Cells of the first record. */
  columns = 0
  /** Cells of the latest record. */
  lastColumns = 0
  /** Bytes up to the end of the last complete record or blank line. */
  consumed = 0
  /** Records whose last cell is empty. */
  trailingEmpty = 0
  /** Line ends outside quotes. */
  readonly lineEnds = { lf: 0, crlf: 0, cr: 0 }
  /** Records by number of cells; the last place counts all above the limit. */
  readonly widths = new Uint32Array(MAX_COLUMNS + 2)
  /** Line of the first record of each width. */
  readonly firstLines = new Map<number, number>()
  /** The first places of each kind; `counts` has the totals. */
  readonly problems: Problem[] = []
  readonly counts = new Map<ProblemKind, number>()
  /** The first three ragged records, and how many there are. */
  readonly ragged: Ragged[] = []
  raggedCount = 0
  /** After `end`: the last record had no line end. */
  openEnded = false

  readonly #kinds = new Uint8Array(256)
  readonly #relaxed: boolean
  readonly #tap: CellTap | null
  #state = OPEN
  #afterCr = false
  #delimiters = 0
  // Positions are relative to the piece at hand, so they are negative when they lie in one before it.
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
  /** The part of the cell in the pieces before has only spaces. */
  #cellIsBlank = true

  /** `delimiter` is one ASCII character; `relaxed` takes quotes inside unquoted cells as text; `tap` is shown cells. */
  constructor(delimiter: string, relaxed = false, tap: CellTap | null = null) {
    this.#relaxed = relaxed
    this.#tap = tap
    this.#kinds[0x22] = QUOTE
    this.#kinds[0x0a] = LF
    this.#kinds[0x0d] = CR
    this.#kinds[0x00] = NUL
    this.#kinds[delimiter.charCodeAt(0)] = DELIMITER
  }

  /** True while a quoted cell is open. */
  get isQuoted(): boolean {
    return this.#state === QUOTED
  }

  /** The next bytes, cut anywhere. */
  push(piece: Uint8Array): void {
    const kinds = this.#kinds
    const looks = this.#tap?.looks ?? NO_LOOKS
    const length = piece.length
    if (length === 0) return
    let state = this.#state
    let i = 0
    if (this.#afterCr) {
      this.#afterCr = false
      if (piece[0] === 0x0a) i = this.#joinCrlf(state)
    }
    if (state === CLOSING) {
      state = this.#closeQuote(piece, -1)
      if (state === QUOTED) i = 1
    }
    for (; i < length; i++) {
      // Nearly every byte ends here: the speed of the whole is the speed of this line.
      while (i < length && kinds[piece[i]!] === PLAIN) i++
      if (i === length) break
      const kind = kinds[piece[i]!]!
      if (kind === DELIMITER) {
        this.#lineDelimiters++
        if (state === QUOTED) continue
        if (looks[this.#delimiters] !== 0) this.#tap?.read(this.#delimiters, piece, this.#cellStart, i, this.records)
        this.#delimiters++
        this.#cellStart = i + 1
        state = OPEN
      } else if (kind === QUOTE) {
        if (state === QUOTED) {
          if (i + 1 === length) state = CLOSING
          else {
            state = this.#closeQuote(piece, i)
            if (state === QUOTED) i++
          }
        } else if (i === this.#cellStart) {
          state = QUOTED
          this.#quoteLine = this.line
          this.#cellHasBreak = false
        } else if (!this.#relaxed) this.#bareQuote(piece, i)
      } else if (kind === NUL) {
        this.#note('nul', piece, i)
      } else {
        const isCrlf = kind === CR && piece[i + 1] === 0x0a
        this.#afterCr = kind === CR && i + 1 === length
        if (state === QUOTED) this.#breakInCell()
        else {
          if (kind === LF) this.lineEnds.lf++
          else if (isCrlf) this.lineEnds.crlf++
          else this.lineEnds.cr++
          if (i === this.#recordStart) this.blankLines++
          else this.#endRecord(piece, i)
          state = OPEN
        }
        if (isCrlf) i++
        this.line++
        this.#lineDelimiters = 0
        this.#lineStart = i + 1
        if (state === OPEN) this.#beginRecord(i + 1)
      }
    }
    this.#state = state
    this.#leave(piece)
  }

  /** No more bytes follow. */
  end(): void {
    if (this.#state === QUOTED) {
      this.#add({ kind: 'unclosed', line: this.#quoteLine, column: null, record: this.records + 1 })
      return
    }
    if (this.#recordStart < 0) {
      this.#endRecord(NOTHING, 0)
      this.consumed = this.#pieceStart
      this.openEnded = true
      this.#recordStart = 0
    }
  }

  /** The quote at `i` (-1: the last byte of the piece before) in a quoted cell: what follows it says what it is. */
  #closeQuote(piece: Uint8Array, i: number): number {
    const next = this.#kinds[piece[i + 1]!]!
    if (next === QUOTE) return QUOTED
    if (next !== DELIMITER && next !== LF && next !== CR) {
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

  /** True when the cell at hand has only spaces up to `end`. */
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
    this.#tap?.read(this.#delimiters, piece, this.#cellStart, end, this.records)
    const cells = this.#delimiters + 1
    const record = ++this.records
    this.lastColumns = cells
    if (record === 1) this.columns = cells
    else if (cells !== this.columns) {
      this.raggedCount++
      if (this.ragged.length < 3) this.ragged.push({ line: this.#recordLine, record, found: cells })
    }
    const width = Math.min(cells, MAX_COLUMNS + 1)
    if (this.widths[width]!++ === 0) this.firstLines.set(cells, this.#recordLine)
    if (end === this.#cellStart) this.trailingEmpty++
    if (cells > MAX_COLUMNS) this.#addAtRecord('columns', record)
    if (end - this.#recordStart > MAX_RECORD_BYTES && !this.#tooLong) this.#addAtRecord('bytes', record)
    if (this.#recordHasBreak && this.#isMerged(cells)) this.#addAtRecord('merged', record)
  }

  // A lone column proves nothing: every line of it looks like a record.
  #isMerged(cells: number): boolean {
    return this.#linesLikeRecords && cells === this.columns && cells > 1 && this.#lineDelimiters === cells - 1
  }

  #beginRecord(at: number): void {
    this.#delimiters = 0
    this.#cellStart = at
    this.#recordStart = at
    this.#recordLine = this.line
    this.#recordHasBreak = false
    this.#linesLikeRecords = this.columns > 0
    this.#tooLong = false
    this.consumed = this.#pieceStart + at
  }

  /** The LF at the head of a piece belongs to the CR that ended the one before. */
  #joinCrlf(state: number): number {
    this.#lineStart = 1
    if (state === OPEN) {
      this.lineEnds.cr--
      this.lineEnds.crlf++
      this.#cellStart = 1
      this.#recordStart = 1
      this.consumed = this.#pieceStart + 1
    }
    return 1
  }

  /** Moves all positions into the frame of the next piece. */
  #leave(piece: Uint8Array): void {
    const length = piece.length
    if (length - this.#recordStart > MAX_RECORD_BYTES && !this.#tooLong) {
      this.#tooLong = true
      this.#addAtRecord('bytes', this.records + 1)
    }
    this.#lineCharacters =
      (this.#lineStart < 0 ? this.#lineCharacters : 0) + characters(piece, Math.max(this.#lineStart, 0), length)
    this.#cellIsBlank = this.#isBlankTo(piece, length)
    this.#tap?.keep(piece, this.#cellStart)
    this.#cellStart -= length
    this.#recordStart -= length
    this.#lineStart = Math.max(this.#lineStart, 0) - length
    this.#pieceStart += length
  }

  #note(kind: ProblemKind, piece: Uint8Array, i: number): void {
    const before = this.#lineStart < 0 ? this.#lineCharacters : 0
    const column = before + characters(piece, Math.max(this.#lineStart, 0), i) + 1
    this.#add({ kind, line: this.line, column, record: this.records + 1 })
  }

  #addAtRecord(kind: ProblemKind, record: number): void {
    this.#add({ kind, line: this.#recordLine, column: null, record })
  }

  #add(problem: Problem): void {
    const count = (this.counts.get(problem.kind) ?? 0) + 1
    this.counts.set(problem.kind, count)
    if (count <= PLACES_PER_KIND) this.problems.push(problem)
  }
}

/** Characters in a stretch of UTF-8: all bytes but continuation bytes. */
function characters(bytes: Uint8Array, from: number, to: number): number {
  let count = 0
  for (let i = from; i < to; i++) if ((bytes[i]! & 0xc0) !== 0x80) count++
  return count
}
