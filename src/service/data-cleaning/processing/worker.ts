/**
 * Carries jobs through the statuses in which the service has work to do: contract §5.6, §14.1. The status in the store is the
 * whole state: a step reads it, does its work, and stores the next status, so that a job found at start simply goes on. It knows
 * no request.
 */
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { KnownStatus } from '../../../contract/index.ts'
import type { Clock } from '../../clock.ts'
import { CsvFault } from '../../csv/csv-text.ts'
import type { Limits } from '../../limits.ts'
import type { Engine } from '../../registers/engine.ts'
import { isDiskTrouble } from '../../storage/disk.ts'
import { WORKING } from '../job-transitions.ts'
import type { Job, JobPatch, JobStore } from '../jobs-store.ts'
import { enrichFile } from './enriched-file.ts'
import { makePaces, type Pace, Stopped } from './job-pace.ts'
import { matchFile } from './match-file.ts'

/** Where the files of a job lie. */
export interface JobFiles {
  upload(uploadId: string): string
  results(jobId: string): string
  enriched(jobId: string, fileType: string): string
}

/** The files of a data directory: `uploads/` and `files/`. Names are ids of ours, never text of a caller. */
export const jobFilesIn = (dataDir: string): JobFiles => ({
  upload: id => join(dataDir, 'uploads', `${id}.csv`),
  results: id => join(dataDir, 'files', `${id}.results.jsonl`),
  enriched: (id, fileType) => join(dataDir, 'files', `${id}.${fileType}`),
})

/** What a worker works with. */
export interface WorkerParts {
  readonly jobs: JobStore
  readonly engine: Engine
  readonly files: JobFiles
  readonly clock: Clock
  readonly limits: Limits
  /** A pause per row, so that a rehearsal can catch a job at work; 0 for none. */
  readonly rowPauseMs: number
  /** `matched` when the walk is to end there. */
  readonly stopAt: 'matched' | null
  /** Told of a step that broke for a reason of our own. */
  readonly onError: (jobId: string, error: unknown) => void
}

/** The service's hands. */
export interface Worker {
  /** Takes up this job if its status is one to work on; a job already in hand is left alone. */
  wake(id: string): void
  /** Tells that somebody has read this job. */
  seen(id: string): void
  /** Stops after the rows in hand; resolves when all work has really stopped. */
  close(): Promise<void>
}

type Step = (job: Job, pace: Pace) => Promise<JobPatch>

/** Makes the worker and takes up every job that was left at work. */
export function startWorker(parts: WorkerParts): Worker {
  const { jobs, engine, files, clock, limits } = parts
  const stop = new AbortController()
  const newPace = makePaces({ clock, sliceMs: limits.sliceMs, pauseMs: parts.rowPauseMs, signal: stop.signal })
  const inHand = new Map<string, Promise<void>>()
  const queue = new Set<string>()
  /** Jobs in hand that only wait to be seen: they keep no other from being taken up. */
  let resting = 0
  const readers = new Map<string, AbortController>()

  const step: Partial<Record<KnownStatus, Step>> = {
    matching: async (job, pace) => {
      if (job.upload === null) throw new Error('a job at matching has no upload')
      const { id, hasHeader } = job.upload
      const task = { source: files.upload(id), hasHeader, mappings: job.mappings, target: files.results(job.id) }
      return { status: 'matched', summary: await matchFile(task, engine, pace, limits) }
    },
    // Seen once, or left alone for a while: a poller that asks in between learns that matching is over.
    matched: async job => {
      const reader = new AbortController()
      readers.set(job.id, reader)
      resting += 1
      fill()
      await clock.sleep(limits.matchedMs, AbortSignal.any([reader.signal, stop.signal]))
      resting -= 1
      readers.delete(job.id)
      return { status: 'aggregating' }
    },
    // Nothing is left to gather: the summary was counted while matching. The statuses belong to the documented walk.
    aggregating: async () => ({ status: 'aggregatingComplete' }),
    aggregatingComplete: async () => ({ status: 'jobMatchingComplete' }),
    readyForEnriching: async () => ({ status: 'enriching' }),
    enriching: async (job, pace) => {
      if (job.upload === null) throw new Error('a job at enriching has no upload')
      const { id, hasHeader } = job.upload
      const [csv, json] = [files.enriched(job.id, 'csv'), files.enriched(job.id, 'json')]
      const task = {
        source: files.upload(id),
        hasHeader,
        results: files.results(job.id),
        tags: job.enrichments ?? [],
        csv,
        json,
      }
      return { status: 'enriched', countries: await enrichFile(task, engine, pace, limits) }
    },
    enriched: async () => ({ status: 'enrichmentComplete' }),
  }
  if (parts.stopAt === 'matched') delete step.matched

  const failure = (job: Job, error: unknown): JobPatch => {
    if (error instanceof CsvFault) return { status: 'transformFileError', details: error.message }
    parts.onError(job.id, error)
    const status = job.status === 'enriching' ? 'enrichmentError' : 'matchingError'
    return { status, details: 'the service could not finish its work' }
  }

  const carry = async (id: string): Promise<void> => {
    const pace = newPace()
    for (;;) {
      await setImmediate()
      if (stop.signal.aborted) return
      const job = jobs.read(id)
      const next = step[job.status]
      if (next === undefined) return
      try {
        const patch = await next(job, pace)
        // A walk cut short by closing is taken up again from the status it had.
        if (stop.signal.aborted) return
        jobs.change(id, patch)
      } catch (error) {
        if (error instanceof Stopped) return
        if (isDiskTrouble(error)) {
          // No verdict on the job: it goes on when there is room again, here or after a restart.
          parts.onError(id, error)
          await clock.sleep(limits.diskMs, stop.signal)
          continue
        }
        jobs.change(id, failure(job, error))
        return
      }
    }
  }

  const fill = (): void => {
    while (inHand.size - resting < limits.jobsAtOnce && !stop.signal.aborted) {
      const [id] = queue
      if (id === undefined) return
      queue.delete(id)
      const work = carry(id)
        .catch(error => parts.onError(id, error))
        .finally(() => {
          inHand.delete(id)
          fill()
        })
      inHand.set(id, work)
    }
  }

  const worker: Worker = {
    wake(id) {
      if (inHand.has(id)) return
      queue.add(id)
      fill()
    },
    seen: id => readers.get(id)?.abort(),
    async close() {
      stop.abort()
      await Promise.all(inHand.values())
    },
  }
  for (const job of jobs.withStatus(WORKING)) worker.wake(job.id)
  return worker
}
