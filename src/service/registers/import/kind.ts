/** What a kind of source is: its header's needs, and how its rows are read as companies. Types only. */
import type { Company } from '../../matching/index.ts'

/** A company as a row gives it; the importer adds its connectId. */
export type Sourced = Omit<Company, 'connectId'>

/** One kind of source. */
export interface Kind {
  /** What it is, for people. */
  readonly summary: string
  /** Columns it cannot do without. */
  readonly needs: readonly string[]
  /** The header of an empty file, as a hint. */
  readonly header: string
  /** Reads rows of this header; a text in place of a company says why a row is not taken. */
  reader(columns: Columns): (cells: readonly string[], row: number) => Sourced | string
}

/** The columns of a header. */
export interface Columns {
  /** Trimmed cell of a column, '' where there is none. */
  cell(cells: readonly string[], column: string): string
  /** Columns whose name fits, in order. */
  like(pattern: RegExp): readonly string[]
}
