/** Stores events, their notices to portfolios, and which change sets they came from. */
import type { User } from '../auth/users.ts'
import type { Window } from '../http/route.ts'
import { MAY_SEE } from '../portfolios/store.ts'
import { type Database, freshNumber } from '../storage/database.ts'
import type { ActiveRule, NewEvent } from './events.ts'

/** An event in one portfolio; times in milliseconds since 1970. */
export interface Notice {
  readonly id: number
  readonly event: number
  readonly portfolio: number
  readonly portfolioName: string
  readonly connectId: string
  /** Null, like name and country, when the company's data has been removed. */
  readonly safeNumber: string | null
  readonly name: string | null
  readonly country: string | null
  readonly rule: number
  readonly text: string
  readonly old: string
  readonly new: string
  readonly at: number
  readonly created: number
  readonly processed: number | null
}

/** Filters of a list. The list has the notices of the user's own and shared portfolios. */
export interface NoticeFilter extends Window {
  readonly user: Pick<User, 'id' | 'person'>
  readonly portfolio?: number
  readonly connectId?: string
  readonly from?: number
  readonly to?: number
  /** Whether `from` and `to` limit the time of the event (default) or of its creation. */
  readonly dated?: 'at' | 'created'
  readonly words?: string
  readonly isProcessed?: boolean
  readonly sortBy?: keyof typeof ORDERS
  readonly sortDir?: 'asc' | 'desc'
}

const FROM = `
  FROM notifications n JOIN events e ON e.id = n.event JOIN portfolios p ON p.id = n.portfolio
  LEFT JOIN watched w ON w.connect_id = e.connect_id
`
const ORDERS = { companyName: 'w.name COLLATE NOCASE', countryCode: "nullif(w.country, '')", eventId: 'e.id', eventDate: 'e.at' }
const COLUMNS = `
  n.id, n.event, n.portfolio, p.name AS portfolioName, e.connect_id AS connectId, w.safe_number AS safeNumber, w.name, w.country,
  e.rule, n.text, e.old_value AS old, e.new_value AS new, e.at, e.created, n.processed
`

export function openEvents(database: Database, now: () => number) {
  const applied = (): Map<string, number> => {
    const rows = database.all<{ register: string; sequence: number }>('SELECT register, sequence FROM applied')
    return new Map(rows.map(({ register, sequence }) => [register, sequence]))
  }

  const newIdIn = (table: 'events' | 'notifications'): number =>
    freshNumber(id => database.get(`SELECT 1 FROM ${table} WHERE id = ?`, [id]) !== null)

  return {
    /** Sequence of the last change set of each register. */
    applied,

    /** Runs `work` and marks the change set as applied in one transaction. Does nothing for an applied set. */
    applyOnce: (register: string, sequence: number, work: () => void): void =>
      database.transaction(() => {
        if ((applied().get(register) ?? Number.NEGATIVE_INFINITY) >= sequence) return
        work()
        database.run('INSERT OR REPLACE INTO applied VALUES (?, ?)', [register, sequence])
      }),

    activeRules(connectId: string): ActiveRule[] {
      const sql = `SELECT r.portfolio, r.code, r.params FROM holdings h JOIN portfolio_rules r ON r.portfolio = h.portfolio
        JOIN portfolios p ON p.id = h.portfolio WHERE h.connect_id = ? AND r.active = 1 ORDER BY p.seq, r.code`
      const rows = database.all<{ portfolio: number; code: number; params: string }>(sql, [connectId])
      return rows.map(({ params, ...rule }) => ({ ...rule, params: JSON.parse(params) as string[] }))
    },

    add(connectId: string, event: NewEvent, at: number): void {
      const folded = `${event.rule.name}\n${event.old}\n${event.new}`.toLowerCase()
      const id = newIdIn('events')
      const columns = 'id, connect_id, rule, old_value, new_value, folded, at, created'
      const values = [id, connectId, event.rule.code, event.old, event.new, folded, at, now()]
      database.run(`INSERT INTO events (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, values)
      for (const { portfolio, text } of event.notices) {
        const sql = 'INSERT INTO notifications (id, event, portfolio, text) VALUES (?, ?, ?, ?)'
        database.run(sql, [newIdIn('notifications'), id, portfolio, text])
      }
    },

    list({ user, portfolio, connectId, from, to, isProcessed, limit, offset, ...filter }: NoticeFilter) {
      const { dated = 'at', sortBy = 'eventDate', sortDir = 'desc' } = filter
      const where = [MAY_SEE]
      const values: (string | number)[] = [user.id, user.person]
      const add = (sql: string, ...more: (string | number)[]): void => {
        where.push(sql)
        values.push(...more)
      }
      if (portfolio !== undefined) add('n.portfolio = ?', portfolio)
      if (connectId !== undefined) add('e.connect_id = ?', connectId)
      if (from !== undefined) add(`e.${dated} >= ?`, from)
      if (to !== undefined) add(`e.${dated} <= ?`, to)
      if (isProcessed !== undefined) add(`n.processed IS ${isProcessed ? 'NOT NULL' : 'NULL'}`)
      if (filter.words !== undefined) {
        const words = filter.words.toLowerCase()
        const anywhere = "(instr(coalesce(w.folded, ''), ?) > 0 OR instr(p.folded, ?) > 0 OR instr(e.folded, ?) > 0)"
        add(anywhere, words, words, words)
      }
      const rest = `${FROM} WHERE ${where.join(' AND ')}`
      const order = ORDERS[sortBy]
      const sql = `SELECT ${COLUMNS} ${rest} ORDER BY ${order} IS NULL, ${order} ${sortDir}, n.seq LIMIT ? OFFSET ?`
      return {
        total: database.count(`SELECT count(*) AS n ${rest}`, values),
        notices: database.all<Notice>(sql, [...values, limit, offset]),
      }
    },

    /** The portfolio of a notice, null for an unknown notice. */
    portfolioOf: (id: number): number | null =>
      database.get<{ portfolio: number }>('SELECT portfolio FROM notifications WHERE id = ?', [id])?.portfolio ?? null,

    /** Sets or clears the mark of a notice; returns false for an unknown notice. */
    mark: (portfolio: number, id: number, isProcessed: boolean): boolean =>
      database.transaction(() => {
        const sql = 'UPDATE notifications SET processed = ? WHERE id = ? AND portfolio = ?'
        database.run(sql, [isProcessed ? now() : null, id, portfolio])
        return database.count('SELECT changes() AS n') > 0
      }),
  }
}

export type EventStore = ReturnType<typeof openEvents>
