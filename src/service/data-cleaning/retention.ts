/** Removes upload, results and enriched files of jobs that ended long ago. The job and its counts stay (faults S30). */
import { rm } from 'node:fs/promises'
import { JOB_STATUSES } from '../../contract/index.ts'
import type { AppDeps } from '../deps.ts'
import { removeAside } from '../storage/unnamed-files.ts'

/** Final statuses: neither the service nor, usually, the owner continues the job. */
const FINAL = JOB_STATUSES.filter(
  status => status.endsWith('Error') || ['jobMatchingComplete', 'enrichmentComplete', 'addedToPortfolio'].includes(status),
)

/** Jobs processed per query. */
const BATCH = 100

interface RetentionParts extends Pick<AppDeps, 'jobs' | 'files' | 'clock' | 'limits'> {
  readonly dataDir: string
  /** Receives failures; the next round retries. */
  readonly onError: (error: unknown) => void
}

/** Removes old files now and then periodically, until it is closed. */
export function startRetention({ jobs, files, dataDir, clock, limits, onError }: RetentionParts): { close(): Promise<void> } {
  const stop = new AbortController()

  const removeOld = async (): Promise<void> => {
    await removeAside(dataDir, clock.now() - limits.retentionMs)
    for (;;) {
      const old = jobs.withOldUpload(FINAL, clock.now() - limits.retentionMs, BATCH)
      for (const { id, upload } of old) {
        if (stop.signal.aborted) return
        const paths = [files.results(id), files.enriched(id, 'csv'), files.enriched(id, 'json')]
        // The record first: files left over are removed at the next start, but a named file that is missing would be an error.
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
