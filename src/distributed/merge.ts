/**
 * The results of shards joined to the rows of the list, as one run: its jobs are theirs, what came back for them is its own, and
 * from there it goes the way of any run whose jobs are done. Nothing is sent; one ledger is judged.
 */
import { action, errorOfIssues, FettleError, type Issue, issue } from '../errors.ts'
import type { RunResult, RunSettings } from '../execution/run-settings.ts'
import { startMerge } from '../execution/start.ts'
import type { JobState, MergedShards, RunArgs, StageState } from '../journal/index.ts'
import type { Fit } from '../model/list.ts'
import { mergedPlan, type Plan, shardText, wholePlan } from '../pipeline/index.ts'
import { findCurrentPipeline } from '../prepare/resume-context.ts'
import { registersOf, snapshotText } from '../report/service-words.ts'
import { linkOrCopy, receivedPath } from '../results/file-names.ts'
import { isAsReceived } from '../results/index.ts'
import { joinChoices } from '../reuse/join-choices.ts'
import { findFit } from '../reuse/settings.ts'
import type { RunDirectory } from '../runs/run-directory.ts'
import { completeShardSet, findShards, type ShardRun } from './shard-runs.ts'

/** The run that shards are merged into, where it has a directory already. */
export interface MergeInto {
  readonly runId: string
  /** Values of this command that replace those in the journals of the shards; theirs if absent. */
  readonly own?: { readonly plan: Partial<Plan>; readonly args: RunArgs } | undefined
}

/**
 * Merges the shards named into one run, `into` if it has a directory already. Throws FETTLE_MERGE and FETTLE_SHARD when they are not
 * all the shards of one list, not all done, or matched against different registers; FETTLE_INPUT_CHANGED when the list is
 * a different one by now; FETTLE_DECISIONS_LOST.
 */
export async function mergeRuns(
  wanted: readonly string[],
  settings: Omit<RunSettings, 'credentials' | 'timeoutMs'>,
  into?: MergeInto,
): Promise<RunResult> {
  const shards = completeShardSet(findShards(settings.runsDir, wanted))
  const differences = matchingDifferences(shards)
  if (differences.length > 0 && settings.mixedRegisters !== true) {
    const joined = action('merge', '--mixed-registers', ...wanted)
    throw errorOfIssues(differences.map(({ message, hint }) => issue('FETTLE_MERGE', message, { hint, action: joined })))
  }
  const mixed = differences.map(({ message }) => issue('FETTLE_REGISTER_CHANGED', message, { severity: 'warn' }))
  const first = shards[0]!.state
  const own = into?.own
  const state = own === undefined ? first : { ...first, args: own.args, plan: { ...first.plan, ...own.plan } }
  const { live, links, notify } = findCurrentPipeline(state, settings, true)
  const plan = { ...mergedPlan(shards.map(shard => shard.state.plan)), ...own?.plan, ...live }
  const credentials = (): never => {
    throw new FettleError('FETTLE_BUG', 'a merge needs no credentials')
  }
  const all = { ...settings, links, notify, credentials, timeoutMs: null }
  const fillIn = async (directory: RunDirectory): Promise<Pick<MergedShards, 'reuse'>> => {
    await fill(shards, directory)
    return { reuse: await joinedReuse(shards, directory) }
  }
  const merge = { plan, runId: into?.runId, identity: state.identity, merged: describeMerge(shards, mixed), fill: fillIn }
  return startMerge({ ...merge, undo: action('merge', '--drop-decisions', ...wanted) }, all)
}

/** Those with rows to ask about; the others did nothing. */
const withRows = (shards: readonly ShardRun[]): readonly ShardRun[] =>
  shards.filter(({ state }) => wholePlan(state.plan).sent > 0)

/** The earlier answers of all shards as answers of the new run. Throws FETTLE_OUTPUT_WRITE. */
async function joinedReuse(shards: readonly ShardRun[], { path }: RunDirectory): Promise<MergedShards['reuse']> {
  const asked = withRows(shards)
  if (asked.every(({ state }) => state.reuse === null)) return undefined
  const joined = await joinChoices(
    asked.map(({ state, directory }) => ({ workDir: directory.path, plan: state.plan, counts: state.reuse?.counts ?? null })),
    path,
  )
  const [fit] = asked.flatMap(({ state }) => state.reuse?.fit ?? [])
  return fit === undefined ? joined : { ...joined, fit }
}

function describeMerge(shards: readonly ShardRun[], mixed: readonly Issue[]): MergedShards {
  const states = withRows(shards).map(({ state }) => state)
  const known = new Set(states[0]?.plan.issues.map(keyOf))
  const all = [...mixed, ...states.flatMap(({ issues }) => issues)]
  const issues = all.filter(one => !known.has(keyOf(one)) && known.add(keyOf(one)))
  const sum = (of: (http: MergedShards['http']) => number): number => states.reduce((total, { http }) => total + of(http), 0)
  return {
    runs: shards.map(({ state }) => state.runId),
    jobs: states.flatMap(({ jobs }) => jobs).map((job, part): JobState => ({ ...job, part })),
    // Shards are of one plan, so they have the same stages.
    stages: (states[0]?.stages ?? []).map(({ name }) =>
      stageOf(
        states.flatMap(({ stages }) => stages.filter(stage => stage.name === name)),
        name,
      ),
    ),
    issues,
    http: {
      requests: sum(http => http.requests),
      retries: sum(http => http.retries),
      throttledMs: sum(http => http.throttledMs),
    },
  }
}

const keyOf = ({ code, message }: Issue): string => `${code} ${message}`

/** A stage over all shards. Of the last one the joining is left to do. */
function stageOf(stages: readonly StageState[], name: StageState['name']): StageState {
  // A shard whose answers are all known skips what the others do.
  const first = stages.find(({ status }) => status !== 'skipped') ?? stages[0]
  const nothing = { name, status: 'pending', startedAt: null, elapsedMs: 0, attempts: 0, note: null } as const
  if (first === undefined || (name === 'download' && first.status !== 'skipped')) return nothing
  return {
    name,
    status: first.status,
    startedAt: stages.map(({ startedAt }) => startedAt).reduce((a, b) => (a === null || (b !== null && b < a) ? b : a)),
    elapsedMs: stages.reduce((total, { elapsedMs }) => total + elapsedMs, 0),
    attempts: Math.max(...stages.map(({ attempts }) => attempts)),
    note: first.note,
  }
}

/** Gives the new run what came back for the shards, as its own: a link where the disk can, else a copy. */
async function fill(shards: readonly ShardRun[], directory: RunDirectory): Promise<void> {
  let part = 0
  for (const { state, directory: own } of withRows(shards))
    for (const job of state.jobs) {
      const to = receivedPath(directory.path, part++)
      if (job.received === null) continue
      const from = receivedPath(own.path, job.part)
      if (!(await isAsReceived(from, job.received))) throw lost(state, from)
      await linkOrCopy(from, to)
    }
}

function lost({ plan, runId }: ShardRun['state'], path: string): FettleError {
  const text = plan.shard === undefined ? '' : shardText(plan.shard)
  return new FettleError('FETTLE_MERGE', `the results of shard ${text} (run ${runId}) are not there as they came: ${path}`, {
    hint: 'Restore the directory of that run, or run the shard again.',
    action: action('run', plan.file, '--shard', text, '--new'),
  })
}

interface Answered {
  readonly shard: string
  readonly runId: string
  readonly registers: NonNullable<ReturnType<typeof registersOf>>
  /** Null for a service that estimates nothing, or without a job. */
  readonly fit: string | null
}

export interface Difference {
  readonly message: string
  readonly hint: string
}

/** What the registers of the shards, or what was estimated of their list, differ in; shards whose registers are unknown are not compared. */
function matchingDifferences(shards: readonly ShardRun[]): readonly Difference[] {
  const [first, ...others] = shards.flatMap(({ state }): Answered[] => {
    const { plan, runId } = state
    const registers = registersOf(state)
    return registers === null || plan.shard === undefined
      ? []
      : [{ shard: shardText(plan.shard), runId, registers, fit: fitText(findFit(state)) }]
  })
  if (first === undefined) return []
  const other = others.find(shard => nameRegisters(shard) !== nameRegisters(first))
  const named = ({ shard, runId }: Answered): string => `shard ${shard} (run ${runId})`
  const names =
    other === undefined
      ? []
      : [
          {
            message: `${named(other)} was matched against ${nameRegisters(other)}, and ${named(first)} against ${nameRegisters(first)}`,
            hint: 'Run the shard again against the same registers, or join them as they are.',
          },
        ]
  const [fitted, ...fits] = [first, ...others].filter(({ fit }) => fit !== null)
  const refitted = fits.find(({ fit }) => fit !== fitted?.fit)
  const differences = [...names, ...compareImports(first, others)]
  if (fitted === undefined || refitted === undefined || differences.length > 0) return differences
  return [
    {
      message: `${named(refitted)} and ${named(fitted)} were matched as two different lists: the service estimated ${refitted.fit} and ${fitted.fit}`,
      hint: 'Start a new run of one of the shards, so that the service estimates the same for both, or join them as they are.',
    },
  ]
}

const fitText = (fit: Fit | null): string | null => fit && JSON.stringify(fit)

const compareImports = (first: Answered, others: readonly Answered[]): Difference[] =>
  first.registers.flatMap(register => {
    const { name, sha256 } = register
    const isOther = (found: typeof register): boolean => found.name === name && found.sha256 !== sha256
    const other = others.find(({ registers }) => registers.some(isOther))
    const changed = other?.registers.find(isOther)
    if (other === undefined || changed === undefined) return []
    const then = `its snapshot is of ${snapshotText(register, changed)} in shard ${first.shard} and of ${snapshotText(changed, register)} in shard ${other.shard}`
    return [
      {
        message: `shards used different imports of the register ${name}: ${then}`,
        hint: 'Start new runs of the shards of one import, or join them as they are.',
      },
    ]
  })

const nameRegisters = ({ registers }: Answered): string => {
  const names = [...new Set(registers.map(({ name }) => name))]
  return `the ${names.length === 1 ? 'register' : 'registers'} ${names.join(', ')}`
}
