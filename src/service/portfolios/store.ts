/** Portfolios as they are kept: their settings, with whom they are shared, their rules. What they hold is holdings.ts's. */
import type { Permission, PortfolioBody } from '../../contract/index.ts'
import type { Database } from '../storage/database.ts'
import { freshNumber } from '../storage/ids.ts'

/** The condition on a portfolio `p` that a user, asked for twice, owns it or may view it. */
export const MAY_SEE = `(p.owner = ? OR EXISTS (
  SELECT 1 FROM shares s WHERE s.portfolio = p.id AND s.user = ? AND instr(s.permissions, 'View') > 0
))`

/** What a portfolio is set to besides its name. */
type Settings = Omit<PortfolioBody, 'name' | 'isDefault'>

/** A portfolio. */
export interface Portfolio {
  readonly id: number
  readonly owner: number
  readonly name: string
  readonly isDefault: boolean
  readonly settings: Settings
  /** Whether anybody but its owner may see it. */
  readonly isShared: boolean
}

/** A rule as it is set in a portfolio. */
export interface RuleSetting {
  readonly code: number
  readonly active: boolean
  /** All three, '' where there is none. */
  readonly params: readonly string[]
}

/** The portfolios of one data directory. Every change is durable when the call returns. */
export interface PortfolioStore {
  create(owner: number, body: PortfolioBody): Portfolio
  find(id: number): Portfolio | null
  /** Sets what the body names; the rest stays as it is. */
  change(portfolio: Portfolio, body: PortfolioBody): void
  /** Removes it with all that it holds, its rules, sharing and events. */
  remove(id: number): void
  /** By name; `words` is a part of it in any case. */
  list(owner: number, words: string, limit: number, offset: number): Portfolio[]
  count(owner: number, words: string): number
  /** Portfolios of others that this user may see. */
  sharedWith(user: number): Portfolio[]
  /** What each user but the owner may do. */
  shares(id: number): ReadonlyMap<number, readonly Permission[]>
  /** No permission at all ends the sharing. */
  share(id: number, user: number, permissions: readonly Permission[]): void
  revokeAll(id: number): void
  rules(id: number): ReadonlyMap<number, RuleSetting>
  setRules(id: number, settings: readonly RuleSetting[]): void
  /** All rules off, without parameters. */
  resetRules(id: number): void
}

interface Row {
  readonly id: number
  readonly owner: number
  readonly name: string
  readonly is_default: number
  readonly settings: string
  readonly shared: number
}

const SELECT = 'SELECT p.*, EXISTS (SELECT 1 FROM shares s WHERE s.portfolio = p.id) AS shared FROM portfolios p'

const portfolioOf = ({ id, owner, name, is_default, settings, shared }: Row): Portfolio => ({
  ...{ id, owner, name, isDefault: is_default === 1, isShared: shared === 1 },
  settings: JSON.parse(settings) as Settings,
})

/** Ends with the portfolio; an event goes with the last notice of it. */
const REMOVE = [
  `DELETE FROM events WHERE id IN (SELECT event FROM notifications WHERE portfolio = ?1)
    AND NOT EXISTS (SELECT 1 FROM notifications n WHERE n.event = events.id AND n.portfolio <> ?1)`,
  ...['notifications', 'holdings', 'portfolio_rules', 'shares', 'imports'].map(
    table => `DELETE FROM ${table} WHERE portfolio = ?1`,
  ),
  'DELETE FROM portfolios WHERE id = ?1',
]

/** The portfolio store on this database. */
export function openPortfolios(database: Database): PortfolioStore {
  const find = (id: number): Portfolio | null => {
    const row = database.get<Row>(`${SELECT} WHERE p.id = ?`, [id])
    return row === null ? null : portfolioOf(row)
  }
  /** One is the default at most. */
  const makeDefault = (owner: number, id: number): void => {
    database.run('UPDATE portfolios SET is_default = (id = ?) WHERE owner = ?', [id, owner])
  }

  return {
    find,

    create: (owner, { name, isDefault = false, ...settings }) =>
      database.transaction(() => {
        const id = freshNumber(number => find(number) !== null)
        database.run('INSERT INTO portfolios (id, owner, name, folded, is_default, settings) VALUES (?, ?, ?, ?, 0, ?)', [
          ...[id, owner, name, name.toLowerCase(), JSON.stringify(settings)],
        ])
        if (isDefault) makeDefault(owner, id)
        return { id, owner, name, isDefault, settings, isShared: false }
      }),

    change: ({ id, owner, settings: before }, { name, isDefault, ...settings }) =>
      database.transaction(() => {
        const values = [name, name.toLowerCase(), JSON.stringify({ ...before, ...settings }), id]
        database.run('UPDATE portfolios SET name = ?, folded = ?, settings = ? WHERE id = ?', values)
        if (isDefault === true) makeDefault(owner, id)
        if (isDefault === false) database.run('UPDATE portfolios SET is_default = 0 WHERE id = ?', [id])
      }),

    remove: id =>
      database.transaction(() => {
        for (const sql of REMOVE) database.run(sql, [id])
      }),

    list: (owner, words, limit, offset) =>
      database
        .all<Row>(`${SELECT} WHERE p.owner = ? AND instr(p.folded, ?) > 0 ORDER BY p.folded, p.seq LIMIT ? OFFSET ?`, [
          ...[owner, words.toLowerCase(), limit, offset],
        ])
        .map(portfolioOf),

    count(owner, words) {
      const sql = 'SELECT count(*) AS n FROM portfolios WHERE owner = ? AND instr(folded, ?) > 0'
      return database.get<{ n: number }>(sql, [owner, words.toLowerCase()])?.n ?? 0
    },

    sharedWith: user =>
      database
        .all<Row>(
          `${SELECT} JOIN shares s ON s.portfolio = p.id
          WHERE s.user = ? AND instr(s.permissions, 'View') > 0 ORDER BY p.folded, p.seq`,
          [user],
        )
        .map(portfolioOf),

    shares(id) {
      const sql = 'SELECT user, permissions FROM shares WHERE portfolio = ? ORDER BY user'
      const rows = database.all<{ user: number; permissions: string }>(sql, [id])
      return new Map(rows.map(({ user, permissions }) => [user, permissions.split(',') as Permission[]]))
    },

    share(id, user, permissions) {
      if (permissions.length === 0) database.run('DELETE FROM shares WHERE portfolio = ? AND user = ?', [id, user])
      else database.run('INSERT OR REPLACE INTO shares VALUES (?, ?, ?)', [id, user, permissions.join(',')])
    },

    revokeAll: id => database.run('DELETE FROM shares WHERE portfolio = ?', [id]),

    rules(id) {
      const sql = 'SELECT code, active, params FROM portfolio_rules WHERE portfolio = ?'
      const rows = database.all<{ code: number; active: number; params: string }>(sql, [id])
      return new Map(rows.map(({ code, active, params }) => [code, { code, active: active === 1, params: JSON.parse(params) }]))
    },

    setRules: (id, settings) =>
      database.transaction(() => {
        const sql = 'INSERT OR REPLACE INTO portfolio_rules VALUES (?, ?, ?, ?)'
        for (const { code, active, params } of settings) database.run(sql, [id, code, Number(active), JSON.stringify(params)])
      }),

    resetRules: id => database.run('DELETE FROM portfolio_rules WHERE portfolio = ?', [id]),
  }
}
