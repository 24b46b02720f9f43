/** What fettle asks of a database: rows of a query, and a session that fills a table. `databases.ts` lists those that can answer. */

import type { ColumnType } from '../../model/columns.ts'
import type { Clock } from '../../model/requests.ts'

/** `shown` is the address as messages may have it. */
export interface DatabasePlace {
  readonly shown: string
  readonly url: string
}

export interface QueryPlace extends DatabasePlace {
  readonly sql: string
}

/** Whether the server is on this machine, where rows do not travel. */
export type IsNear = (host: string) => boolean

export interface Asking {
  readonly isNear: IsNear
  readonly attempts: number
  readonly signal?: AbortSignal
  /** Of the machine if absent. */
  readonly clock?: Clock
  /** Nothing is written, not even a file that is missing. */
  readonly isTrial?: boolean
}

export interface QueryRows {
  /** Types of the columns, as `model/columns.ts` names them. */
  readonly types: readonly string[]
  /** CSV in UTF-8, with a header. */
  readonly bytes: AsyncIterable<Uint8Array>
}

export type TableMode = 'replace' | 'append' | 'upsert'

export interface TablePlace extends DatabasePlace {
  /** `schema.name`, or `name` in the first schema of the search path. */
  readonly table: string
  readonly mode: TableMode
  /** Columns that identify a row, for `upsert`. */
  readonly key: readonly string[]
}

/** `type` is a name of `model/columns.ts`. */
export interface TableColumn {
  readonly name: string
  readonly type: string
}

/** Rows in a file on their way: text between tabs as CSV quotes it, with a header. */
export interface TableRows {
  readonly runId: string
  readonly columns: readonly TableColumn[]
  readonly sha256: string
  readonly path: string
}

export interface TableFacts {
  /** Quoted, with its schema. */
  readonly name: string
  readonly schema: string
  /** Null when there is no such table. */
  readonly columns: readonly { readonly name: string; readonly isGenerated: boolean }[] | null
  /** Whether a unique index without a condition has the columns of the key. */
  readonly hasKey: boolean
  readonly hasLedger: boolean
}

export interface Session {
  query(sql: string, values?: readonly string[]): Promise<Record<string, unknown>[]>
  /** Throws Refusal when the schema is missing, or the name does not name a table. */
  facts(place: TablePlace): Promise<TableFacts>
  typeIn(type: ColumnType): string
  /** The longest name of a column that is kept whole. */
  readonly maxNameBytes: number
  readonly ignoresCase: boolean
  begin(): Promise<void>
  /** Makes the relation `fettle_rows` of the rows until the end of the transaction, with the types of the columns of `target`. */
  load(target: string, rows: TableRows): Promise<void>
}

/** A database, with what differs from the others. */
export interface Database {
  /** Runs `body` with the rows of the query, of one snapshot. */
  readQuery<T>(place: QueryPlace, how: Asking, body: (rows: QueryRows) => Promise<T>): Promise<T>
  /** Runs `body` with a session that may write. */
  withSession<T>(place: DatabasePlace, how: Asking, body: (session: Session) => Promise<T>): Promise<T>
  /** An error of the database or the way to it in words, without values of rows. */
  describeError(error: unknown): string
  /** Whether the same statements may succeed when they are repeated. */
  isPassing(error: unknown): boolean
  /** Whether the error is that another run made the same table at the same time. */
  isDouble(error: unknown): boolean
  readonly queryHint: string
}

/** What prevents reading or writing, in words for the end of a sentence. */
export class Refusal extends Error {}

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** A query without the semicolons and blanks after it. */
export function withoutEnd(sql: string): string {
  let end = sql.length
  while (end > 0 && /[\s;]/.test(sql[end - 1]!)) end -= 1
  return sql.slice(0, end)
}

/** `line 2, column 5 of input.sql`, of a character counted from 0. */
export function placeIn(sql: string, at: number): string {
  const before = sql.slice(0, at).split('\n')
  return `line ${before.length}, column ${before.at(-1)!.length + 1} of input.sql`
}

/** A type of the database: its name in `model/columns.ts`, and the SQL for the text of a column, as a cell of CSV where the database quotes none. */
export interface ColumnRead {
  readonly type: string
  readonly text: (column: string) => string
}
