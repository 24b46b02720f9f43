/** Stores portfolios: their settings, sharing and rules. */
import type { Permission, PortfolioBody } from '../../contract/index.ts'
import type { Window } from '../http/route.ts'
import { type Database, freshNumber } from '../storage/database.ts'

/** SQL condition that a user's tenant owns portfolio `p`, or the user may view it; it takes the numbers of tenant and person. */
export const MAY_SEE = `(p.owner = ? OR EXISTS (
  SELECT 1 FROM shares s WHERE s.portfolio = p.id AND s.user = ? AND instr(s.permissions, 'View') > 0
))`

type Settings = Omit<PortfolioBody, 'name' | 'isDefault'>

export interface Portfolio {
  readonly id: number
  readonly owner: number
  readonly name: string
  readonly isDefault: boolean
  readonly settings: Settings
  /** Whether another user may see it. */
  readonly isShared: boolean
}

export type RuleSetting = { readonly code: number; readonly active: boolean; readonly params: readonly string[] }

type Row = Pick<Portfolio, 'id' | 'owner' | 'name'> & { is_default: number; settings: string; shared: number }

const SELECT = 'SELECT p.*, EXISTS (SELECT 1 FROM shares s WHERE s.portfolio = p.id) AS shared FROM portfolios p'

const readPortfolio = ({ id, owner, name, is_default, settings, shared }: Row): Portfolio => ({
  ...{ id, owner, name, isDefault: is_default === 1, isShared: shared === 1 },
  settings: JSON.parse(settings) as Settings,
})

/** An event is removed with its last notice. */
const REMOVE = [
  `DELETE FROM events WHERE id IN (SELECT event FROM notifications WHERE portfolio = ?1)
    AND NOT EXISTS (SELECT 1 FROM notifications n WHERE n.event = events.id AND n.portfolio <> ?1)`,
  ...['notifications', 'holdings', 'portfolio_rules', 'shares', 'imports'].map(
    table => `DELETE FROM ${table} WHERE portfolio = ?1`,
  ),
  'DELETE FROM portfolios WHERE id = ?1',
]

export class PortfolioStore {
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  find(id: number): Portfolio | null {
    const row = this.#database.get<Row>(`${SELECT} WHERE p.id = ?`, [id])
    return row === null ? null : readPortfolio(row)
  }

  create(owner: number, { name, isDefault = false, ...settings }: PortfolioBody): Portfolio {
    return this.#database.transaction(() => {
      const id = freshNumber(number => this.find(number) !== null)
      const sql = 'INSERT INTO portfolios (id, owner, name, folded, is_default, settings) VALUES (?, ?, ?, ?, 0, ?)'
      this.#database.run(sql, [id, owner, name, name.toLowerCase(), JSON.stringify(settings)])
      if (isDefault) this.#makeDefault(owner, id)
      return { id, owner, name, isDefault, settings, isShared: false }
    })
  }

  /** Sets the fields of the body; the others stay unchanged. */
  change({ id, owner, settings: before }: Portfolio, { name, isDefault, ...settings }: PortfolioBody): void {
    this.#database.transaction(() => {
      const values = [name, name.toLowerCase(), JSON.stringify({ ...before, ...settings }), id]
      this.#database.run('UPDATE portfolios SET name = ?, folded = ?, settings = ? WHERE id = ?', values)
      if (isDefault === true) this.#makeDefault(owner, id)
      if (isDefault === false) this.#database.run('UPDATE portfolios SET is_default = 0 WHERE id = ?', [id])
    })
  }

  remove(id: number): void {
    this.#database.transaction(() => {
      for (const sql of REMOVE) this.#database.run(sql, [id])
    })
  }

  /** Sorted by name; `words` is a part of the name, ignoring case. */
  list(owner: number, words: string, { limit, offset }: Window): Portfolio[] {
    const sql = `${SELECT} WHERE p.owner = ? AND instr(p.folded, ?) > 0 ORDER BY p.folded, p.seq LIMIT ? OFFSET ?`
    return this.#database.all<Row>(sql, [owner, words.toLowerCase(), limit, offset]).map(readPortfolio)
  }

  count(owner: number, words: string): number {
    const sql = 'SELECT count(*) AS n FROM portfolios WHERE owner = ? AND instr(folded, ?) > 0'
    return this.#database.count(sql, [owner, words.toLowerCase()])
  }

  /** Portfolios of other tenants that this person may see. */
  sharedWith(person: number): Portfolio[] {
    const sql = `${SELECT} JOIN shares s ON s.portfolio = p.id
        WHERE s.user = ? AND instr(s.permissions, 'View') > 0 ORDER BY p.folded, p.seq`
    return this.#database.all<Row>(sql, [person]).map(readPortfolio)
  }

  /** The permissions of each user except the owner. */
  shares(id: number): ReadonlyMap<number, readonly Permission[]> {
    const sql = 'SELECT user, permissions FROM shares WHERE portfolio = ? ORDER BY user'
    const rows = this.#database.all<{ user: number; permissions: string }>(sql, [id])
    return new Map(rows.map(({ user, permissions }) => [user, permissions.split(',') as Permission[]]))
  }

  /** An empty list ends the sharing. */
  share(id: number, user: number, permissions: readonly Permission[]): void {
    if (permissions.length === 0) this.#database.run('DELETE FROM shares WHERE portfolio = ? AND user = ?', [id, user])
    else this.#database.run('INSERT OR REPLACE INTO shares VALUES (?, ?, ?)', [id, user, permissions.join(',')])
  }

  revokeAll(id: number): void {
    this.#database.run('DELETE FROM shares WHERE portfolio = ?', [id])
  }

  rules(id: number): ReadonlyMap<number, RuleSetting> {
    const sql = 'SELECT code, active, params FROM portfolio_rules WHERE portfolio = ?'
    const rows = this.#database.all<{ code: number; active: number; params: string }>(sql, [id])
    return new Map(rows.map(({ code, active, params }) => [code, { code, active: active === 1, params: JSON.parse(params) }]))
  }

  setRules(id: number, settings: readonly RuleSetting[]): void {
    this.#database.transaction(() => {
      const sql = 'INSERT OR REPLACE INTO portfolio_rules VALUES (?, ?, ?, ?)'
      for (const { code, active, params } of settings) this.#database.run(sql, [id, code, Number(active), JSON.stringify(params)])
    })
  }

  resetRules(id: number): void {
    this.#database.run('DELETE FROM portfolio_rules WHERE portfolio = ?', [id])
  }

  /** At most one portfolio of a user is the default. */
  #makeDefault(owner: number, id: number): void {
    this.#database.run('UPDATE portfolios SET is_default = (id = ?) WHERE owner = ?', [id, owner])
  }
}
