/**
 * Refuses a list that shrank since the last good run of its series, which a truncated extract does, and one whose columns are not those that
 * the pipeline expects.
 */

import { findIdentity } from '../env/identity.ts'
import { FettleError, type Issue, issue } from '../errors.ts'
import { filledRows } from '../model/list.ts'
import type { ReporterDispatcher } from '../observe/reporters.ts'
import { isSameWork, type Plan } from '../pipeline/index.ts'
import type { Threshold } from '../pipeline/model/types.ts'
import { compareLists, isBeyond, percent } from '../run/index.ts'
import { lastGoodRun, runToContinue } from '../runs/run-store.ts'
import { compareColumns } from './compare-columns.ts'
import { runAgainWith } from './decisions.ts'
import type { Prepared } from './prepare.ts'

interface KeptListOptions {
  readonly runsDir: string
  readonly acceptList?: boolean
  readonly observers?: ReporterDispatcher
}

const HALF: Threshold = { text: '< 50%', operator: '<', value: 0.5, unit: 'share' }
/** By default shorter lists are not compared: half of a few rows means nothing. */
const MANY_ROWS = 20

type Losses = Readonly<Record<'warn' | 'fail', readonly string[]>>

/** What the list, and its columns, lost since the last good run, by severity. */
function findLosses(plan: Plan, identity: string | null, runsDir: string): { readonly shrunk: Losses; readonly columns: Losses } {
  const before = filledRows(plan.input) === 0 ? null : lastGoodRun(runsDir, { plan, identity })
  const losses: Record<'warn' | 'fail', string[]> = { warn: [], fail: [] }
  if (before === null) return { shrunk: losses, columns: losses }
  const isMany = filledRows(before.plan.input) >= MANY_ROWS
  for (const { check, share, text } of compareLists(plan, before.plan)) {
    const planned = plan.checks.find(({ name }) => name === check) ?? { warn: null, fail: isMany ? HALF : null }
    for (const severity of ['warn', 'fail'] as const) {
      const bound = planned[severity]
      if (bound === null || !isBeyond(share, bound)) continue
      const shown = `${percent(share, bound.value)}; checks.${check}: ${bound.text}`
      losses[severity].push(`${text} in the last good run ${before.runId} (${shown})`)
    }
  }
  const { warn, fail } = compareColumns(plan, before.plan)
  const named = (texts: readonly string[]): string[] =>
    texts.length === 0 ? [] : [[...texts, `compared with the last good run ${before.runId}`].join('; ')]
  return { shrunk: losses, columns: { warn: named(warn), fail: named(fail) } }
}

/**
 * Compares the list with the last good run. `checks.rows` and `checks.filled` set the bounds; by default a list of 20 rows or more that
 * keeps fewer than half of its rows, or of the filled cells of a column, is refused. Throws FETTLE_INPUT_SHRUNK, FETTLE_INPUT_DRIFT.
 */
export function assertListKept(plan: Plan, identity: string, options: KeptListOptions): void {
  const { runsDir, acceptList = false, observers } = options
  if (acceptList) return
  const { shrunk, columns } = findLosses(plan, identity, runsDir)
  for (const text of [...shrunk.warn, ...columns.warn]) observers?.emit('onNote', text)
  const fail = [...shrunk.fail, ...columns.fail]
  if (fail.length === 0) return
  const code = shrunk.fail.length > 0 ? 'FETTLE_INPUT_SHRUNK' : 'FETTLE_INPUT_DRIFT'
  throw new FettleError(code, fail.join('; '), { action: runAgainWith('--accept-list', plan) })
}

/** The same as issues, for commands that only look at a plan. A run that would be resumed was compared when it started. */
export function listIssues({ plan, credentials }: Pick<Prepared, 'plan' | 'credentials'>, runsDir: string): Issue[] {
  if (plan === null) return []
  const identity = findIdentity(plan.service, credentials)
  const last = runToContinue(plan, identity, runsDir)
  if (last !== null && !last.finished && isSameWork(last.plan, plan)) return []
  const { shrunk, columns } = findLosses(plan, identity, runsDir)
  const action = runAgainWith('--accept-list', plan)
  return [
    ...shrunk.warn.map(text => issue('FETTLE_INPUT_SHRUNK', text, { severity: 'warn' })),
    ...shrunk.fail.map(text => issue('FETTLE_INPUT_SHRUNK', text, { action })),
    ...columns.warn.map(text => issue('FETTLE_INPUT_DRIFT', text, { severity: 'warn' })),
    ...columns.fail.map(text => issue('FETTLE_INPUT_DRIFT', text, { action })),
  ]
}
