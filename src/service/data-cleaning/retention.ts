/**
 * Removes the files of jobs that came to their end long ago: upload, results, enriched files. The job itself stays, with its
 * counts (faults S30). It never touches a job that anybody still waits for.
 */
import { rm } from 'node:fs/promises'
import { JOB_STATUSES } from '../../contract/index.ts'
import type { Clock } from '../clock.ts'
import type { Limits } from '../limits.ts'
import { removeAside } from '../storage/unnamed-files.ts'
import type { JobStore } from './jobs-store.ts'
import type { JobFiles } from './processing/worker.ts'

/** Statuses at which a job rests: neither the service nor, in the usual course, its owner goes on from there. */
const AT_REST = JOB_STATUSES.filter(
  status => status.endsWith('Error') || ['jobMatchingComplete', 'enrichmentComplete', 'addedToPortfolio'].includes(status),
)

/** Jobs looked after in one go, so that requests get their turn. */
const BATCH = 100

/** What is needed to remove files. */
export interface RetentionParts {
  readonly jobs: JobStore
  readonly files: JobFiles
  readonly dataDir: string
  readonly clock: Clock
  readonly limits: Limits
  /** Told of a failure; the next round tries again. */
  readonly onError: (error: unknown) => void
}

/** Removes what is old now, then again and again; gives what ends it. */
export function startRetention({ jobs, files, dataDir, clock, limits, onError }: RetentionParts): { close(): Promise<void> } {
  const stop = new AbortController()

  const removeOld = async (): Promise<void> => {
    await removeAside(dataDir, clock.now() - limits.retentionMs)
    for (;;) {
      const old = jobs.withOldUpload(AT_REST, clock.now() - limits.retentionMs, BATCH)
      for (const { id, upload } of old) {
        if (stop.signal.aborted) return
        const paths = [files.results(id), files.enriched(id, 'csv'), files.enriched(id, 'json')]
        // First the record: what is left of the files is tidied at the next start, a named one that is gone would be a fault.
        jobs.change(id, { upload: null })
        for (const path of upload === null ? paths : [files.upload(upload.id), ...paths]) await rm(path, { force: true })
      }
      if (old.length < BATCH) return
    }
  }
  const run = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await removeOld().catch(onError)
      await clock.sleep(limits.retentionCheckMs, stop.signal)
    }
  }
  const running = run()
  return {
    async close() {
      stop.abort()
      await running
    },
  }
}
