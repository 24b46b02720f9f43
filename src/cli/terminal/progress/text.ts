/** Events and progress of a run as text, for a log line or a redrawn line. */

import type { RunEventInput, RunState } from '../../../journal/index.ts'
import { bytes, count, counted, duration } from '../../../report/words.ts'
import type { ProgressEvent } from '../../../run/index.ts'

/** No estimate before a rate is measured this long. */
const ESTIMATE_MS = 1_000

/** Progress since a start, in any unit: the basis of an estimate. */
export interface JobProgress {
  readonly startedAt: number
  readonly from: number
  readonly done: number
  readonly total: number | null
}

/** The rate counts from where a transfer was first seen; a transfer that falls back was restarted. */
export function continueProgress(before: JobProgress | null, done: number, total: number | null, now: number): JobProgress {
  const continues = before !== null && before.total === total && done >= before.done
  return continues ? { ...before, done } : { startedAt: now, from: done, done, total }
}

/** `, 12 s left`, or nothing before an estimate is possible. */
export function timeLeft({ startedAt, from, done, total }: JobProgress, now: number): string {
  const elapsed = now - startedAt
  if (total === null || elapsed < ESTIMATE_MS || done <= from || done >= total) return ''
  return `, ${duration(Math.max(1_000, ((total - done) * elapsed) / (done - from)))} left`
}

/** `12.3 MB of 40.0 MB, 30%`. */
export function amount(done: number, total: number | null): string {
  if (total === null || total === 0) return bytes(done)
  return `${bytes(done)} of ${bytes(total)}, ${Math.floor((done / total) * 100)}%`
}

/** `12,345 of 40,000 rows, 30%`. */
export const rowAmount = (done: number, total: number): string =>
  `${count(done)} of ${counted(total, 'row')}, ${Math.floor((done / total) * 100)}%`

export function formatProgressEvent(progress: ProgressEvent): string {
  if (progress.type === 'upload') return `uploading ${amount(progress.sent, progress.total)}`
  if (progress.type === 'download') return `downloading ${amount(progress.received, progress.total)}`
  if (progress.type === 'companies') return `${progress.done} of ${counted(progress.total, 'company', 'companies')}`
  if (progress.type === 'retry') return progress.message
  return `${progress.status}, waiting for ${duration(progress.forMs)}, next poll in ${duration(progress.nextMs)}`
}

/** Null for events that get no line. */
export function formatRunEvent(event: RunEventInput): string | null {
  switch (event.type) {
    case 'job.created':
      return `job ${event.id}${event.adopted ? ' (found)' : ''}`
    case 'upload.accepted':
      return event.adopted ? 'the file was already uploaded' : `uploaded ${bytes(event.bytes)}`
    case 'mapping.accepted':
      return `${counted(event.count, 'column')} mapped`
    case 'match.accepted':
      return event.adopted ? 'matching was already started' : 'matching started'
    case 'enrich.accepted':
      return event.adopted ? 'enriching was already started' : 'enriching started'
    case 'portfolio.found':
      return `portfolio ${event.id}, ${event.created ? 'created' : 'already exists'}`
    case 'file.received':
      return `received ${counted(event.rows, 'row')}, ${bytes(event.bytes)}`
    case 'output.written':
      return event.files.length === 0 ? null : `wrote ${event.files.map(file => file.path).join(', ')}`
    case 'part.failed':
      return `rows failed: ${event.error.message}`
    case 'stage.failed':
      return `${event.stage} stopped: ${event.error.message}`
    case 'issue.raised':
      return event.issue.message
    default:
      return null
  }
}

export const jobPrefix = (part: number | undefined, { jobs }: Pick<RunState, 'jobs'>): string =>
  part === undefined || jobs.length === 1 ? '' : `job ${part + 1} of ${jobs.length}: `
