/** Files of DuckDB as databases of fettle. */
import type { Database } from './database.ts'
import { reasonOf } from './duckdb-connect.ts'
import { readQuery } from './duckdb-query.ts'
import { withSession } from './duckdb-table.ts'

export const DUCKDB: Database = {
  readQuery,
  withSession,
  reasonOf,
  // A process that has the file open may have it for hours.
  isPassing: () => false,
  // One process writes at a time.
  isDouble: () => false,
  queryHint: 'Check input.sql with duckdb; the query reads this file and nothing else.',
}
