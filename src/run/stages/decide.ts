/**
 * The decide stage, of a decision table that reads the searches of the run, and of a decision tree of the service: keeps what these found and
 * writes the outputs, which have waited for it. A row that they have nothing about is referred.
 */
import type { RunState } from '../../journal/index.ts'
import type { Ports } from '../ports.ts'
import type { RunStep, StageEvents } from '../stage.ts'
import { publish } from './download.ts'

async function* decideRows(state: RunState, ports: Ports): StageEvents {
  const { plan, tree, screening } = state
  if (plan.decide?.waits === true) await ports.results.keepHits(screening?.answers.values() ?? [])
  if (tree !== null) await ports.results.keepRuled(tree.answers.values())
  yield* publish(state, ports)
}

export const decide: RunStep = { isDone: ({ decide: counts }) => counts !== null, run: decideRows }
