/** Stores data-cleaning jobs, one row per job, owned by a user. */
import { randomUUID } from 'node:crypto'
import type { ColumnMapping, CompanyNumbers, InRegister, JobSummary, KnownStatus } from '../../contract/index.ts'
import type { User } from '../auth/users.ts'
import type { Database } from '../storage/database.ts'

/** Four disjoint counts that add up to `totalRows`; rows in review count as unmatched (contract §14.1). */
export type Summary = Readonly<Record<'totalRows' | 'matched' | 'manualMatched' | 'unmatched' | 'duplicates', number>>

/** The counts of the rows that are matched so far. */
export type RowCounts = Omit<Summary, 'totalRows'>

/** The file of a job, stored under `id` in the uploads folder; its name is never part of a path (faults H18). */
export interface Upload {
  readonly id: string
  readonly filename: string
  readonly hasHeader: boolean
  /** Columns of the first record; null when unreadable. */
  readonly columns: number | null
  readonly bytes: number
  readonly createdAt: number
}

/** The registers that rows were matched against; the sample, which is part of the package, has neither date nor digest. */
export type MatchedRegisters = NonNullable<JobSummary['registers']>

/** Times are milliseconds since 1970. */
export interface Job {
  readonly id: string
  /** The tenant. */
  readonly owner: number
  /** The person who created it. */
  readonly by: number
  readonly name: string
  readonly status: KnownStatus
  readonly createdAt: number
  readonly modifiedAt: number
  readonly archived: boolean
  readonly upload: Upload | null
  readonly mappings: readonly ColumnMapping[]
  /** The selected tags; null before the selection. */
  readonly enrichments: readonly string[] | null
  readonly summary: Summary | null
  /** Countries of the matched companies, known after enrichment. */
  readonly countries: readonly string[]
  readonly details: string | null
  /** Id of the portfolio that takes the companies found, as the client named it; absent without one. */
  readonly addTo?: string
  /** How much of the list is in the register: named by the client, or estimated by the time it is matched. */
  readonly inRegister?: InRegister
  /** Whether its company numbers are reliable, likewise. */
  readonly companyNumbers?: CompanyNumbers
  /** The share of its matches that should be right, as the client wished. */
  readonly precision?: number
  /** Absent before matching. */
  readonly registers?: MatchedRegisters
  /** The portfolio that has taken them. */
  readonly portfolioId?: number
}

/** What a client may ask for when it creates a job. */
type JobRequest = Pick<Job, 'addTo' | 'inRegister' | 'companyNumbers' | 'precision'>

/** A null filter accepts every job. */
export interface JobFilter {
  readonly statuses: readonly string[] | null
  /** A part of the name; case is ignored. */
  readonly name: string | null
  readonly countries: readonly string[] | null
  readonly from: number | null
  readonly to: number | null
  readonly archived: boolean | null
  readonly by: number | null
  readonly limit: number
  readonly offset: number
}

export type JobPatch = Partial<Omit<Job, 'id' | 'owner' | 'by' | 'name' | 'createdAt' | 'modifiedAt' | 'addTo'>>

type Row = { readonly record: string }

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

const USAGE = `
  SELECT owner, count(*) AS files, coalesce(sum(json_extract(record, '$.upload.bytes')), 0) AS bytes
  FROM jobs WHERE json_extract(record, '$.upload.id') IS NOT NULL GROUP BY owner
`

const marks = (values: readonly unknown[]): string => values.map(() => '?').join(', ')
const readJob = (row: Row): Job => JSON.parse(row.record) as Job

export class JobStore {
  readonly #database: Database
  readonly #now: () => number
  /** Files and bytes of each tenant. */
  readonly #used: Map<number, { readonly files: number; readonly bytes: number }>

  constructor(database: Database, now: () => number) {
    this.#database = database
    this.#now = now
    const uses = database.all<{ owner: number; files: number; bytes: number }>(USAGE)
    this.#used = new Map(uses.map(({ owner, files, bytes }) => [owner, { files, bytes }]))
  }

  /** A job of any owner; throws for an unknown id. */
  read(id: string): Job {
    const job = this.#find(id)
    if (job === null) throw new Error(`there is no job ${id}`)
    return job
  }

  usage(owner: number) {
    return this.#used.get(owner) ?? { files: 0, bytes: 0 }
  }

  create({ id: owner, person: by }: Pick<User, 'id' | 'person'>, name: string, request: JobRequest = {}): Job {
    const at = this.#now()
    const job: Job = {
      id: randomUUID(),
      owner,
      by,
      name,
      status: 'created',
      createdAt: at,
      modifiedAt: at,
      archived: false,
      upload: null,
      mappings: [],
      enrichments: null,
      summary: null,
      countries: [],
      details: null,
      addTo: request.addTo,
      inRegister: request.inRegister,
      companyNumbers: request.companyNumbers,
      precision: request.precision,
    }
    this.#database.run(
      "INSERT INTO jobs (id, owner, folded, status, created, archived, countries, record) VALUES (?, ?, ?, ?, ?, 0, '', ?)",
      [job.id, owner, name.toLowerCase(), job.status, at, JSON.stringify(job)],
    )
    return job
  }

  /** The job when it exists and belongs to the owner. */
  find(owner: number, id: string): Job | null {
    const job = UUID.test(id) ? this.#find(id) : null
    return job?.owner === owner ? job : null
  }

  change(id: string, patch: JobPatch): Job {
    const before = this.read(id)
    const job = { ...before, ...patch, modifiedAt: this.#now() }
    const values = [job.status, Number(job.archived), `,${job.countries.join(',')},`, JSON.stringify(job), id]
    this.#database.run('UPDATE jobs SET status = ?, archived = ?, countries = ?, record = ? WHERE id = ?', values)
    this.#account(job.owner, before.upload, -1)
    this.#account(job.owner, job.upload, 1)
    return job
  }

  /** Newest first. */
  list(owner: number, filter: JobFilter): Job[] {
    const where = ['owner = ?']
    const values: (string | number)[] = [owner]
    const add = (sql: string, ...more: (string | number)[]): void => {
      where.push(sql)
      values.push(...more)
    }
    if (filter.statuses !== null) add(`status IN (${marks(filter.statuses)})`, ...filter.statuses)
    if (filter.name !== null) add('instr(folded, ?) > 0', filter.name.toLowerCase())
    if (filter.from !== null) add('created >= ?', filter.from)
    if (filter.to !== null) add('created <= ?', filter.to)
    if (filter.archived !== null) add('archived = ?', Number(filter.archived))
    if (filter.by !== null) add("json_extract(record, '$.by') = ?", filter.by)
    const codes = filter.countries?.map(code => `,${code},`)
    if (codes !== undefined) add(`(${codes.map(() => 'instr(countries, ?) > 0').join(' OR ')})`, ...codes)
    const sql = `SELECT record FROM jobs WHERE ${where.join(' AND ')} ORDER BY seq DESC LIMIT ? OFFSET ?`
    return this.#database.all<Row>(sql, [...values, filter.limit, filter.offset]).map(readJob)
  }

  withStatus(statuses: readonly string[]): Job[] {
    return this.#database
      .all<Row>(`SELECT record FROM jobs WHERE status IN (${marks(statuses)}) ORDER BY seq`, [...statuses])
      .map(readJob)
  }

  counts(): ReadonlyMap<string, number> {
    const rows = this.#database.all<{ status: string; n: number }>('SELECT status, count(*) AS n FROM jobs GROUP BY status')
    return new Map(rows.map(({ status, n }) => [status, n]))
  }

  /** At most `limit` jobs in these statuses that have a file and were last changed before this time. */
  withOldUpload(statuses: readonly string[], before: number, limit: number): Job[] {
    const sql = `SELECT record FROM jobs WHERE status IN (${marks(statuses)}) AND created < ?
        AND json_extract(record, '$.upload.id') IS NOT NULL AND json_extract(record, '$.modifiedAt') < ?
        ORDER BY seq LIMIT ?`
    return this.#database.all<Row>(sql, [...statuses, before, before, limit]).map(readJob)
  }

  fileless(): Set<string> {
    const sql = "SELECT id FROM jobs WHERE json_extract(record, '$.upload.id') IS NULL"
    return new Set(this.#database.all<{ id: string }>(sql).map(({ id }) => id))
  }

  keptIds(): Set<string> {
    const sql = "SELECT id, json_extract(record, '$.upload.id') AS upload FROM jobs WHERE upload IS NOT NULL"
    return new Set(this.#database.all<{ id: string; upload: string }>(sql).flatMap(row => [row.id, row.upload]))
  }

  #find(id: string): Job | null {
    const row = this.#database.get<Row>('SELECT record FROM jobs WHERE id = ?', [id])
    return row === null ? null : readJob(row)
  }

  #account(owner: number, upload: Upload | null, sign: 1 | -1): void {
    if (upload === null) return
    const { files, bytes } = this.usage(owner)
    this.#used.set(owner, { files: files + sign, bytes: bytes + sign * (upload.bytes ?? 0) })
  }
}

/** Every change is durable when the call returns. */
