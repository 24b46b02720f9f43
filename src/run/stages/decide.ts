/**
 * The decide stage, of a decision table that reads the searches of the run: keeps what they found and writes the outputs, which have waited for
 * it. A company without a search has no hits to read, so its row is referred.
 */
import type { RunState } from '../../journal/index.ts'
import type { Ports } from '../ports.ts'
import type { RunStep, StageEvents } from '../stage.ts'
import { publish } from './download.ts'

async function* decideRows(state: RunState, ports: Ports): StageEvents {
  await ports.results.keepHits(state.screening?.answers.values() ?? [])
  yield* publish(state, ports)
}

export const decide: RunStep = { isDone: ({ decide: counts }) => counts !== null, run: decideRows }
