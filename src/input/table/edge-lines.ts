/** The first and last lines of a table as cells, read leniently: what surrounds a table may be no record of it. */
import { parse } from 'csv-parse/sync'
import type { EdgeLine, TableEdges } from '../../pipeline/model/types.ts'
import { lenientOptions } from './records.ts'

const KEPT_BYTES = 16_384
const FIRST_LINES = 40
const LAST_LINES = 40
/** A quote that is not closed within this many lines opens no cell. */
const MAX_JOINED = 10

/** Keeps the end of a text that arrives in pieces. */
export class TextEnd {
  #bytes = Buffer.alloc(0)
  /** Bytes were left out before those that are kept. */
  isCut = false

  add(piece: Buffer): void {
    if (piece.length === 0) return
    this.isCut ||= this.#bytes.length + piece.length > KEPT_BYTES
    // A copy: the piece is valid until the next one is read.
    this.#bytes =
      piece.length >= KEPT_BYTES
        ? Buffer.from(piece.subarray(-KEPT_BYTES))
        : Buffer.concat([this.#bytes, piece]).subarray(-KEPT_BYTES)
  }

  /** The kept lines that are complete. */
  get text(): string {
    const text = this.#bytes.toString()
    return this.isCut ? text.replace(/^[^\r\n]*(\r\n|\r|\n|$)/, '') : text
  }
}

interface EdgeTexts {
  readonly file: string
  readonly above: Buffer
  /** From the start of the table on. */
  readonly start: Buffer
  readonly end: TextEnd
  readonly below: TextEnd
  /** The line that `below` starts at. */
  readonly belowAt: number
  /** The last column names the sheet, and is not a cell of the line. */
  readonly hasSheet?: boolean
}

export function tableEdges(
  { file, above, start, end, below, belowAt, hasSheet = false }: EdgeTexts,
  delimiter: string,
): TableEdges {
  const read = (text: string): EdgeLine[] =>
    edgeLines(text, delimiter).map(line => (hasSheet ? { ...line, cells: line.cells.slice(0, -1) } : line))
  const skipped = { above: read(above.subarray(0, KEPT_BYTES).toString()), below: read(below.text), belowAt }
  const lines = read(end.text)
  const first = end.isCut ? read(start.subarray(0, KEPT_BYTES).toString()) : lines
  const isAll = !end.isCut && lines.length <= LAST_LINES
  return { file, first: first.slice(0, FIRST_LINES), last: lines.slice(-LAST_LINES), isAll, skipped }
}

function edgeLines(text: string, delimiter: string): EdgeLine[] {
  const lines = text.split(/\r\n|\n|\r/)
  if (lines.at(-1) === '') lines.pop()
  const found: EdgeLine[] = []
  for (let at = 0; at < lines.length; ) {
    const joined = countJoined(lines, at)
    found.push({ cells: parseCells(lines.slice(at, at + joined).join('\n'), delimiter), lines: joined })
    at += joined
  }
  return found
}

/** How many lines the cells of line `at` take. */
function countJoined(lines: readonly string[], at: number): number {
  let quotes = 0
  for (let count = 1; count <= MAX_JOINED && at + count <= lines.length; count++) {
    quotes += lines[at + count - 1]!.split('"').length - 1
    if (quotes % 2 === 0) return count
  }
  return 1
}

function parseCells(line: string, delimiter: string): string[] {
  try {
    const [cells = []] = parse(line, lenientOptions(delimiter)) as string[][]
    return cells
  } catch {
    return line.split(delimiter)
  }
}
