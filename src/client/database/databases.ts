/** The table of databases, by the scheme of their addresses. */
import type { Database } from './database.ts'
import { DUCKDB } from './duckdb.ts'
import { POSTGRES } from './postgres.ts'

const DATABASES: Readonly<Record<string, Database>> = { postgresql: POSTGRES, postgres: POSTGRES, duckdb: DUCKDB }

export const databaseOfUrl = (url: string): Database => DATABASES[url.split(':', 1)[0]!.toLowerCase()]!
