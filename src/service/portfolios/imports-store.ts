/** Imports into portfolios that are still to be carried out. It knows where no file lies and what is in none. */
import type { Database } from '../storage/database.ts'
import { freshNumber } from '../storage/ids.ts'

/** A file that was accepted; its bytes lie under `file` in the imports folder. */
export interface PendingImport {
  readonly id: number
  readonly portfolio: number
  /** `import` adds, `sync` makes the portfolio hold what the file names and no other. */
  readonly kind: 'import' | 'sync'
  readonly file: string
  /** Milliseconds since 1970. */
  readonly accepted: number
}

/** The imports of one data directory. Every change is durable when the call returns. */
export interface ImportStore {
  add(one: Omit<PendingImport, 'id'>): PendingImport
  /** The oldest; null when there is nothing to do. */
  next(): PendingImport | null
  done(id: number): void
  /** How many are still to be carried out. */
  count(): number
  /** Whether the file belongs to an import that is still to be carried out. */
  needs(file: string): boolean
}

/** The import store on this database. */
export const openImports = (database: Database): ImportStore => ({
  add: one =>
    database.transaction(() => {
      const { portfolio, kind, file, accepted } = one
      const id = freshNumber(number => database.get('SELECT 1 FROM imports WHERE id = ?', [number]) !== null)
      const sql = 'INSERT INTO imports (id, portfolio, kind, file, accepted) VALUES (?, ?, ?, ?, ?)'
      database.run(sql, [id, portfolio, kind, file, accepted])
      return { ...one, id }
    }),
  next: () => database.get<PendingImport>('SELECT id, portfolio, kind, file, accepted FROM imports ORDER BY seq LIMIT 1'),
  done: id => database.run('DELETE FROM imports WHERE id = ?', [id]),
  count: () => database.get<{ n: number }>('SELECT count(*) AS n FROM imports')?.n ?? 0,
  needs: file => database.get('SELECT 1 FROM imports WHERE file = ?', [file]) !== null,
})
