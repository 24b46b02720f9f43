/** The stages of a run as far as they got, and which of them a run has. Pure. */
import type { Plan } from '../pipeline/types.ts'
import { STAGES, type StageName, type Status } from './events.ts'

/** One stage as far as it got. `attempts` counts how often it was begun: more than one after a resume. */
export interface StageState {
  readonly name: StageName
  readonly status: Status | 'pending'
  readonly startedAt: string | null
  readonly elapsedMs: number
  readonly attempts: number
  readonly note: string | null
}

/** The stages of a run before it began: the last two are there where the plan says them. */
export const newStages = ({ portfolio, screen }: Plan): StageState[] =>
  STAGES.filter(name => (name !== 'portfolio' || portfolio != null) && (name !== 'screen' || screen != null)).map(name => {
    return { name, status: 'pending', startedAt: null, elapsedMs: 0, attempts: 0, note: null }
  })
