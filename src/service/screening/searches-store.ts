/**
 * Stores AML searches, their hits, and which records of a hit were read at which time. Rows belong to a user through their
 * search.
 */
import { randomUUID } from 'node:crypto'
import type { HitDecision, RiskRating, SearchStatus } from '../../contract/index.ts'
import type { User } from '../auth/users.ts'
import type { Window } from '../http/route.ts'
import type { Database } from '../storage/database.ts'
import type { Found, Question } from './spellings.ts'

type HitCounts = Readonly<Record<HitDecision, number>>

interface Tracked {
  readonly note: string | null
  readonly createdAt: number
  readonly modifiedAt: number
  readonly modifiedBy: number
}

/** A search of a tenant, its `owner`; times in milliseconds since 1970, people by their numbers. */
export interface Search extends Question, Tracked {
  readonly id: string
  readonly owner: number
  readonly createdBy: number
  readonly status: SearchStatus
  readonly riskRating: RiskRating
  readonly assignedTo: number | null
  readonly hits: HitCounts
  /** Under which it is monitored. */
  readonly scheduleId: string | null
}

export type Hit = Found & Tracked & { readonly id: string; readonly search: string; readonly decision: HitDecision }

/** A hit of a later screening. */
export interface PairedHit {
  readonly found: Found
  /** The stored hit that it is; null for a new one. */
  readonly stored: Hit | null
  /** Why the decision about a stored hit does not hold for a new one; null without one. */
  readonly note: string | null
}

export type Slice<Item> = { readonly items: readonly Item[]; readonly total: number }

export type SearchPatch = Partial<Pick<Search, 'status' | 'riskRating' | 'assignedTo' | 'note'>>
export type HitPatch = Partial<Pick<Hit, 'decision' | 'note'>>

type Row = { readonly record: string }

export type SearchRow = Row & { readonly schedule: string | null }

/** Parses a stored search; its schedule is in a separate table. */
export const readSearch = ({ record, schedule }: SearchRow): Search => ({
  ...(JSON.parse(record) as Search),
  scheduleId: schedule,
})

const FROM = 'FROM searches LEFT JOIN schedules ON schedules.search = searches.id'
const SELECT = `SELECT searches.record, schedules.id AS schedule ${FROM}`

const NONE: HitCounts = { undecided: 0, trueMatch: 0, falsePositive: 0, discarded: 0 }

export class SearchStore {
  readonly #database: Database
  readonly #now: () => number

  constructor(database: Database, now: () => number) {
    this.#database = database
    this.#now = now
  }

  create({ id: owner, person: by }: Pick<User, 'id' | 'person'>, question: Question, found: readonly Found[]): Search {
    return this.#database.transaction(() => {
      const at = this.#now()
      const search: Search = {
        ...{ id: randomUUID(), owner, createdBy: by, ...question },
        ...{ status: 'new', riskRating: 'notApplicable', assignedTo: null, note: null },
        ...{ createdAt: at, modifiedAt: at, modifiedBy: by, hits: { ...NONE, undecided: found.length } },
        scheduleId: null,
      }
      const values = [search.id, owner, search.type, at, JSON.stringify(search)]
      this.#database.run('INSERT INTO searches (id, owner, type, modified, record) VALUES (?, ?, ?, ?, ?)', values)
      for (const hit of found) this.#insertHit(search.id, by, hit)
      return search
    })
  }

  /** The search if it exists and has this type and owner. */
  find(owner: number, type: Question['type'], id: string): Search | null {
    const values = [id, owner, type]
    const where = 'WHERE searches.id = ? AND searches.owner = ? AND searches.type = ?'
    const row = this.#database.get<SearchRow>(`${SELECT} ${where}`, values)
    return row === null ? null : readSearch(row)
  }

  change(search: Search, by: number, patch: SearchPatch): Search {
    return this.#write({ ...search, ...patch, modifiedAt: this.#now(), modifiedBy: by })
  }

  /** Screens again on other terms: the hits are replaced, and their decisions with them. */
  rescreen(search: Search, by: number, terms: Pick<Question, 'threshold' | 'datasets'>, found: readonly Found[]): Search {
    return this.#database.transaction(() => {
      this.#database.run('DELETE FROM snapshots WHERE hit IN (SELECT id FROM hits WHERE search = ?)', [search.id])
      this.#database.run('DELETE FROM hits WHERE search = ?', [search.id])
      for (const hit of found) this.#insertHit(search.id, by, hit)
      const hits = { ...NONE, undecided: found.length }
      return this.#write({ ...search, ...terms, hits, modifiedAt: this.#now(), modifiedBy: by })
    })
  }

  /**
   * Takes the hits of a later screening. A decision stays with the facts of its entry, under any id; with other facts the entry is a new hit, undecided,
   * whose note explains what changed. Hits without a decision that are gone are removed. Call it in a transaction. Returns the number of new hits.
   */
  refresh({ id, createdBy }: Search, pair: (stored: readonly Hit[]) => readonly PairedHit[]): number {
    const rows = this.#database.all<Row>('SELECT record FROM hits WHERE search = ? ORDER BY seq', [id])
    const stored = rows.map(row => this.#parse<Hit>(row))
    const pairs = pair(stored)
    const kept = new Set(pairs.map(pair => pair.stored))
    const gone = stored.filter(hit => hit.decision === 'undecided' && !kept.has(hit))
    for (const hit of gone) {
      this.#database.run('DELETE FROM snapshots WHERE hit = ?', [hit.id])
      this.#database.run('DELETE FROM hits WHERE id = ?', [hit.id])
    }
    const fresh = pairs.filter(pair => pair.stored === null)
    for (const { found: hit, note } of fresh) this.#insertHit(id, createdBy, hit, note)
    for (const { found: hit, stored: before } of pairs) {
      if (before === null) continue
      const { entry, score, match } = hit
      const isSame = before.score === score && before.match === match && JSON.stringify(before.entry) === JSON.stringify(entry)
      if (!isSame) this.#writeHit({ ...before, entry, score, match, modifiedAt: this.#now() })
    }
    if (fresh.length + gone.length > 0) this.#recount(id)
    return fresh.length
  }

  /** Last modified first; `isScheduled` keeps those under monitoring, or the others. */
  list(owner: number, type: Question['type'], { limit, offset }: Window, isScheduled?: boolean): Slice<Search> {
    const isKept = isScheduled === undefined ? '' : ` AND schedules.id IS ${isScheduled ? 'NOT ' : ''}NULL`
    const where = `WHERE searches.owner = ? AND searches.type = ?${isKept}`
    const order = 'ORDER BY searches.modified DESC, searches.seq DESC LIMIT ? OFFSET ?'
    const rows = this.#database.all<SearchRow>(`${SELECT} ${where} ${order}`, [owner, type, limit, offset])
    return {
      items: rows.map(readSearch),
      total: this.#database.count(`SELECT count(*) AS n ${FROM} ${where}`, [owner, type]),
    }
  }

  /** The hit if it belongs to this search. */
  hit(search: Search, id: string): Hit | null {
    const row = this.#database.get<Row>('SELECT record FROM hits WHERE id = ? AND search = ?', [id, search.id])
    return row === null ? null : this.#parse<Hit>(row)
  }

  /** Best first; null matches all decisions. */
  hits(search: Search, decisions: readonly HitDecision[] | null, { limit, offset }: Window): Slice<Hit> {
    const marks = decisions?.map(() => '?').join(', ')
    const where = `search = ?${marks === undefined ? '' : ` AND decision IN (${marks})`}`
    const values = [search.id, ...(decisions ?? [])]
    const order = "ORDER BY json_extract(record, '$.score') DESC, seq"
    const sql = `SELECT record FROM hits WHERE ${where} ${order} LIMIT ? OFFSET ?`
    const rows = this.#database.all<Row>(sql, [...values, limit, offset])
    const total = this.#database.count(`SELECT count(*) AS n FROM hits WHERE ${where}`, values)
    return { items: rows.map(row => this.#parse<Hit>(row)), total }
  }

  changeHit(before: Hit, by: number, patch: HitPatch): Hit {
    return this.#database.transaction(() => {
      const hit: Hit = { ...before, ...patch, modifiedAt: this.#now(), modifiedBy: by }
      this.#writeHit(hit)
      this.#recount(hit.search)
      return hit
    })
  }

  keepSnapshot(hit: Hit, body: unknown): void {
    this.#database.run('INSERT INTO snapshots (hit, at, body) VALUES (?, ?, ?)', [hit.id, this.#now(), JSON.stringify(body)])
  }

  /** Times at which the record was read, first to last. */
  snapshotsOf(hit: Hit): readonly number[] {
    return this.#database.all<{ at: number }>('SELECT at FROM snapshots WHERE hit = ? ORDER BY seq', [hit.id]).map(row => row.at)
  }

  #parse<T>(row: Row): T {
    return JSON.parse(row.record) as T
  }

  #insertHit(search: string, by: number, { list, entry, match, score }: Found, note: string | null = null): void {
    const at = this.#now()
    const hit: Hit = {
      ...{ id: randomUUID(), search, list, entry, match, score, decision: 'undecided', note },
      ...{ createdAt: at, modifiedAt: at, modifiedBy: by },
    }
    const values = [hit.id, search, hit.decision, JSON.stringify(hit)]
    this.#database.run('INSERT INTO hits (id, search, decision, record) VALUES (?, ?, ?, ?)', values)
  }

  #writeHit(hit: Hit): void {
    this.#database.run('UPDATE hits SET decision = ?, record = ? WHERE id = ?', [hit.decision, JSON.stringify(hit), hit.id])
  }

  #write(search: Search): Search {
    const { scheduleId: _, ...stored } = search
    const values = [search.modifiedAt, JSON.stringify(stored), search.id]
    this.#database.run('UPDATE searches SET modified = ?, record = ? WHERE id = ?', values)
    return search
  }

  #recount(id: string): void {
    const row = this.#database.get<Row>('SELECT record FROM searches WHERE id = ?', [id])
    const sql = 'SELECT decision, count(*) AS n FROM hits WHERE search = ? GROUP BY decision'
    const counted = this.#database.all<{ decision: HitDecision; n: number }>(sql, [id])
    const hits = { ...NONE, ...Object.fromEntries(counted.map(({ decision, n }) => [decision, n])) }
    if (row !== null) this.#write({ ...this.#parse<Search>(row), hits })
  }
}
