/** Copies of the examples for a walk, and the databases of the tools. */
import { run } from '../kit.ts'
import { PYTHON } from '../python.ts'

/** The text with another one in place of each `from`, which must be there. */
export function replaced(text: string, ...changes: readonly (readonly [from: string, to: string])[]): string {
  return changes.reduce((now, [from, to]) => {
    if (!now.includes(from)) throw new Error(`the example has no ${from}`)
    return now.replaceAll(from, to)
  }, text)
}

/** How an example finds its project. */
export const PROJECT = 'os.environ.get("SUPPLIERS_PROJECT", os.getcwd())'

const QUERY =
  'import json, sqlite3, sys; print(json.dumps(sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True, timeout=30).execute(sys.argv[2]).fetchall()))'

/** Rows of a SQLite database of a tool; none while it cannot be read. */
export async function rowsOf(database: string, sql: string): Promise<(string | number | null)[][]> {
  const { code, stdout } = await run(PYTHON, ['-c', QUERY, database, sql], { cwd: '/', env: { PATH: process.env.PATH ?? '' } })
  return code === 0 ? JSON.parse(stdout) : []
}
