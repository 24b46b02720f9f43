/** The state of a run as lines of text, from its events and progress: one line for the run, and one for each active job of several. */

import type { RunEventInput, RunState } from '../../../journal/index.ts'
import { counted, duration } from '../../../report/words.ts'
import { type ProgressEvent, progressOf } from '../../../run/index.ts'
import { amount, continueProgress, formatProgressEvent, type JobProgress, rowAmount, timeLeft } from './text.ts'

type Job = RunState['jobs'][number]

/** The latest progress of a job, when it was received, and its transfer. */
interface LatestProgress {
  readonly tick: ProgressEvent
  readonly at: number
  readonly course: JobProgress | null
}

/** Times are milliseconds of a monotonic clock. */
export class ProgressModel {
  readonly #startedAt: number
  readonly #label: string
  #stage = 'starting'
  #state: RunState | null = null
  readonly #latestByJob = new Map<number, LatestProgress>()
  #latest: LatestProgress | null = null

  /** `label` is the name of the pipeline if several run at once. */
  constructor(startedAt: number, label: string | null) {
    this.#startedAt = startedAt
    this.#label = label === null ? '' : `${label}  `
  }

  onEvent(event: RunEventInput, state: RunState): void {
    this.#state = state
    if (event.type === 'stage.started') {
      this.#stage = event.stage
      this.#latest = null
    }
    // An event after a transfer ends it.
    if ('part' in event && event.type !== 'status.observed') this.#latestByJob.delete(event.part)
  }

  onProgress(progress: ProgressEvent, state: RunState, now: number): void {
    this.#state = state
    if (progress.type === 'retry') return
    const part = progress.part ?? 0
    const before = progress.type === 'companies' ? this.#latest : this.#latestByJob.get(part)
    const transfer = progress.type === 'waiting' ? rowsOf(progress) : progressOf(progress)
    const course = transfer && continueProgress(before?.course ?? null, transfer.done, transfer.total, now)
    const latest = { tick: progress, at: now, course }
    if (progress.type === 'companies') this.#latest = latest
    else this.#latestByJob.set(part, latest)
  }

  /** The run in one line: time, stage and detail; below each other if there are several. */
  head(now: number): string {
    const [time, stage] = [duration(now - this.#startedAt), this.#stage]
    const start = this.#label === '' ? `${time}  ${stage}` : `${this.#label}${time.padStart(8)}  ${stage.padEnd(8)}`
    return `${start}  ${this.detail(now)}`.trimEnd()
  }

  detail(now: number): string {
    const jobs = this.#state?.jobs ?? []
    const [only] = jobs
    if (this.#state === null || only === undefined) return ''
    if (this.#latest !== null) return `${formatProgressEvent(this.#latest.tick)}${formatTimeLeft(this.#latest, now)}`
    const { plan } = this.#state
    const isOver = findOver(this.#state)
    if (jobs.every(isOver) && plan.output !== null && jobs.some(job => job.received !== null)) return 'writing the outputs'
    if (jobs.length === 1) return this.#formatJob(only, now)
    const over = jobs.filter(isOver).length
    const active = jobs.filter(job => this.#isActive(job, isOver)).length
    const failed = jobs.filter(job => job.failure !== null).length
    return `${over} of ${jobs.length} jobs done, ${active} active${failed > 0 ? `, ${failed} failed` : ''}`
  }

  /** Up to `most` lines: the run and, if there are several jobs, the active ones in their order. */
  lines(now: number, most: number): string[] {
    const jobs = this.#state?.jobs ?? []
    if (this.#state === null || jobs.length === 1) return [this.head(now)]
    const isOver = findOver(this.#state)
    const { parts } = this.#state.plan
    const shown = jobs.filter(job => this.#isActive(job, isOver))
    const width = String(jobs.length).length
    const lines = shown.map(job => {
      const rows = counted(parts[job.part]?.rows ?? null, 'row')
      return `  job ${String(job.part + 1).padStart(width)}  ${rows}  ${this.#formatJob(job, now)}`
    })
    const room = Math.max(0, most - 1)
    if (lines.length <= room) return [this.head(now), ...lines]
    if (room === 0) return [this.head(now)]
    return [this.head(now), ...lines.slice(0, room - 1), `  and ${lines.length - (room - 1)} more`]
  }

  #isActive(job: Job, isOver: (job: Job) => boolean): boolean {
    if (isOver(job)) return false
    return job.matchFinished ? this.#latestByJob.has(job.part) || job.enrichmentsAccepted : job.requested
  }

  #formatJob(job: Job, now: number): string {
    const latest = this.#latestByJob.get(job.part)
    if (job.failure !== null) return 'failed'
    if (latest?.tick.type === 'upload')
      return `uploading ${amount(latest.tick.sent, latest.tick.total)}${formatTimeLeft(latest, now)}`
    if (latest?.tick.type === 'download')
      return `downloading ${amount(latest.tick.received, latest.tick.total)}${formatTimeLeft(latest, now)}`
    if (job.received !== null) return 'received'
    if (latest?.tick.type === 'waiting') {
      const rows = rowsOf(latest.tick)
      if (rows !== null) return `${latest.tick.status}, ${rowAmount(rows.done, rows.total)}${formatTimeLeft(latest, now)}`
      const next = latest.at + latest.tick.nextMs - now
      return `${latest.tick.status}, ${next <= 0 ? 'polling' : `next poll in ${Math.ceil(next / 1000)} s`}`
    }
    if (job.status !== null) return job.status
    if (job.uploaded !== null) return 'uploaded'
    return job.uploadRequested ? 'preparing the file' : job.id === null ? '' : 'created'
  }
}

const formatTimeLeft = ({ course }: LatestProgress, now: number): string => (course === null ? '' : timeLeft(course, now))

/** The rows that the service has matched, if it counts them while it works. */
const rowsOf = ({ done, total }: ProgressEvent & { readonly type: 'waiting' }) =>
  done === undefined || total === undefined ? null : { done, total }

/** Whether a job is done in the present phase: all jobs are matched before any is enriched. */
function findOver({ jobs, plan }: RunState): (job: Job) => boolean {
  const isMatched = (job: Job): boolean => job.matchFinished || job.failure !== null
  if (!jobs.every(isMatched)) return isMatched
  return job =>
    job.failure !== null || (plan.output === null ? plan.enrich === null || job.enrichFinished : job.received !== null)
}
