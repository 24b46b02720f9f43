/** Events and the notices of them to portfolios, as they are kept, and which change sets they came from. It knows no rule. */

import { MAY_SEE } from '../portfolios/store.ts'
import type { Database } from '../storage/database.ts'
import { freshNumber } from '../storage/ids.ts'
import type { ActiveRule, Made } from './events.ts'

/** An event as one portfolio's owner is told of it; instants in milliseconds since 1970. */
export interface Notice {
  readonly id: number
  readonly event: number
  readonly portfolio: number
  readonly portfolioName: string
  readonly connectId: string
  /** Null, like name and country, when nothing is known of the company any more. */
  readonly safeNumber: string | null
  readonly name: string | null
  readonly country: string | null
  readonly rule: number
  readonly text: string
  readonly old: string
  readonly new: string
  readonly at: number
  readonly created: number
  /** When it was marked as dealt with. */
  readonly processed: number | null
}

/** Filters of a list; null does not filter. Who asks sees the notices of own portfolios, and of those shared with them to view. */
export interface NoticeFilter {
  readonly user: number
  readonly portfolio: number | null
  readonly connectId: string | null
  readonly from: number | null
  readonly to: number | null
  /** Whether `from` and `to` are about the event or about its creation. */
  readonly dated: 'at' | 'created'
  /** A part of company, ids, portfolio, rule or values in any case. */
  readonly words: string | null
  readonly isProcessed: boolean | null
  readonly sortBy: 'companyName' | 'countryCode' | 'eventId' | 'eventDate'
  readonly sortDir: 'asc' | 'desc'
  readonly limit: number
  readonly offset: number
}

/** The events of one data directory. Every change is durable when the call returns. */
export interface EventStore {
  /** Sequence of the last change set of each register. */
  applied(): ReadonlyMap<string, number>
  /** Carries out the work of a change set unless it was carried out before: both are one transaction. */
  applyOnce(register: string, sequence: number, work: () => void): void
  /** The active rules of the portfolios that hold this company. */
  activeRules(connectId: string): ActiveRule[]
  /** Keeps an event with its notices. */
  add(connectId: string, made: Made, at: number): void
  list(filter: NoticeFilter): { readonly total: number; readonly notices: Notice[] }
  /** Marks a notice of a portfolio, or takes the mark away; false when there is none. */
  mark(portfolio: number, id: number, isProcessed: boolean): boolean
}

const FROM = `
  FROM notifications n JOIN events e ON e.id = n.event JOIN portfolios p ON p.id = n.portfolio
  LEFT JOIN watched w ON w.connect_id = e.connect_id
`
const ORDERS = { companyName: 'w.name COLLATE NOCASE', countryCode: "nullif(w.country, '')", eventId: 'e.seq', eventDate: 'e.at' }
const COLUMNS = `
  n.id, n.event, n.portfolio, p.name AS portfolioName, e.connect_id AS connectId, w.safe_number AS safeNumber, w.name, w.country,
  e.rule, n.text, e.old_value AS old, e.new_value AS new, e.at, e.created, n.processed
`

/** The event store on this database; `now` stamps what is created and marked. */
export function openEvents(database: Database, now: () => number): EventStore {
  const applied = (): Map<string, number> =>
    new Map(
      database
        .all<{ register: string; sequence: number }>('SELECT register, sequence FROM applied')
        .map(({ register, sequence }) => [register, sequence]),
    )

  const freshIn = (table: 'events' | 'notifications'): number =>
    freshNumber(id => database.get(`SELECT 1 FROM ${table} WHERE id = ?`, [id]) !== null)

  return {
    applied,

    applyOnce: (register, sequence, work) =>
      database.transaction(() => {
        if ((applied().get(register) ?? Number.NEGATIVE_INFINITY) >= sequence) return
        work()
        database.run('INSERT OR REPLACE INTO applied VALUES (?, ?)', [register, sequence])
      }),

    activeRules(connectId) {
      const sql = `SELECT r.portfolio, r.code, r.params FROM holdings h JOIN portfolio_rules r ON r.portfolio = h.portfolio
        JOIN portfolios p ON p.id = h.portfolio WHERE h.connect_id = ? AND r.active = 1 ORDER BY p.seq, r.code`
      const rows = database.all<{ portfolio: number; code: number; params: string }>(sql, [connectId])
      return rows.map(({ params, ...rule }) => ({ ...rule, params: JSON.parse(params) as string[] }))
    },

    add(connectId, made, at) {
      const folded = `${made.rule.name}\n${made.old}\n${made.new}`.toLowerCase()
      const event = freshIn('events')
      const columns = 'id, connect_id, rule, old_value, new_value, folded, at, created'
      const values = [event, connectId, made.rule.code, made.old, made.new, folded, at, now()]
      database.run(`INSERT INTO events (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, values)
      for (const { portfolio, text } of made.notices) {
        const sql = 'INSERT INTO notifications (id, event, portfolio, text) VALUES (?, ?, ?, ?)'
        database.run(sql, [freshIn('notifications'), event, portfolio, text])
      }
    },

    list(filter) {
      const where = [MAY_SEE]
      const values: (string | number)[] = [filter.user, filter.user]
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
      const total = database.get<{ n: number }>(`SELECT count(*) AS n ${rest}`, values)?.n ?? 0
      return { total, notices: database.all<Notice>(sql, [...values, filter.limit, filter.offset]) }
    },

    mark: (portfolio, id, isProcessed) =>
      database.transaction(() => {
        const sql = 'UPDATE notifications SET processed = ? WHERE id = ? AND portfolio = ?'
        database.run(sql, [isProcessed ? now() : null, id, portfolio])
        return (database.get<{ n: number }>('SELECT changes() AS n')?.n ?? 0) > 0
      }),
  }
}
