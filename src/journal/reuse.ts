/** The state of a run that uses answers of earlier runs. */
import { type Issue, issue } from '../errors.ts'
import type { ListFacts } from '../model/list-facts.ts'
import type { Outcomes, ReuseCounts } from '../model/results.ts'
import type { Plan } from '../pipeline/model/types.ts'
import type { JobState, RunEvent } from './events.ts'
import { jobsOf } from './jobs.ts'

export interface ReuseState {
  readonly counts: ReuseCounts
  /** What is known of the list, for the jobs of the rows that go up; null where the service finds out by itself. */
  readonly list: ListFacts | null
  /** Rows by outcome, apart for earlier answers and those of this run; null before the outputs are written. */
  readonly outcomes: { readonly known: Outcomes; readonly sent: Outcomes } | null
  /** The answers of this run are where later runs find them. */
  readonly isKept: boolean
  /** Why no other run adopts its paid answers; null where one may. */
  readonly refused: string | null
  /** Jobs that the run left when it chose its rows again. */
  readonly left: readonly JobState[]
  /** Their credits; null where the service gave no counts. */
  readonly paid: number | null
}

interface Changed {
  readonly plan: Plan
  readonly jobName: string
  readonly jobs: readonly JobState[]
  readonly reuse: ReuseState | null
  readonly issues: readonly Issue[]
}

function leftIssue(jobs: readonly JobState[]): Issue {
  const namesOf = (isPaid: boolean): string =>
    jobs
      .filter(job => job.enrichRequested === isPaid)
      .map(({ id, name }) => id ?? name)
      .join(', ')
  const [paid, unpaid] = [namesOf(true), namesOf(false)]
  const more = paid === '' ? '' : `; the answers of those that were paid are used: ${paid}`
  const message = `jobs left unpaid, because other runs answered some of their questions: ${unpaid}${more}`
  return issue('FETTLE_JOBS_LEFT', message, { severity: 'info' })
}

/** Its answers can be stored, or there are none. */
const isOver = ({ received, failure }: JobState): boolean => received !== null || failure !== null

const added = (credits: number | null, more: number | null): number | null =>
  credits === null || more === null ? null : credits + more

/** Once its rows are chosen, the plan of a run is that of the rows that go up. */
export function afterReuse(
  { plan, jobName: nameBefore, jobs, reuse, issues }: Changed,
  event: RunEvent,
): Partial<Changed> | null {
  switch (event.type) {
    case 'reuse.chosen': {
      const { counts, sent, parts, answers, bits, inRegister = null, companyNumbers = 'reliable', searches, credits } = event
      const { paid = 0 } = event
      const requested = plan.known === undefined ? [] : jobs.filter(job => job.requested)
      // A run that was stopped before its first request chooses again, and one that has not paid for all its rows with other jobs.
      const isPaying = jobs.some(job => job.enrichRequested && !isOver(job))
      if (requested.length > 0 && (event.jobName === undefined || isPaying)) return null
      const jobName = event.jobName ?? nameBefore
      const whole = plan.known ?? plan
      const known = {
        sent: whole.sent,
        parts: whole.parts,
        rows: counts.known,
        answers,
        bits,
        ...(searches && { searches }),
        ...(credits === undefined ? {} : { credits: plan.budget.credits }),
      }
      const budget = credits === undefined ? plan.budget : { ...plan.budget, credits }
      const chosen = { ...plan, budget, sent, parts, known }
      const list = inRegister === null ? null : { inRegister, companyNumbers }
      const left = [...(reuse?.left ?? []), ...requested]
      return {
        ...{ plan: chosen, jobName, jobs: jobsOf(chosen, jobName) },
        reuse: { counts, list, outcomes: null, isKept: false, refused: null, left, paid: added(reuse?.paid ?? 0, paid) },
        // What the earlier choice warned of was not paid, unless one of its jobs was.
        issues: [
          ...issues.filter(({ code }) => code !== 'FETTLE_ASKED_BEFORE' || requested.some(job => job.enrichRequested)),
          ...(requested.length === 0 ? [] : [leftIssue(requested)]),
        ],
      }
    }
    case 'output.written':
      return reuse && { reuse: { ...reuse, outcomes: event.reused ?? null } }
    case 'job.archived':
      return (
        reuse && {
          reuse: { ...reuse, left: reuse.left.map(job => (job.name === event.name ? { ...job, archived: true } : job)) },
        }
      )
    case 'answers.kept':
      return reuse && { reuse: { ...reuse, isKept: true } }
    case 'answers.refused':
      return reuse && { reuse: { ...reuse, refused: event.why } }
    default:
      return null
  }
}
