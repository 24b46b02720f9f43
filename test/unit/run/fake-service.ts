/**
 * A fake of the service port that records every effect. The status advances with each read; answers can be lost, reads can fail. After
 * a lost answer or a refusal it calls `look`, as the port promises.
 */
import type { JobRecord, UploadRecord } from '../../../src/contract/index.ts'
import { FettleError } from '../../../src/errors.ts'
import type { CallOptions, Download, Effect, EffectOptions, Upload } from '../../../src/model/requests.ts'
import { isRefusal } from '../../../src/run/job-lookup.ts'
import type { Service } from '../../../src/run/ports.ts'

/** The state of one job at the service. */
export interface RemoteJob {
  readonly id: string
  readonly name: string
  status: string
  /** Statuses still to come, one a read. */
  ahead: string[]
  uploads: number
  mappings: readonly { mapping: string; value: string }[]
  submits: number
  tags: readonly string[]
  enriches: number
  archives: number
}

export type EffectName = 'createJob' | 'upload' | 'submit' | 'enrich'
export type CallName = EffectName | 'findJobs' | 'readJob' | 'setMappings' | 'setEnrichments' | 'openEnrichedFile' | 'archive'

export class FakeService implements Service {
  readonly jobs: RemoteJob[] = []
  readonly calls: CallName[] = []
  /** Statuses after submit and after enrich. */
  matching = ['matching', 'matched', 'aggregating', 'aggregatingComplete', 'jobMatchingComplete']
  enriching = ['readyForEnriching', 'enriching', 'enriched', 'enrichmentComplete']
  uploading = ['uploaded']
  /** Of a service without submit: how it answers it. The job then starts after this many reads as `ready`. */
  noSubmit: { readonly status: number; readonly reads: number } | null = null
  /** Counts of some of the rows, one for each read while it matches. */
  early: Record<string, number>[] = []
  summary: Record<string, number> | null = { totalRows: 10, matched: 6, manualMatched: 1, unmatched: 2, duplicates: 1 }
  file = 'one\ntwo\nthree\n'
  /** Lose the next answer: before the effect (the request never arrived) or after it. */
  lose: Partial<Record<EffectName, 'before' | 'after'>> = {}
  /** Called at the start and after each call; may throw, abort signals, change the service. */
  before: (call: CallName, options?: CallOptions) => void = () => {}
  after: (call: CallName) => void = () => {}

  get only(): RemoteJob {
    const [job, ...others] = this.jobs
    if (job === undefined || others.length > 0) throw new Error(`${this.jobs.length} jobs`)
    return job
  }

  async #call<T>(name: CallName, options: CallOptions | undefined, body: () => T): Promise<T> {
    options?.signal?.throwIfAborted()
    this.calls.push(name)
    if (options?.meter !== undefined) options.meter.requests++
    this.before(name, options)
    options?.signal?.throwIfAborted()
    const value = body()
    this.after(name)
    return value
  }

  async #effect<T>(name: EffectName, options: EffectOptions<T>, body: () => T): Promise<Effect<T>> {
    const lost = this.lose[name]
    delete this.lose[name]
    if (lost !== 'before') {
      try {
        const value = await this.#call(name, options, body)
        if (lost === undefined) return { value, adopted: false }
      } catch (error) {
        if (!isRefusal(error)) throw error
        const found = await options.look('refused')
        if (found === undefined) throw error
        return { value: found, adopted: true }
      }
    }
    const found = await options.look('lost')
    return found === undefined ? this.#effect(name, options, body) : { value: found, adopted: true }
  }

  async authenticate(options?: CallOptions): Promise<void> {
    options?.signal?.throwIfAborted()
  }

  #find(id: string): RemoteJob {
    const job = this.jobs.find(one => one.id === id)
    if (job === undefined) throw new FettleError('FETTLE_NOT_FOUND', `no job ${id}`, { status: 404 })
    return job
  }

  #need(job: RemoteJob, ...statuses: string[]): void {
    if (!statuses.includes(job.status)) throw refusal(`status is ${job.status}; needed is ${statuses.join(' or ')}`)
  }

  #record({ id, name, status, archives }: RemoteJob): JobRecord {
    const isCounted = !['created', 'uploading', 'uploadError', 'uploaded', 'ready', 'matching'].includes(status)
    const archived = archives > 0 ? { archived: true } : {}
    const early = status === 'matching' ? this.early.shift() : undefined
    if (early !== undefined) return { id, name, status, ...archived, jobSummary: early }
    return { id, name, status, ...archived, ...(this.summary !== null && isCounted ? { jobSummary: this.summary } : {}) }
  }

  add(name: string): RemoteJob {
    const fresh = { id: `job-${this.jobs.length + 1}`, name, status: 'created', ahead: [], uploads: 0, mappings: [] }
    const job: RemoteJob = { ...fresh, submits: 0, tags: [], enriches: 0, archives: 0 }
    this.jobs.push(job)
    return job
  }

  createJob(name: string, options: EffectOptions<JobRecord>): Promise<Effect<JobRecord>> {
    return this.#effect('createJob', options, () => this.#record(this.add(name)))
  }

  findJobs(name: string, options?: CallOptions): Promise<readonly JobRecord[]> {
    return this.#call('findJobs', options, () => this.jobs.filter(job => job.name === name).map(job => this.#record(job)))
  }

  readJob(id: string, options?: CallOptions): Promise<JobRecord> {
    return this.#call('readJob', options, () => {
      const job = this.#find(id)
      job.status = job.ahead.shift() ?? job.status
      return this.#record(job)
    })
  }

  async upload(id: string, upload: Upload, options: EffectOptions<UploadRecord | null>): Promise<Effect<UploadRecord | null>> {
    const bytes: Uint8Array[] = []
    for await (const chunk of upload.open()) bytes.push(chunk)
    return this.#effect('upload', options, () => {
      const job = this.#find(id)
      this.#need(job, 'created', 'uploaded', 'ready', 'uploadError')
      job.uploads++
      job.ahead = [...this.uploading]
      job.status = job.ahead.shift() ?? 'uploaded'
      upload.onProgress?.(Buffer.concat(bytes).length)
      return { id: `file-${job.uploads}` }
    })
  }

  setMappings(id: string, mappings: readonly { mapping: string; value: string }[], options?: CallOptions): Promise<void> {
    return this.#call('setMappings', options, () => {
      const job = this.#find(id)
      this.#need(job, 'uploaded', 'ready')
      Object.assign(job, { mappings, status: 'ready' })
      if (this.noSubmit !== null) job.ahead = [...Array(this.noSubmit.reads).fill('ready'), ...this.matching]
    })
  }

  submit(id: string, options: EffectOptions<string | null>): Promise<Effect<string | null>> {
    return this.#effect('submit', options, () => {
      const job = this.#find(id)
      if (this.noSubmit !== null) throw missing(this.noSubmit.status)
      this.#need(job, 'ready')
      job.submits++
      job.ahead = [...this.matching]
      job.status = job.ahead.shift() ?? 'matching'
      return 'message-1'
    })
  }

  setEnrichments(id: string, tags: readonly string[], options?: CallOptions): Promise<void> {
    return this.#call('setEnrichments', options, () => {
      this.#find(id).tags = tags
    })
  }

  enrich(id: string, options: EffectOptions<null>): Promise<Effect<null>> {
    return this.#effect('enrich', options, () => {
      const job = this.#find(id)
      this.#need(job, 'jobMatchingComplete', 'readyForEnriching')
      job.enriches++
      job.ahead = [...this.enriching]
      job.status = job.ahead.shift() ?? 'enriching'
      return null
    })
  }

  archive(id: string, options?: CallOptions): Promise<JobRecord> {
    return this.#call('archive', options, () => {
      const job = this.#find(id)
      job.archives++
      return this.#record(job)
    })
  }

  openEnrichedFile(id: string, options?: CallOptions): Promise<Download> {
    return this.#call('openEnrichedFile', options, () => {
      const job = this.#find(id)
      if (job.status !== 'enrichmentComplete')
        throw new FettleError('FETTLE_NOT_FOUND', `status is ${job.status}`, { status: 404 })
      const bytes = Buffer.from(this.file)
      return {
        bytes: bytes.length,
        body: (async function* () {
          yield bytes
        })(),
      }
    })
  }
}

const missing = (status: number): FettleError =>
  new FettleError(status === 404 ? 'FETTLE_NOT_FOUND' : 'FETTLE_REJECTED', 'no such operation', { status })

export const refusal = (why: string, status = 400): FettleError =>
  new FettleError('FETTLE_REJECTED', `refused: ${why}`, { status })
