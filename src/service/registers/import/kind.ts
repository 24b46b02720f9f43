/** A kind of source: the columns it requires and how its rows are read as companies. */
import type { Company } from '../../matching/index.ts'

/** A company without its connectId, which the importer adds. */
export type Sourced = Omit<Company, 'connectId'>

export interface Kind {
  readonly summary: string
  readonly needs: readonly string[]
  readonly header: string
  /** Creates a reader for rows of this header. It returns a company, or the reason to skip the row. */
  reader(columns: Columns): (cells: readonly string[], row: number) => Sourced | string
}

export interface Columns {
  cell(cells: readonly string[], column: string): string
  /** Columns whose name matches, in order. */
  like(pattern: RegExp): readonly string[]
}
