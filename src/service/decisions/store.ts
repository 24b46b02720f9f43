/**
 * Stores decision trees and the decisions made by them. Nothing is changed or removed: a changed tree is a new version, and what people add
 * about a decision is added to it. The database refuses any other statement (tables.json).
 */
import type { DecisionTable } from '../../decide/table.ts'
import type { User } from '../auth/users.ts'
import type { Window } from '../http/route.ts'
import { type Database, freshNumber } from '../storage/database.ts'

type AnyMap = Readonly<Record<string, unknown>>

export interface Outcome {
  readonly status: number
  readonly label: string
  readonly description?: string
}

/** What a user can set of a tree. */
export interface TreeContent {
  readonly name: string
  readonly templateId: string
  readonly customerId: number | null
  readonly inputParams: AnyMap | null
  readonly scalarVariables: AnyMap | null
  readonly table: DecisionTable
  /** Whether people may change the status of its decisions. */
  readonly isReviewed: boolean
  readonly outcomes: readonly Outcome[]
}

/** A version of a tree of a tenant, its `owner`; times in milliseconds since 1970, people by their numbers. */
export interface Tree extends TreeContent {
  readonly owner: number
  readonly guid: string
  /** From 1. */
  readonly version: number
  readonly modifiedAt: number
  readonly modifiedBy: number
}

/** A decision as it was made. */
export interface Made {
  readonly guid: string
  readonly version: number
  readonly treeName: string
  readonly companyId: string
  readonly companyName: string
  /** The values of the fields of the table; a missing one is absent. */
  readonly inputs: Readonly<Record<string, string>>
  readonly rule: string
  readonly status: number
  readonly response: AnyMap
  readonly originationId: string | null
}

/** With what people added to it since. */
export interface Decision extends Made {
  readonly id: number
  readonly at: number
  readonly by: number
  readonly notes: string | null
  readonly modifiedAt: number
}

export interface DecisionFilter {
  readonly guid?: string | undefined
  readonly companyId?: string | undefined
  readonly companyName?: string | undefined
  readonly status?: number | undefined
  readonly from?: number | undefined
  /** Before this time. */
  readonly until?: number | undefined
}

type Person = Pick<User, 'id' | 'person'>
type TreeRow = { readonly record: string }
type DecisionRow = { readonly id: number; readonly at: number; readonly record: string } & {
  readonly status: number
  readonly notes: string | null
  readonly modified: number
}

const LAST_VERSION = 'version = (SELECT max(version) FROM trees v WHERE v.owner = t.owner AND v.guid = t.guid)'
const lastOf = (column: string): string =>
  `(SELECT ${column} FROM decision_notes n WHERE n.decision = d.id AND n.${column} IS NOT NULL ORDER BY n.seq DESC LIMIT 1)`
const STATUS = `coalesce(${lastOf('status')}, d.status)`
const SELECT = `SELECT d.id, d.at, d.record, ${STATUS} AS status, ${lastOf('notes')} AS notes, coalesce(${lastOf('at')}, d.at) AS modified
  FROM decisions d`

const readDecision = ({ id, at, record, status, notes, modified }: DecisionRow): Decision => ({
  ...(JSON.parse(record) as Made & { by: number }),
  ...{ id, at, status, notes, modifiedAt: modified },
})

export class DecisionStore {
  readonly #database: Database
  readonly #now: () => number

  constructor(database: Database, now: () => number) {
    this.#database = database
    this.#now = now
  }

  /** The last version of a tree. */
  findTree(owner: number, guid: string): Tree | null {
    const sql = `SELECT record FROM trees t WHERE owner = ? AND guid = ? AND ${LAST_VERSION}`
    const row = this.#database.get<TreeRow>(sql, [owner, guid])
    return row === null ? null : (JSON.parse(row.record) as Tree)
  }

  /** By name. */
  trees(owner: number): readonly Tree[] {
    const sql = `SELECT record FROM trees t WHERE owner = ? AND ${LAST_VERSION} ORDER BY folded, guid`
    return this.#database.all<TreeRow>(sql, [owner]).map(row => JSON.parse(row.record) as Tree)
  }

  countVersions(owner: number): number {
    return this.#database.count('SELECT count(*) AS n FROM trees WHERE owner = ?', [owner])
  }

  /** Adds a version; `before` is the last one. */
  addVersion({ id: owner, person }: Person, guid: string, before: Tree | null, content: TreeContent): Tree {
    const version = (before?.version ?? 0) + 1
    const tree: Tree = { owner, guid, version, ...content, modifiedAt: this.#now(), modifiedBy: person }
    const sql = 'INSERT INTO trees (owner, guid, version, folded, record) VALUES (?, ?, ?, ?, ?)'
    this.#database.run(sql, [owner, guid, version, content.name.toLowerCase(), JSON.stringify(tree)])
    return tree
  }

  add({ id: owner, person: by }: Person, made: Made): void {
    this.#database.transaction(() => {
      const id = freshNumber(number => this.#database.get('SELECT 1 FROM decisions WHERE id = ?', [number]) !== null)
      const sql = 'INSERT INTO decisions (id, owner, guid, company, folded, status, at, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?)'
      const record = JSON.stringify({ ...made, by })
      const { guid, companyId, companyName, status } = made
      this.#database.run(sql, [id, owner, guid, companyId, companyName.toLowerCase(), status, this.#now(), record])
    })
  }

  find(owner: number, id: number): Decision | null {
    const row = this.#database.get<DecisionRow>(`${SELECT} WHERE d.owner = ? AND d.id = ?`, [owner, id])
    return row === null ? null : readDecision(row)
  }

  /** Last first. */
  list(filter: DecisionFilter & { readonly owner: number }, { limit, offset }: Window) {
    const { owner, guid, companyId, companyName, status, from, until } = filter
    const conditions: [string, string | number | undefined][] = [
      ['d.owner = ?', owner],
      ['d.guid = ?', guid],
      ['d.company = ?', companyId],
      ['instr(d.folded, ?) > 0', companyName?.toLowerCase()],
      [`${STATUS} = ?`, status],
      ['d.at >= ?', from],
      ['d.at < ?', until],
    ]
    const used = conditions.flatMap(([sql, value]) => (value === undefined ? [] : [{ sql, value }]))
    const where = used.map(({ sql }) => sql).join(' AND ')
    const values = used.map(({ value }) => value)
    const rows = this.#database.all<DecisionRow>(`${SELECT} WHERE ${where} ORDER BY d.seq DESC LIMIT ? OFFSET ?`, [
      ...values,
      limit,
      offset,
    ])
    const total = this.#database.count(`SELECT count(*) AS n FROM decisions d WHERE ${where}`, values)
    return { total, decisions: rows.map(readDecision) }
  }

  annotate({ id }: Decision, by: number, { status, notes }: { status?: number | undefined; notes?: string | undefined }): void {
    const sql = 'INSERT INTO decision_notes (decision, status, notes, by, at) VALUES (?, ?, ?, ?, ?)'
    this.#database.run(sql, [id, status ?? null, notes ?? null, by, this.#now()])
  }
}
