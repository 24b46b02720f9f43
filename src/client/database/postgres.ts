/** PostgreSQL as a database of fettle. */
import type { Database } from './database.ts'
import { isPassing, reasonOf } from './postgres-connect.ts'
import { readQuery } from './postgres-query.ts'
import { withSession } from './postgres-table.ts'

export const POSTGRES: Database = {
  readQuery,
  withSession,
  reasonOf,
  isPassing,
  // duplicate_table, unique_violation.
  isDouble: error => ['42P07', '23505'].includes((error as { readonly code?: string }).code ?? ''),
  queryHint: 'Check input.sql and input.url with psql; the query is read in a read-only transaction.',
}
