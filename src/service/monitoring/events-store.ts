/** Stores events, their notices to portfolios, and which change sets they came from. */
import type { User } from '../auth/users.ts'
import type { Window } from '../http/paging.ts'
import { MAY_SEE } from '../portfolios/store.ts'
import type { Database } from '../storage/database.ts'
import { freshNumber } from '../storage/ids.ts'
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

/** Filters of a list; null matches everything. The list has the notices of the user's own and shared portfolios. */
export interface NoticeFilter extends Window {
  readonly user: Pick<User, 'id' | 'person'>
  readonly portfolio: number | null
  readonly connectId: string | null
  readonly from: number | null
  readonly to: number | null
  /** Whether `from` and `to` limit the time of the event or of its creation. */
  readonly dated: 'at' | 'created'
  readonly words: string | null
  readonly isProcessed: boolean | null
  readonly sortBy: 'companyName' | 'countryCode' | 'eventId' | 'eventDate'
  readonly sortDir: 'asc' | 'desc'
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

/** `now` returns the time of a creation or mark. */
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

    list(filter: NoticeFilter) {
      const where = [MAY_SEE]
      const values: (string | number)[] = [filter.user.id, filter.user.person]
      const add = (sql: string, ...more: (string | number)[]): void => {
        where.push(sql)
        values.push(...more)
      }
      if (filter.portfolio !== null) add('n.portfolio = ?', filter.portfolio)
      if (filter.connectId !== null) add('e.connect_id = ?', filter.connectId)
      if (filter.from !== null) add(`e.${filter.dated} >= ?`, filter.from)
      if (filter.to !== null) add(`e.${filter.dated} <= ?`, filter.to)
      if (filter.isProcessed !== null) add(`n.processed IS ${filter.isProcessed ? 'NOT NULL' : 'NULL'}`)
      if (filter.words !== null) {
        const words = filter.words.toLowerCase()
        const anywhere = "(instr(coalesce(w.folded, ''), ?) > 0 OR instr(p.folded, ?) > 0 OR instr(e.folded, ?) > 0)"
        add(anywhere, words, words, words)
      }
      const rest = `${FROM} WHERE ${where.join(' AND ')}`
      const order = ORDERS[filter.sortBy]
      const sql = `SELECT ${COLUMNS} ${rest} ORDER BY ${order} IS NULL, ${order} ${filter.sortDir}, n.seq LIMIT ? OFFSET ?`
      return {
        total: database.count(`SELECT count(*) AS n ${rest}`, values),
        notices: database.all<Notice>(sql, [...values, filter.limit, filter.offset]),
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

/** The events of one data directory. Every change is durable when the call returns. */
export type EventStore = ReturnType<typeof openEvents>
