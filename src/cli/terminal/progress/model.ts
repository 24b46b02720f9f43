/**
 * A run under way as a few lines of text: a line of the whole, and one for each job under way where there are several. It is fed
 * facts and signs of progress with the time, and draws nothing.
 */
import { type ProgressEvent, progressOf, type RunEventInput, type RunState } from '../../../app/index.ts'
import { counted, duration } from '../../../report/words.ts'
import { amount, formatProgressEvent, type JobProgress, timeLeft } from './text.ts'

type Job = RunState['jobs'][number]

/** The latest sign of a job, when it came, and how its transfer goes. */
interface Sign {
  readonly tick: ProgressEvent
  readonly at: number
  readonly course: JobProgress | null
}

/** A picture of one run. Times are milliseconds of a clock that never steps. */
export class ProgressModel {
  readonly #startedAt: number
  readonly #label: string
  #stage = 'starting'
  #state: RunState | null = null
  readonly #signs = new Map<number, Sign>()
  /** Of what is about no job. */
  #sign: Sign | null = null

  /** `label` names the pipeline where there are several. */
  constructor(startedAt: number, label: string | null) {
    this.#startedAt = startedAt
    this.#label = label === null ? '' : `${label}  `
  }

  /** Something was recorded. */
  onEvent(event: RunEventInput, state: RunState): void {
    this.#state = state
    if (event.type === 'stage.started') {
      this.#stage = event.stage
      this.#sign = null
    }
    // What follows a transfer is no part of it.
    if ('part' in event && event.type !== 'status.observed') this.#signs.delete(event.part)
  }

  /** A sign of progress of a job. */
  onProgress(progress: ProgressEvent, state: RunState, now: number): void {
    this.#state = state
    if (progress.type === 'retry') return
    if (progress.type === 'companies') {
      this.#sign = { tick: progress, at: now, course: courseOf(progress, this.#sign?.course ?? null, now) }
      return
    }
    const part = progress.part ?? 0
    this.#signs.set(part, { tick: progress, at: now, course: courseOf(progress, this.#signs.get(part)?.course ?? null, now) })
  }

  /** The run as a whole, in one line: time, stage, and what is going on. */
  head(now: number): string {
    const detail = this.detail(now)
    return `${this.#label}${duration(now - this.#startedAt)}  ${this.#stage}${detail === '' ? '' : `  ${detail}`}`
  }

  /** What is going on, without time and stage. */
  detail(now: number): string {
    const jobs = this.#state?.jobs ?? []
    const [only] = jobs
    if (this.#state === null || only === undefined) return ''
    if (this.#sign !== null) return `${formatProgressEvent(this.#sign.tick)}${leftOf(this.#sign, now)}`
    const { plan } = this.#state
    const isOver = overIn(this.#state)
    if (jobs.every(isOver) && plan.output !== null && jobs.some(job => job.received !== null)) return 'writing the outputs'
    if (jobs.length === 1) return this.#jobInWords(only, now)
    const over = jobs.filter(isOver).length
    const failed = jobs.filter(job => job.failure !== null).length
    return [
      `${over} of ${jobs.length} jobs done`,
      `${jobs.filter(job => this.#isUnderWay(job, isOver)).length} under way`,
      ...(failed > 0 ? [`${failed} failed`] : []),
    ].join(', ')
  }

  /** The lines of the picture, `most` of them: of several jobs those under way, in their order. */
  lines(now: number, most: number): string[] {
    const jobs = this.#state?.jobs ?? []
    if (this.#state === null || jobs.length === 1) return [this.head(now)]
    const isOver = overIn(this.#state)
    const { parts } = this.#state.plan
    const shown = jobs.filter(job => this.#isUnderWay(job, isOver))
    const width = String(jobs.length).length
    const lines = shown.map(job => {
      const rows = counted(parts[job.part]?.rows ?? null, 'row')
      return `  job ${String(job.part + 1).padStart(width)}  ${rows}  ${this.#jobInWords(job, now)}`
    })
    const room = Math.max(0, most - 1)
    const rest = lines.length - (room - 1)
    return [
      this.head(now),
      ...(lines.length <= room ? lines : room === 0 ? [] : [...lines.slice(0, room - 1), `  and ${rest} more`]),
    ]
  }

  #isUnderWay(job: Job, isOver: (job: Job) => boolean): boolean {
    if (isOver(job)) return false
    return job.matchFinished ? this.#signs.has(job.part) || job.enrichmentsAccepted : job.requested
  }

  #jobInWords(job: Job, now: number): string {
    const sign = this.#signs.get(job.part)
    if (job.failure !== null) return 'failed'
    if (sign?.tick.type === 'upload') return `uploading ${amount(sign.tick.sent, sign.tick.total)}${leftOf(sign, now)}`
    if (sign?.tick.type === 'download') return `downloading ${amount(sign.tick.received, sign.tick.total)}${leftOf(sign, now)}`
    if (job.received !== null) return 'received'
    if (sign?.tick.type === 'waiting') {
      const next = sign.at + sign.tick.nextMs - now
      const when = next <= 0 ? 'looking' : `next look in ${Math.ceil(next / 1000)} s`
      return `${[sign.tick.status, answered(job, this.#state?.plan.parts[job.part]?.rows ?? 0)].filter(Boolean).join(', ')}, ${when}`
    }
    return (
      job.status ??
      (job.uploaded !== null ? 'uploaded' : job.uploadRequested ? 'preparing the file' : job.id === null ? '' : 'created')
    )
  }
}

const leftOf = ({ course }: Sign, now: number): string => (course === null ? '' : timeLeft(course, now))

/** A transfer goes on from where it was first seen; one that falls back has begun anew. */
function courseOf(tick: ProgressEvent, before: JobProgress | null, now: number): JobProgress | null {
  const course = progressOf(tick)
  if (course === null) return null
  const { done, total } = course
  const goesOn = before !== null && before.total === total && done >= before.done
  return { startedAt: goesOn ? before.startedAt : now, from: goesOn ? before.from : done, done, total }
}

/** How many rows the service says it has answered, when it tells so while it works. */
function answered({ summary }: Job, rows: number): string {
  if (summary?.matched == null || summary.unmatched == null) return ''
  const done = summary.matched + summary.unmatched + (summary.manualMatched ?? 0)
  return done > 0 && done < rows ? `${done} of ${counted(rows, 'row')} answered` : ''
}

/** What it means for a job to be over: all are matched before any is enriched. */
function overIn({ jobs, plan }: RunState): (job: Job) => boolean {
  if (!jobs.every(job => job.matchFinished || job.failure !== null)) return job => job.matchFinished || job.failure !== null
  return job =>
    job.failure !== null || (plan.output === null ? plan.enrich === null || job.enrichFinished : job.received !== null)
}
