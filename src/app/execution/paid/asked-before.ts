/** What a run records about questions that other runs asked before it. */
import { counted } from '../../../counted.ts'
import { type Issue, issue } from '../../../errors.ts'
import { readRun } from '../../runs/run-directory.ts'
import type { Fetched } from './fetch-paid.ts'

/** A note about answers that another run had paid. */
export const wasFetched = (runId: string, answers: number): Issue =>
  issue('FETTLE_ANSWERS_FETCHED', `${counted(answers, 'answer')} that the run ${runId} had paid: fetched from its jobs`, {
    severity: 'info',
  })

/** A warning for each run that may have paid for questions that are asked again: how many, and why its answers are not known. */
export function askedBefore(
  runsDir: string,
  questions: ReadonlyMap<string, number>,
  fetched: ReadonlyMap<string, Fetched> = new Map(),
): Issue[] {
  return [...questions].flatMap(([runId, count]) => {
    const result = fetched.get(runId)
    // What it has paid is known now, and of the rest it chooses again.
    if ((result !== undefined && 'answers' in result) || !mayHaveAsked(runsDir, runId)) return []
    const why = result !== undefined && 'why' in result ? result.why : null
    const message = `${counted(count, 'question')} may be paid twice: the unfinished run ${runId} asked ${count === 1 ? 'it' : 'them'} before`
    const more = why === null ? '' : `, and its answers cannot be used: ${why}`
    return [issue('FETTLE_ASKED_BEFORE', `${message}${more}`, { severity: 'warn' })]
  })
}

/**
 * Whether an unfinished run pays, or has paid, for its rows; a run of another folder, and a list in a queue, may have. Until it pays, a
 * run chooses its rows again where others have answered some of them.
 */
function mayHaveAsked(runsDir: string, runId: string): boolean {
  try {
    const { finished, plan, jobs } = readRun(runsDir, runId)
    return (!finished || plan.shard !== undefined) && jobs.some(({ enrichRequested }) => enrichRequested)
  } catch {
    return true
  }
}
