/** Stores schedules, which put searches under monitoring, one for each search. The search has the criteria. */
import { randomUUID } from 'node:crypto'
import type { HitDecision } from '../../contract/index.ts'
import type { User } from '../auth/users.ts'
import type { Window } from '../http/route.ts'
import type { Database } from '../storage/database.ts'
import { type Hit, readSearch, type Search, type SearchRow, type Slice } from './searches-store.ts'

/** Times in milliseconds since 1970, people by their numbers. */
interface Stored {
  readonly id: string
  readonly isEmailRequired: boolean
  readonly emailRecipients: readonly string[]
  readonly createdAt: number
  readonly createdBy: number
  readonly modifiedAt: number
  readonly modifiedBy: number
}

export interface Schedule extends Stored {
  readonly search: Search
}

export interface DueSearch {
  readonly id: string
  readonly owner: number
  /** Null where its record is damaged. */
  readonly search: Search | null
  /** '' where it was never screened under monitoring. */
  readonly before: string
}

export type Mailing = Partial<Pick<Stored, 'isEmailRequired' | 'emailRecipients'>>

/** A hit of a search under monitoring. */
export interface Alert {
  readonly hit: Hit
  readonly type: Search['type']
  readonly schedule: string
}

type Row = SearchRow & { readonly terms: string }
type DueRow = SearchRow & { readonly seq: number; readonly lists: string; readonly id: string; readonly owner: number }
type AlertRow = { readonly record: string; readonly type: Search['type']; readonly schedule: string }

const JOINED = 'FROM schedules JOIN searches ON searches.id = schedules.search'
const SELECT = `SELECT searches.record, schedules.id AS schedule, schedules.record AS terms ${JOINED}`

const parse = (row: Row): Schedule => ({ ...(JSON.parse(row.terms) as Stored), search: readSearch(row) })

function readUndamaged(row: SearchRow): Search | null {
  try {
    return readSearch(row)
  } catch {
    return null
  }
}

export class ScheduleStore {
  readonly #database: Database
  readonly #now: () => number

  constructor(database: Database, now: () => number) {
    this.#database = database
    this.#now = now
  }

  /** Puts a search under monitoring that is not yet. */
  create(search: Search, by: User['person'], { isEmailRequired = false, emailRecipients = [] }: Mailing): Schedule {
    const at = this.#now()
    const id = randomUUID()
    const stored: Stored = { id, isEmailRequired, emailRecipients, createdAt: at, createdBy: by, modifiedAt: at, modifiedBy: by }
    const values = [id, search.owner, search.id, at, JSON.stringify(stored)]
    this.#database.run('INSERT INTO schedules (id, owner, search, modified, record) VALUES (?, ?, ?, ?, ?)', values)
    return { ...stored, search: { ...search, scheduleId: id } }
  }

  /** The schedule of this id, or of the search of this id, if it has this owner. */
  find(owner: number, id: string): Schedule | null {
    const row = this.#database.get<Row>(`${SELECT} WHERE schedules.owner = ? AND (schedules.id = ? OR schedules.search = ?)`, [
      owner,
      id,
      id,
    ])
    return row === null ? null : parse(row)
  }

  change({ search, ...before }: Schedule, by: User['person'], mailing: Mailing): Schedule {
    const stored: Stored = { ...before, ...mailing, modifiedAt: this.#now(), modifiedBy: by }
    const values = [stored.modifiedAt, JSON.stringify(stored), stored.id]
    this.#database.run('UPDATE schedules SET modified = ?, record = ? WHERE id = ?', values)
    return { ...stored, search }
  }

  remove({ id }: Schedule): void {
    this.#database.run('DELETE FROM schedules WHERE id = ?', [id])
  }

  /** Last modified first. */
  list(owner: number, { limit, offset }: Window): Slice<Schedule> {
    const order = 'ORDER BY schedules.modified DESC, schedules.seq DESC LIMIT ? OFFSET ?'
    const rows = this.#database.all<Row>(`${SELECT} WHERE schedules.owner = ? ${order}`, [owner, limit, offset])
    return {
      items: rows.map(parse),
      total: this.#database.count('SELECT count(*) AS n FROM schedules WHERE owner = ?', [owner]),
    }
  }

  /** The hits of all searches under monitoring, first created first; null matches all decisions. */
  alerts(owner: number, decisions: readonly HitDecision[] | null, { limit, offset }: Window): Slice<Alert> {
    const marks = decisions?.map(() => '?').join(', ')
    const where = `schedules.owner = ?${marks === undefined ? '' : ` AND hits.decision IN (${marks})`}`
    const from = `${JOINED} JOIN hits ON hits.search = schedules.search WHERE ${where}`
    const values = [owner, ...(decisions ?? [])]
    const sql = `SELECT hits.record, searches.type, schedules.id AS schedule ${from} ORDER BY hits.seq LIMIT ? OFFSET ?`
    const items = this.#database
      .all<AlertRow>(sql, [...values, limit, offset])
      .map(({ record, type, schedule }) => ({ hit: JSON.parse(record) as Hit, type, schedule }))
    return { items, total: this.#database.count(`SELECT count(*) AS n ${from}`, values) }
  }

  isEmpty(): boolean {
    return this.#database.get('SELECT 1 FROM schedules LIMIT 1') === null
  }

  /** Whether a search under monitoring was not screened by these lists. */
  isDue(lists: string): boolean {
    return this.#database.get('SELECT 1 FROM schedules WHERE lists <> ? LIMIT 1', [lists]) !== null
  }

  /**
   * The searches under monitoring, of all tenants, that were not screened by these lists, with the lists that each was screened by. Schedules may
   * come and go between two batches.
   */
  *due(lists: string): Generator<readonly DueSearch[]> {
    for (let after = 0; ; ) {
      const where = 'WHERE schedules.seq > ? AND schedules.lists <> ? ORDER BY schedules.seq LIMIT 500'
      const about = 'schedules.seq, schedules.lists, searches.id, searches.owner'
      const sql = `SELECT ${about}, searches.record, schedules.id AS schedule ${JOINED} ${where}`
      const rows = this.#database.all<DueRow>(sql, [after, lists])
      if (rows.length === 0) return
      yield rows.map(row => ({ id: row.id, owner: row.owner, search: readUndamaged(row), before: row.lists }))
      after = rows.at(-1)?.seq ?? after
    }
  }

  markScreened({ id }: Pick<Search, 'id'>, lists: string): void {
    this.#database.run('UPDATE schedules SET lists = ? WHERE search = ?', [lists, id])
  }
}
