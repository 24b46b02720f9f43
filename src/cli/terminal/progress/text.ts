/** Facts and signs of progress in words, for a log line or a live line. Pure. */
import type { ProgressEvent, RunEventInput, RunState } from '../../../app/index.ts'
import { bytes, counted, duration } from '../../../report/words.ts'

/** A rate is worth an estimate after so long. */
const ESTIMATE_MS = 1_000

/** How far something has come, since when, and from where: what an estimate is made of. Amounts of any unit. */
export interface JobProgress {
  readonly startedAt: number
  readonly from: number
  readonly done: number
  readonly total: number | null
}

/** `, 12 s left`, once that can be told. */
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

/** A sign of progress. */
export function formatProgressEvent(tick: ProgressEvent): string {
  if (tick.type === 'upload') return `uploading ${amount(tick.sent, tick.total)}`
  if (tick.type === 'download') return `downloading ${amount(tick.received, tick.total)}`
  if (tick.type === 'companies') return `${tick.done} of ${counted(tick.total, 'company', 'companies')}`
  if (tick.type === 'retry') return tick.message
  return `${tick.status}, waiting for ${duration(tick.forMs)}, next look in ${duration(tick.nextMs)}`
}

/** A fact worth a line, null for the others. */
export function formatRunEvent(fact: RunEventInput): string | null {
  switch (fact.type) {
    case 'job.created':
      return `job ${fact.id}${fact.adopted ? ' (found again)' : ''}`
    case 'upload.accepted':
      return fact.adopted ? 'the file had already arrived' : `uploaded ${bytes(fact.bytes)}`
    case 'mapping.accepted':
      return `${fact.count} columns mapped`
    case 'match.accepted':
      return fact.adopted ? 'matching had already begun' : 'matching begun'
    case 'enrich.accepted':
      return fact.adopted ? 'enriching had already begun' : 'enriching begun'
    case 'portfolio.found':
      return `portfolio ${fact.id}, ${fact.created ? 'made now' : 'there already'}`
    case 'file.received':
      return `received ${fact.rows} rows, ${bytes(fact.bytes)}`
    case 'output.written':
      return `wrote ${fact.files.map(file => file.path).join(', ')}`
    case 'part.failed':
      return `its rows fail: ${fact.error.message}`
    case 'stage.failed':
      return `${fact.stage} stopped: ${fact.error.message}`
    case 'issue.raised':
      return fact.issue.message
    default:
      return null
  }
}

/** Which of several remote jobs a fact or a sign of life is about; nothing when there is only one. */
export const jobPrefix = (part: number | undefined, { jobs }: Pick<RunState, 'jobs'>): string =>
  part === undefined || jobs.length === 1 ? '' : `job ${part + 1} of ${jobs.length}: `
