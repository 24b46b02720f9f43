/** One pass over the text of a file: counts, checks and hashes what goes by. */
import { createHash } from 'node:crypto'
import type { InputOptions } from '../../pipeline/model/types.ts'
import { CellTap } from '../scan/cell-collector.ts'
import type { CellCounter } from '../scan/column-profiler.ts'
import { MAX_COLUMNS, RecordScanner } from '../scan/record-scanner.ts'
import { type Decoder, makeDecoder, Utf8Check } from '../text/encoding.ts'
import { Mojibake } from '../text/mojibake.ts'
import { TextEnd } from './edge-lines.ts'
import type { ResolvedDialect } from './resolve-dialect.ts'
import { Checkpoints } from './row-range.ts'
import { TableRange } from './table-range.ts'

const FIRST_ROWS = 3

export class Pass {
  readonly scanner: RecordScanner
  readonly utf8 = new Utf8Check()
  readonly hash = createHash('sha256')
  readonly mojibake = new Mojibake()
  readonly marks = new Checkpoints()
  readonly tableEnd = new TextEnd()
  readonly below = new TextEnd()
  readonly garbled: number[] = []
  /** Bytes of the file. */
  bytesRead = 0
  /** Bytes of its content. */
  bytes = 0
  /** Offset in the content of the first byte that is not UTF-8. */
  badAt: number | null = null
  /** In a named encoding: all bytes so far could be UTF-8 just as well. */
  isUtf8Too: boolean
  /** Bytes of the table as UTF-8, and whether they end in a line break. */
  tableBytes = 0
  endsLine = true
  readonly #asUtf8 = new Utf8Check()
  readonly #decoder: Decoder | null
  readonly #table: TableRange
  readonly #headers: number

  constructor(settled: ResolvedDialect, { quotes, header }: InputOptions, counters: readonly CellCounter[], rowsBefore: number) {
    const tap = counters.length === 0 ? null : new CellTap(counters, header, MAX_COLUMNS, rowsBefore)
    this.scanner = new RecordScanner(settled.delimiter, quotes === 'relaxed', tap)
    this.#headers = header ? 1 : 0
    this.#decoder = settled.encoding === 'utf-8' ? null : makeDecoder(settled.encoding)
    this.#table = new TableRange(settled.skipped ?? undefined, after => this.below.add(after))
    this.isUtf8Too = this.#decoder !== null
  }

  read(piece: Buffer): void {
    this.hash.update(piece)
    this.bytesRead += piece.length
  }

  push(piece: Buffer): void {
    this.isUtf8Too &&= this.#asUtf8.push(piece) === null
    const text = this.#decoder ? Buffer.from(this.#decoder.decode(piece)) : piece
    const bad = this.utf8.push(text)
    this.#scan(this.#table.cut(text.subarray(0, bad === null ? text.length : Math.max(0, bad))))
    if (bad !== null) this.badAt = this.bytes + bad
    this.bytes += piece.length
  }

  /** Stops the scanner at the first mojibake, where it has the number of the row. */
  #scan(text: Buffer): void {
    this.tableEnd.add(text)
    this.tableBytes += text.length
    if (text.length > 0) this.endsLine = text.at(-1) === 0x0a || text.at(-1) === 0x0d
    let from = 0
    for (const at of this.mojibake.push(text)) {
      if (this.garbled.length === FIRST_ROWS) break
      this.scanner.push(text.subarray(from, at))
      from = at
      const row = this.scanner.records + 1 - this.#headers
      if (row > 0 && !this.garbled.includes(row)) this.garbled.push(row)
    }
    this.scanner.push(text.subarray(from))
    this.marks.note(this.scanner.records, this.scanner.consumed)
  }

  end(): void {
    if (this.badAt !== null) return
    if (this.#decoder) this.#scan(this.#table.cut(Buffer.from(this.#decoder.end())))
    if (this.utf8.end() > 0) this.badAt = this.bytes - this.utf8.end()
    else this.scanner.end()
  }
}
