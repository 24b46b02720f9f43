/** Stores the pending imports into portfolios. */
import type { Database } from '../storage/database.ts'
import { freshNumber } from '../storage/ids.ts'

/** An accepted file, stored as `file` in the imports folder. */
export interface PendingImport {
  readonly id: number
  readonly portfolio: number
  /** `import` adds companies, `sync` also removes those that the file does not name. */
  readonly kind: 'import' | 'sync'
  readonly file: string
  /** Milliseconds since 1970. */
  readonly accepted: number
}

export const openImports = (database: Database) => ({
  add: (one: Omit<PendingImport, 'id'>): PendingImport =>
    database.transaction(() => {
      const { portfolio, kind, file, accepted } = one
      const id = freshNumber(number => database.get('SELECT 1 FROM imports WHERE id = ?', [number]) !== null)
      const sql = 'INSERT INTO imports (id, portfolio, kind, file, accepted) VALUES (?, ?, ?, ?, ?)'
      database.run(sql, [id, portfolio, kind, file, accepted])
      return { ...one, id }
    }),
  /** The oldest pending import, or null. */
  next: (): PendingImport | null =>
    database.get<PendingImport>('SELECT id, portfolio, kind, file, accepted FROM imports ORDER BY seq LIMIT 1'),
  done: (id: number): void => database.run('DELETE FROM imports WHERE id = ?', [id]),
  count: (): number => database.get<{ n: number }>('SELECT count(*) AS n FROM imports')?.n ?? 0,
  needs: (file: string): boolean => database.get('SELECT 1 FROM imports WHERE file = ?', [file]) !== null,
})

/** The imports of one data directory. Every change is durable when the call returns. */
export type ImportStore = ReturnType<typeof openImports>
