/** Selects the shards of one list and checks that they are complete: every missing, duplicate, unfinished or foreign shard is an issue. */
import { basename, dirname } from 'node:path'
import { type Action, action, errorOfIssues, type Issue, issue } from '../errors.ts'
import type { RunState } from '../journal/index.ts'
import { identifyWhole, shardList, shardText } from '../pipeline/index.ts'
import { findRunId, newestShards, type RunDirectory, readRun, runDirectory } from '../runs/run-directory.ts'

export interface ShardRun {
  readonly state: RunState
  readonly directory: RunDirectory
}

/** The runs named: by id, by directory, or every newest shard of a pipeline. Throws FETTLE_RUN_UNKNOWN. */
export function findShards(runsDir: string, wanted: readonly string[]): ShardRun[] {
  const places = wanted.flatMap(one => {
    if (basename(one) !== one) return [{ dir: dirname(one), id: findRunId(dirname(one), basename(one)) }]
    const ids = newestShards(runsDir, one)
    return (ids.length > 0 ? ids : [findRunId(runsDir, one)]).map(id => ({ dir: runsDir, id }))
  })
  return places.map(({ dir, id }) => ({ state: readRun(dir, id), directory: runDirectory(dir, id) }))
}

/** The shards in the order of their rows. Throws FETTLE_MERGE, or FETTLE_SHARD when a shard is not finished. */
export function completeShardSet(shards: readonly ShardRun[]): readonly ShardRun[] {
  const issues = [
    ...foreignRuns(shards),
    ...(foreignRuns(shards).length > 0 ? [] : missingOrDuplicate(shards)),
    ...unfinishedOrFailed(shards),
  ]
  if (issues.length > 0) throw errorOfIssues(issues)
  return shards.toSorted((a, b) => numberOf(a) - numberOf(b))
}

const numberOf = ({ state }: ShardRun): number => state.plan.shard?.number ?? 0
const refuse = (message: string, hint: string, next?: Action): Issue => issue('FETTLE_MERGE', message, { hint, action: next })

/** Which registers answered is compared by the merge. */
const withoutRegister = ({ register: _register, ...rest }: RunState['plan']): RunState['plan'] => rest

function foreignRuns(shards: readonly ShardRun[]): Issue[] {
  const first = shards.find(({ state }) => state.plan.shard !== undefined)?.state
  return shards.flatMap(({ state: { plan, runId } }) => {
    if (plan.shard === undefined) return [refuse(`the run ${runId} is about all rows, not about a shard`, 'Leave it out.')]
    if (first === undefined || first.plan.shard === undefined) return []
    const { plan: own, runId: firstId } = first
    const issueOf = (why: string, hint: string): Issue[] => [refuse(`the run ${runId} ${why}`, hint)]
    const oneList = 'Merge the shards of one list, cut into the same number of them.'
    if (plan.shard.of !== first.plan.shard.of)
      return issueOf(`is shard ${shardText(plan.shard)} and ${firstId} is ${shardText(first.plan.shard)}`, oneList)
    return identifyWhole(withoutRegister(plan)) === identifyWhole(withoutRegister(own))
      ? []
      : issueOf(`is of another list or pipeline than ${firstId}`, oneList)
  })
}

function missingOrDuplicate(shards: readonly ShardRun[]): Issue[] {
  const [first] = shards
  if (first === undefined) return [refuse('no shard was named', 'Name runs, folders of runs, or the pipeline.')]
  if (first.state.plan.shard === undefined) return []
  const { file, shard } = first.state.plan
  return shardList(shard.of).flatMap((text, at) => {
    const found = shards.filter(one => numberOf(one) === at + 1).map(({ state }) => state.runId)
    if (found.length === 1) return []
    if (found.length === 0)
      return [
        refuse(
          `the shard ${text} is missing`,
          'Run the shard with the options of the other shards.',
          action('run', file, '--shard', text),
        ),
      ]
    return [refuse(`the shard ${text} is there ${found.length} times: ${found.join(', ')}`, 'Name one of them.')]
  })
}

function unfinishedOrFailed(shards: readonly ShardRun[]): Issue[] {
  return shards.flatMap(({ state: { plan, runId, finished, status, detached, error } }) => {
    if (plan.shard === undefined) return []
    const which = `the shard ${shardText(plan.shard)} (run ${runId})`
    if (!finished) {
      const next = action(detached ? 'collect' : 'resume', runId)
      return [issue('FETTLE_SHARD', `${which} is not finished`, { hint: `${detached ? 'Collect' : 'Resume'} it.`, action: next })]
    }
    if (status !== 'error' && status !== 'fail') return []
    const why = error === null ? '' : `: ${error.message}`
    return [
      refuse(
        `${which} ended in an error${why}`,
        'Run the shard again.',
        action('run', plan.file, '--shard', shardText(plan.shard)),
      ),
    ]
  })
}
