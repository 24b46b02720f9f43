/** Stores the companies of portfolios with the notes of the portfolio's owner, and the last known state of each company. */
import type { User } from '../auth/users.ts'
import { safeNumber as safeNumberOf } from '../enrichment/tags.ts'
import type { Window } from '../http/route.ts'
import type { Database } from '../storage/database.ts'
import { type Facts, type Registered, readFacts } from './company-facts.ts'
import { MAY_SEE } from './store.ts'

export interface Notes {
  readonly reference: string | null
  readonly freeText: string | null
  readonly personalLimit: string | number | null
}

/** A company in a portfolio; times in milliseconds since 1970. */
export interface Holding extends Notes {
  readonly portfolio: number
  readonly connectId: string
  readonly safeNumber: string
  readonly country: string
  readonly facts: Facts
  readonly added: number
  readonly modified: number
  readonly lastEvent: number | null
}

/** A holding in the database: its facts are JSON. */
type Row = Omit<Holding, 'facts'> & { readonly facts: string }

const LAST_EVENT = `
  SELECT max(e.at) FROM events e JOIN notifications n ON n.event = e.id
  WHERE e.connect_id = h.connect_id AND n.portfolio = h.portfolio
`
const SELECT = `
  SELECT h.portfolio, h.connect_id AS connectId, w.safe_number AS safeNumber, w.country, w.facts, h.reference, h.free_text AS freeText,
    h.personal_limit AS personalLimit, h.added, h.modified, (${LAST_EVENT}) AS lastEvent
  FROM holdings h JOIN watched w ON w.connect_id = h.connect_id
`

const readHolding = (row: Row): Holding => ({ ...row, facts: JSON.parse(row.facts) as Facts })

export class HoldingStore {
  readonly #database: Database
  readonly #now: () => number

  constructor(database: Database, now: () => number) {
    this.#database = database
    this.#now = now
  }

  find(portfolio: number, companyId: string): Holding | null {
    const id = 'SELECT connect_id FROM watched WHERE connect_id = ?2 UNION SELECT connect_id FROM watched WHERE safe_number = ?2'
    const row = this.#database.get<Row>(`${SELECT} WHERE h.portfolio = ?1 AND h.connect_id IN (${id})`, [portfolio, companyId])
    return row === null ? null : readHolding(row)
  }

  change(portfolio: number, connectId: string, { reference, freeText, personalLimit }: Notes): void {
    const sql =
      'UPDATE holdings SET reference = ?, free_text = ?, personal_limit = ?, modified = ? WHERE portfolio = ? AND connect_id = ?'
    this.#database.run(sql, [reference, freeText, personalLimit, this.#now(), portfolio, connectId])
  }

  /** Returns false, without a change, when the portfolio already has the company. */
  add(portfolio: number, company: Registered, notes: Notes): boolean {
    return this.#database.transaction(() => {
      this.#watch(company)
      return this.#insert(portfolio, company.connectId, notes)
    })
  }

  put(portfolio: number, company: Registered, notes: Notes, importId: number): void {
    this.#database.transaction(() => {
      const { connectId } = company
      this.#watch(company)
      if (!this.#insert(portfolio, connectId, notes)) this.change(portfolio, connectId, notes)
      const sql = 'UPDATE holdings SET import = ? WHERE portfolio = ? AND connect_id = ?'
      this.#database.run(sql, [importId, portfolio, connectId])
    })
  }

  remove(portfolio: number, connectId: string): void {
    this.#database.run('DELETE FROM holdings WHERE portfolio = ? AND connect_id = ?', [portfolio, connectId])
  }

  clear(portfolio: number): number {
    return this.#database.transaction(() => {
      this.#database.run('DELETE FROM holdings WHERE portfolio = ?', [portfolio])
      return this.#changes()
    })
  }

  /** Removes the companies that were added before this time and not marked by this import; returns their number. */
  removeUnmarked(portfolio: number, importId: number, before: number): number {
    return this.#database.transaction(() => {
      const sql = 'DELETE FROM holdings WHERE portfolio = ? AND import IS NOT ? AND added <= ?'
      this.#database.run(sql, [portfolio, importId, before])
      return this.#changes()
    })
  }

  /** Copies a company with its notes; returns false when the target already has it. */
  copy(from: number, to: number, connectId: string): boolean {
    const holding = this.find(from, connectId)
    return holding !== null && this.#insert(to, holding.connectId, holding)
  }

  ids(portfolio: number): string[] {
    return this.#database
      .all<Row>('SELECT connect_id AS connectId FROM holdings WHERE portfolio = ? ORDER BY connect_id', [portfolio])
      .map(row => row.connectId)
  }

  count(portfolio: number): number {
    return this.#database.count('SELECT count(*) AS n FROM holdings WHERE portfolio = ?', [portfolio])
  }

  /** Companies of a country in the portfolios of a user, each portfolio by itself. */
  countIn(owner: number, country: string): number {
    return this.#database.count(
      `SELECT count(*) AS n FROM holdings h JOIN portfolios p ON p.id = h.portfolio
          JOIN watched w ON w.connect_id = h.connect_id WHERE p.owner = ? AND w.country = ?`,
      [owner, country],
    )
  }

  countries(portfolio: number): string[] {
    const sql = `SELECT DISTINCT w.country FROM holdings h JOIN watched w ON w.connect_id = h.connect_id
        WHERE h.portfolio = ? AND w.country <> '' ORDER BY w.country`
    return this.#database.all<Row>(sql, [portfolio]).map(row => row.country)
  }

  ratings(portfolio: number): ReadonlyMap<string, number> {
    const sql = `SELECT upper(trim(json_extract(w.facts, '$.rating'))) AS rating, count(*) AS n
        FROM holdings h JOIN watched w ON w.connect_id = h.connect_id WHERE h.portfolio = ? GROUP BY 1`
    return new Map(this.#database.all<{ rating: string; n: number }>(sql, [portfolio]).map(({ rating, n }) => [rating, n]))
  }

  isVisible({ id, person }: Pick<User, 'id' | 'person'>, connectId: string): boolean {
    const sql = `SELECT count(*) AS n FROM holdings h JOIN portfolios p ON p.id = h.portfolio WHERE ${MAY_SEE} AND h.connect_id = ?`
    return this.#database.count(sql, [id, person, connectId]) > 0
  }

  /** '' matches everything. */
  list(portfolio: number, words: string, country: string, { limit, offset }: Window) {
    const where = `WHERE h.portfolio = ?1 AND (?2 = '' OR w.country = ?2)
        AND (?3 = '' OR instr(w.folded, ?3) > 0 OR instr(lower(coalesce(h.reference, '')), ?3) > 0)`
    const values = [portfolio, country, words.toLowerCase()]
    const from = 'FROM holdings h JOIN watched w ON w.connect_id = h.connect_id'
    const rows = this.#database.all<Row>(`${SELECT} ${where} ORDER BY w.folded LIMIT ?4 OFFSET ?5`, [...values, limit, offset])
    return { total: this.#database.count(`SELECT count(*) AS n ${from} ${where}`, values), holdings: rows.map(readHolding) }
  }

  watched(): ReadonlyMap<string, Facts> {
    const sql =
      'SELECT connect_id AS connectId, facts FROM watched w WHERE EXISTS (SELECT 1 FROM holdings h WHERE h.connect_id = w.connect_id)'
    const rows = this.#database.all<Row>(sql)
    return new Map(rows.map(row => [row.connectId, JSON.parse(row.facts) as Facts]))
  }

  known(connectId: string): { readonly facts: Facts; readonly country: string } | null {
    const row = this.#database.get<Row>('SELECT facts, country FROM watched WHERE connect_id = ?', [connectId])
    return row === null ? null : { facts: JSON.parse(row.facts) as Facts, country: row.country }
  }

  learn(connectId: string, facts: Facts): void {
    const row = this.#database.get<Row>('SELECT safe_number AS safeNumber, country FROM watched WHERE connect_id = ?', [
      connectId,
    ])
    if (row !== null) this.#learn(connectId, row.safeNumber, row.country, facts)
  }

  #learn(connectId: string, safeNumber: string, country: string, facts: Facts): void {
    const folded = `${facts.name}\n${connectId}\n${safeNumber}`.toLowerCase()
    const values = [connectId, safeNumber, country, facts.name, folded, JSON.stringify(facts)]
    this.#database.run('INSERT OR REPLACE INTO watched VALUES (?, ?, ?, ?, ?, ?)', values)
  }

  /** A company in another portfolio keeps its known state: monitoring has yet to report its changes. */
  #watch(company: Registered): void {
    const { connectId, country } = company
    const isHeld = this.#database.count('SELECT count(*) AS n FROM holdings WHERE connect_id = ?', [connectId]) > 0
    if (!isHeld) this.#learn(connectId, safeNumberOf(company), country, readFacts(company))
  }

  #insert(portfolio: number, connectId: string, { reference, freeText, personalLimit }: Notes): boolean {
    if (
      this.#database.count('SELECT count(*) AS n FROM holdings WHERE portfolio = ? AND connect_id = ?', [portfolio, connectId]) >
      0
    )
      return false
    const values = [portfolio, connectId, reference, freeText, personalLimit, this.#now(), this.#now()]
    this.#database.run('INSERT INTO holdings VALUES (?, ?, ?, ?, ?, ?, ?, NULL)', values)
    return true
  }

  #changes(): number {
    return this.#database.count('SELECT changes() AS n')
  }
}
