/**
 * Advances jobs through the statuses in which the service has work (contract §5.6, §14.1). The stored status is the whole
 * state: a step reads it, works, and stores the next one, so that a job found at start resumes.
 */
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { KnownStatus } from '../../../contract/index.ts'
import type { Clock } from '../../clock.ts'
import { CsvFault } from '../../csv/csv.ts'
import { isOfDirectors } from '../../enrichment/tags.ts'
import type { Limits } from '../../limits.ts'
import type { ListFacts, Query } from '../../matching/types.ts'
import type { Play } from '../../plays.ts'
import { Refusal } from '../../refusal.ts'
import type { CurrentRegisters, OpenRegister } from '../../registers/current.ts'
import type { Engine } from '../../registers/engine.ts'
import { currentDirectors, type Officers, SAMPLE } from '../../registers/index.ts'
import { isDiskTrouble } from '../../storage/database.ts'
import type { Job, JobPatch, JobStore, MatchedRegisters, RowCounts } from '../jobs-store.ts'
import { enrichFile, writeJson } from './enriched-file.ts'
import { makePaces, type Pace, Stopped } from './job-pace.ts'
import { factsOf } from './list-sample.ts'
import { matchFile } from './match-file.ts'
import { enrichAside } from './threads.ts'

/** Paths in `uploads/` and `files/` of a data directory. Names are ids of the service, never text of a caller. */
export const jobFilesIn = (dataDir: string) => ({
  upload: (id: string): string => join(dataDir, 'uploads', `${id}.csv`),
  results: (id: string): string => join(dataDir, 'files', `${id}.results.jsonl`),
  enriched: (id: string, fileType: string): string => join(dataDir, 'files', `${id}.${fileType}`),
})

export type JobFiles = ReturnType<typeof jobFilesIn>

/** The status of a job whose work failed, where it is not `matchingError`. */
const FAILED: Partial<Readonly<Record<KnownStatus, KnownStatus>>> = {
  enriching: 'enrichmentError',
  addingToPortfolio: 'addedToPortfolioError',
}

/** Adds the companies of a job to its portfolio and returns the number of that. `results` is the path of the file of row results. */
export type AddResults = (job: Job, results: string, engine: Engine, pace: Pace) => Promise<number>

export interface WorkerParts {
  readonly jobs: JobStore
  /** Passes a step an engine that stays the same until it has ended. */
  readonly using: CurrentRegisters['using']
  readonly files: JobFiles
  readonly play: Play
  readonly addResults: AddResults
  readonly clock: Clock
  readonly limits: Limits
  /** A pause per row in milliseconds, for tests; 0 for none. */
  readonly rowPauseMs: number
  /** `matched`: jobs stop there. */
  readonly stopAt: 'matched' | null
  readonly onError: (jobId: string, error: unknown) => void
}

/** The sample is part of the package. */
const matchedRegister = ({ name, snapshotDate, sha256 }: OpenRegister): MatchedRegisters[number] =>
  name === SAMPLE ? { name, snapshotDate: null, sha256: null } : { name, snapshotDate, sha256 }

export class JobWorker {
  readonly #parts: WorkerParts
  readonly #stop = new AbortController()
  readonly #newPace: () => Pace
  readonly #running = new Map<string, Promise<void>>()
  readonly #queue = new Set<string>()
  /** Running jobs that only wait for a reader: they do not count against the limit. */
  #resting = 0
  readonly #readers = new Map<string, AbortController>()
  readonly #counts = new Map<string, RowCounts>()
  /** Enriched files that are being written as JSON. */
  readonly #beingMade = new Map<string, Promise<void>>()
  /** The work in a status; it returns what else changes with the next status. */
  readonly #steps: Partial<Record<KnownStatus, (job: Job, pace: Pace) => Promise<JobPatch>>> = {
    matching: (job, pace) => this.#match(job, pace),
    enriching: (job, pace) => this.#enrich(job, pace),
    addingToPortfolio: async (job, pace) => {
      const { files, using, addResults } = this.#parts
      return { portfolioId: await using(engine => addResults(job, files.results(job.id), engine, pace)) }
    },
  }

  constructor(parts: WorkerParts) {
    this.#parts = parts
    this.#newPace = makePaces({
      clock: parts.clock,
      sliceMs: parts.limits.sliceMs,
      pauseMs: parts.rowPauseMs,
      signal: this.#stop.signal,
    })
  }

  /** Starts the jobs that an earlier process left unfinished. */
  resume(): void {
    for (const job of this.#parts.jobs.withStatus(Object.keys(this.#parts.play.next))) this.wake(job.id)
  }

  /** Starts a job whose status has work; ignores a running one. */
  wake(id: string): void {
    if (this.#running.has(id)) return
    this.#queue.add(id)
    this.#fill()
  }

  /** The counts of a job that is matching; undefined before its first row. */
  countsOf(id: string): Readonly<RowCounts> | undefined {
    return this.#counts.get(id)
  }

  /** Makes the enriched file as JSON, once; resolves when it is there. */
  json(id: string): Promise<void> {
    const { enriched } = this.#parts.files
    const making = this.#beingMade.get(id) ?? writeJson(enriched(id, 'csv'), enriched(id, 'json'), this.#newPace())
    this.#beingMade.set(id, making)
    return making.finally(() => this.#beingMade.delete(id))
  }

  /** The facts of a list, from these rows as its sample. */
  factsOf(rows: readonly Query[], precision: number | undefined): Promise<ListFacts> {
    return this.#parts.using(engine => factsOf(rows, engine, { pace: this.#newPace(), precision }))
  }

  /** Call when a client has read the job. */
  seen(id: string): void {
    this.#readers.get(id)?.abort()
  }

  /** Stops after the current rows; resolves when all work has stopped. */
  async close(): Promise<void> {
    this.#stop.abort()
    await Promise.all(this.#running.values())
  }

  async #match(job: Job, pace: Pace): Promise<JobPatch> {
    if (job.upload === null) throw new Error('a job at matching has no upload')
    const { files, play, limits, using } = this.#parts
    const { id, hasHeader } = job.upload
    const common = { source: files.upload(id), hasHeader, mappings: job.mappings, target: files.results(job.id) }
    const task = { ...common, list: job, byHand: play.matchesByHand }
    const matching = using(async (engine, registers) => ({
      ...(await matchFile(task, engine, { pace, limits, onRow: counts => this.#counts.set(job.id, counts) })),
      registers: registers.map(matchedRegister),
    }))
    return matching.finally(() => this.#counts.delete(job.id))
  }

  async #enrich(job: Job, pace: Pace): Promise<JobPatch> {
    if (job.upload === null) throw new Error('a job at enriching has no upload')
    const { files, play, limits, using, rowPauseMs } = this.#parts
    const { id, hasHeader } = job.upload
    const paths = { source: files.upload(id), results: files.results(job.id), csv: files.enriched(job.id, 'csv') }
    const task = { ...paths, hasHeader, tags: job.enrichments ?? [], matchColumns: play.matchColumns }
    // Officers are read from a file that is open here.
    const isAside = rowPauseMs === 0 && !task.tags.some(isOfDirectors)
    const enrich = (engine: Engine, _: readonly OpenRegister[], officers: Officers): Promise<string[]> => {
      const aside = isAside ? enrichAside(engine, job.summary?.totalRows ?? 0) : null
      const { find, registers } = engine
      const companies = { find, registers, directorsOf: currentDirectors(officers) }
      return (
        aside?.({ task, limits, safeDigits: play.safeDigits }, this.#stop.signal) ?? enrichFile(task, companies, pace, limits)
      )
    }
    return { countries: await using(enrich) }
  }

  #findNext({ status, addTo }: Job): KnownStatus | undefined {
    if (status === 'matched' && this.#parts.stopAt === 'matched') return undefined
    return status === 'enriched' && addTo !== undefined ? 'addingToPortfolio' : this.#parts.play.next[status]
  }

  /** Waits until a client has read the job, or for a limited time, so that a polling client sees this status. */
  async #waitForReader(id: string): Promise<void> {
    const reader = new AbortController()
    this.#readers.set(id, reader)
    this.#resting += 1
    this.#fill()
    const { clock, limits, play } = this.#parts
    await clock.sleep(limits.matchedMs * play.patience, AbortSignal.any([reader.signal, this.#stop.signal]))
    this.#resting -= 1
    this.#readers.delete(id)
  }

  #describeFailure(job: Job, error: unknown): JobPatch {
    if (error instanceof CsvFault) return { status: 'transformFileError', details: error.message }
    if (error instanceof Refusal) return { status: 'addedToPortfolioError', details: error.message }
    this.#parts.onError(job.id, error)
    return { status: FAILED[job.status] ?? 'matchingError', details: 'the service could not finish its work' }
  }

  async #advance(id: string): Promise<void> {
    const { jobs, play, clock, limits, onError } = this.#parts
    const pace = this.#newPace()
    for (;;) {
      await setImmediate()
      if (this.#stop.signal.aborted) return
      const job = jobs.read(id)
      const next = this.#findNext(job)
      if (next === undefined) return
      try {
        if (play.held.includes(job.status)) await this.#waitForReader(id)
        const patch = await this.#steps[job.status]?.(job, pace)
        // A job interrupted by closing resumes from its stored status.
        if (this.#stop.signal.aborted) return
        // A request may have changed the status meanwhile.
        if (jobs.read(id).status === job.status) jobs.change(id, { status: next, ...patch })
      } catch (error) {
        if (error instanceof Stopped) return
        if (isDiskTrouble(error)) {
          // The job does not fail: it continues once the disk can be written, here or after a restart.
          onError(id, error)
          await clock.sleep(limits.diskMs, this.#stop.signal)
          continue
        }
        const { status = job.status, ...failed } = this.#describeFailure(job, error)
        jobs.change(id, { ...failed, status: play.errors[status] ?? status })
        return
      }
    }
  }

  #fill(): void {
    while (this.#running.size - this.#resting < this.#parts.limits.jobsAtOnce && !this.#stop.signal.aborted) {
      const [id] = this.#queue
      if (id === undefined) return
      this.#queue.delete(id)
      const work = this.#advance(id)
        .catch(error => this.#parts.onError(id, error))
        .finally(() => {
          this.#running.delete(id)
          this.#fill()
        })
      this.#running.set(id, work)
    }
  }
}
