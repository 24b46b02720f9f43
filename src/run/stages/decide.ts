/**
 * The decide stage: applies decisions about hits, and writes the outputs that have waited for the searches of the run or for a decision tree
 * of the service. A row that they have nothing about is referred.
 */
import type { RunState } from '../../journal/index.ts'
import { doOutputsReadHits } from '../../model/stages.ts'
import type { Ports } from '../ports.ts'
import type { RunStep, StageEvents } from '../stage.ts'
import { publish } from './download.ts'

/** Applies the decisions about hits as they are now. */
export async function* judgeHits({ plan, screening }: RunState, ports: Pick<Ports, 'results'>): StageEvents {
  if (!doOutputsReadHits(plan) && plan.screen?.decisions === undefined) return
  const [found, unscreened] = [screening?.answers.values() ?? [], screening?.unscreened.values() ?? []]
  yield { type: 'hits.judged', ...(await ports.results.keepHits(found, unscreened)) }
}

async function* decideRows(state: RunState, ports: Ports): StageEvents {
  yield* judgeHits(state, ports)
  if (state.tree !== null) await ports.results.keepRuled(state.tree.answers.values())
  if (state.tree !== null || doOutputsReadHits(state.plan)) yield* publish(state, ports)
}

export const decide: RunStep = {
  isDone: ({ plan, decide: counts, tree, screening }) => {
    if ((plan.decide?.waits === true || tree !== null) && counts === null) return false
    if (doOutputsReadHits(plan)) return screening?.isWritten === true
    return plan.screen?.decisions === undefined || screening?.judged != null
  },
  run: decideRows,
}
