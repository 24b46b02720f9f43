/** Repeats a failing run alone, from its history instead of its seed, with fewer and fewer faults. */
import type { FaultInput } from '../../../src/testing/index.ts'
import type { Journeyed } from './journey.ts'
import { shrink } from './shrink.ts'
import { journeyAlone, type Stage } from './stage.ts'

/**
 * The shortest history with which the run fails in the same way; null when it does not fail again with its whole history: then
 * something has befallen it that is no fault of a request, such as a death in the middle of a write.
 */
export async function shortestOf(failed: Journeyed, stage: Stage): Promise<readonly FaultInput[] | null> {
  const kinds = new Set(failed.charges.map(one => one.of))
  const fails = async (planned: readonly FaultInput[]): Promise<boolean> => {
    const { charges } = await journeyAlone(stage, failed.seed, planned)
    return charges.some(one => kinds.has(one.of))
  }
  return (await fails(failed.history)) ? shrink(failed.history, fails) : null
}
