/**
 * The ask stage: runs a decision tree of the service for each company found and its fields, once. A run of it whose answer was lost is found
 * again in the log of the service by its key.
 */

import { count, counted } from '../../counted.ts'
import { FettleError } from '../../errors.ts'
import type { RunState } from '../../journal/index.ts'
import type { Effect } from '../../model/requests.ts'
import type { TreeAnswer, TreeQuestion } from '../../model/results.ts'
import { searched } from '../job-lookup.ts'
import type { Ports } from '../ports.ts'
import { keepSearches, type RunStep, refusalIssue, refusalReason, type StageEvents } from '../stage.ts'

/** A name of a job may be as long as a key. */
const LONGEST_NAME = 150

/** `isOpen`: an earlier process may have sent it. */
async function runTree(
  question: TreeQuestion,
  { jobName, tree }: RunState,
  isOpen: boolean,
  ports: Ports,
): Promise<Effect<TreeAnswer>> {
  const id = tree!.found!.id
  const key = `${jobName.slice(-LONGEST_NAME)}-${question.id}`
  const find = () => searched(() => ports.trees.findRun(id, question, key, { signal: ports.grace }), ports)
  const found = isOpen ? await find() : undefined
  if (found !== undefined) return { value: found, adopted: true }
  const look = async (): Promise<TreeAnswer> => {
    const answer = await find()
    if (answer !== undefined) return answer
    // A paid request is never repeated on a guess (contract §14.3): a later process searches for it again first.
    const why = `the decision about ${question.company} was lost, and the log of the service does not list it yet`
    throw new FettleError('FETTLE_UNANSWERED', why)
  }
  return ports.trees.runTree(id, question, { look, key, signal: ports.grace })
}

async function* askTree(state: RunState, ports: Ports): StageEvents {
  const { plan, tree } = state
  if (plan.tree === undefined || tree === null) return
  const { budget } = plan.tree
  const listed = tree.listed ?? 0
  let { done, paid, refused, refusal, open } = tree
  const earlier = plan.reuse?.decide === undefined ? undefined : ports.earlier
  for await (const question of ports.results.treeQuestions(listed, done)) {
    const isOpen = open === question.id
    // The answer to an open question is its own.
    const known = isOpen ? null : ((await earlier?.ruled(question)) ?? null)
    if (known === null && budget !== null && paid >= budget && !isOpen) {
      yield* keepSearches('decide', tree, earlier)
      const ruled = `${count(done)} of ${counted(listed, 'company', 'companies')} decided about`
      throw new FettleError('FETTLE_BUDGET_DECIDE', `${ruled}: one more would exceed decide.budget (${budget})`)
    }
    done++
    let made: Effect<TreeAnswer> | null = null
    let why: string | null = null
    if (known === null) {
      if (!isOpen) yield { type: 'decide.requested', question: question.id }
      try {
        made = await runTree(question, state, isOpen, ports)
      } catch (error) {
        why = refusalReason(error)
        if (why === null) throw error
        refused++
        refusal ??= { id: question.company, why }
      }
    }
    // Before the event that completes the questions: a kill between the two may repeat the warning, but not lose it.
    if (done === listed && refused > 0) {
      const summary = `the decision tree was not run for ${counted(refused, 'company', 'companies')}`
      yield { type: 'issue.raised', issue: refusalIssue('FETTLE_DECIDE_REFUSED', summary, refused, refusal) }
    }
    if (known !== null) yield { type: 'decide.reused', done, question: question.id, answer: known.answer, askedAt: known.at }
    else if (why !== null) yield { type: 'decide.refused', done, question: question.id, why }
    else if (made !== null) {
      paid++
      yield { type: 'decide.made', done, question: question.id, answer: made.value, adopted: made.adopted }
    }
    open = null
    ports.tick({ type: 'companies', done, total: listed })
  }
  yield* keepSearches('decide', tree, earlier)
}

export const ask: RunStep = {
  isDone: ({ plan, tree }) =>
    tree === null || (tree.listed !== null && tree.done >= tree.listed && (plan.reuse?.decide === undefined || tree.isKept)),
  run: askTree,
}
