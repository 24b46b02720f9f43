/** Which stages a run has. Pure. */
import type { Plan } from '../pipeline/model/types.ts'
import { STAGES, type StageState } from './events.ts'

/** The stages of a run before it began: the last two are there where the plan says them. */
export const newStages = ({ portfolio, screen }: Plan): StageState[] =>
  STAGES.filter(name => (name !== 'portfolio' || portfolio != null) && (name !== 'screen' || screen != null)).map(name => {
    return { name, status: 'pending', startedAt: null, elapsedMs: 0, attempts: 0, note: null }
  })
