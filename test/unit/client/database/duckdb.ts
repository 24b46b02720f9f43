/** A DuckDB file as its own program sees it. */
import { DuckDBInstance } from '@duckdb/node-api'

/** Runs statements in the file, which is made if it is missing, and closes it; gives the rows of the last one. */
export async function queryFile(path: string, ...statements: readonly string[]): Promise<Record<string, unknown>[]> {
  const instance = await DuckDBInstance.create(path)
  const connection = await instance.connect()
  try {
    let rows: Record<string, unknown>[] = []
    for (const sql of statements) rows = (await connection.runAndReadAll(sql)).getRowObjectsJS()
    return rows
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}
