/** The state of a run that uses answers of earlier runs. */
import type { Fit } from '../model/list.ts'
import type { Outcomes, ReuseCounts } from '../model/results.ts'
import type { Plan } from '../pipeline/model/types.ts'
import type { JobState, RunEvent } from './events.ts'
import { planJobs } from './jobs.ts'

export interface ReuseState {
  readonly counts: ReuseCounts
  /** What the service fitted to the list in an earlier run; null where it does so now, or does not. */
  readonly fit: Fit | null
  /** Rows by outcome, for earlier answers and for answers of this run; null before the outputs are written. */
  readonly outcomes: { readonly known: Outcomes; readonly sent: Outcomes } | null
  /** The answers of this run are where later runs find them. */
  readonly isKept: boolean
  /** Why its paid answers are not adopted; null where they may be. */
  readonly refused: string | null
}

interface Changed {
  readonly plan: Plan
  readonly jobs: readonly JobState[]
  readonly reuse: ReuseState | null
}

/** Once its rows are chosen, the plan of a run is about the rows that are sent. */
export function afterReuse(
  { plan, jobName, reuse }: Pick<Changed, 'plan' | 'reuse'> & { readonly jobName: string },
  event: RunEvent,
): Partial<Changed> | null {
  switch (event.type) {
    case 'reuse.chosen': {
      if (plan.known !== undefined) return null
      const { counts, fit = null } = event
      const chosen = chosenPlan(plan, event)
      return {
        ...{ plan: chosen, jobs: planJobs(chosen, jobName) },
        reuse: { counts, fit, outcomes: null, isKept: false, refused: null },
      }
    }
    case 'output.written':
      return reuse && { reuse: { ...reuse, outcomes: event.reused ?? null } }
    case 'answers.kept':
      return reuse && { reuse: { ...reuse, isKept: true } }
    case 'answers.refused':
      return reuse && { reuse: { ...reuse, refused: event.why } }
    default:
      return null
  }
}

/** A plan once its rows are chosen. */
export function chosenPlan(plan: Plan, event: Omit<RunEvent & { readonly type: 'reuse.chosen' }, 'at'>): Plan {
  const { counts, sent, parts, choice, searches, credits } = event
  const known = {
    ...{ sent: plan.sent, parts: plan.parts, rows: counts.known, choice },
    searches: searches ?? undefined,
    credits: credits === undefined ? undefined : plan.budget.credits,
  }
  return { ...plan, budget: credits === undefined ? plan.budget : { ...plan.budget, credits }, sent, parts, known }
}
