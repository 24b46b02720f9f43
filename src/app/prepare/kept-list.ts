/** Refuses a list that shrank since the last good run of its series: a truncated extract would replace a complete result. */
import { counted } from '../../counted.ts'
import { FettleError } from '../../errors.ts'
import { filledRows } from '../../model/filled-rows.ts'
import type { Plan } from '../../pipeline/index.ts'
import type { ListCheckName, Threshold } from '../../pipeline/model/types.ts'
import { isBeyond, percent } from '../../run/index.ts'
import type { ReporterDispatcher } from '../observe/reporters.ts'
import { lastGoodRun } from '../runs/run-queries.ts'
import { runAgainWith } from './kept-decisions.ts'

interface KeptListOptions {
  readonly runsDir: string
  readonly acceptList?: boolean
  readonly observers?: ReporterDispatcher
}

const HALF: Threshold = { text: '< 50%', operator: '<', value: 0.5, unit: 'share' }
/** By default shorter lists are not compared: half of a few rows means nothing. */
const MANY_ROWS = 20

interface Loss {
  readonly check: ListCheckName
  readonly share: number
  readonly text: string
}

/** What the list has now, compared with the last good run: its rows, and the filled cells of each mapped column. */
function compareLists(plan: Plan, before: Plan): Loss[] {
  const [rows, rowsBefore] = [filledRows(plan.input), filledRows(before.input)]
  const columns = (plan.profile ?? []).flatMap(({ mapping, header, filled }): Loss[] => {
    const was = (before.profile ?? []).find(column => column.mapping === mapping)
    if (was === undefined || was.filled === 0 || rows === 0) return []
    const name = `${mapping ?? 'key'}${header === null ? '' : ` (${header})`}`
    const text = `${name} is filled in ${filled} of ${counted(rows, 'row')}, and was in ${was.filled} of ${rowsBefore}`
    return [{ check: 'filled', share: filled / rows / (was.filled / rowsBefore), text }]
  })
  return [
    { check: 'rows', share: rows / rowsBefore, text: `the list has ${counted(rows, 'row')}, and had ${rowsBefore}` },
    ...columns,
  ]
}

/**
 * Compares the list with the last good run. `checks.rows` and `checks.filled` set the bounds; by default a list of 20 rows or more that
 * keeps fewer than half of its rows, or of the filled cells of a column, is refused. Throws FETTLE_INPUT_SHRUNK.
 */
export function assertListKept(plan: Plan, identity: string, options: KeptListOptions): void {
  const { runsDir, acceptList = false, observers } = options
  if (acceptList || filledRows(plan.input) === 0) return
  const before = lastGoodRun(runsDir, { plan, identity })
  if (before === null || filledRows(before.plan.input) === 0) return
  const found = compareLists(plan, before.plan)
  const since = `in the last good run ${before.runId}`
  const lossesBy = (severity: 'warn' | 'fail'): string[] =>
    found.flatMap(({ check, share, text }) => {
      const planned = plan.checks.find(({ name }) => name === check)
      const isMany = filledRows(before.plan.input) >= MANY_ROWS
      const bound = planned === undefined ? (severity === 'fail' && isMany ? HALF : null) : planned[severity]
      return bound !== null && isBeyond(share, bound)
        ? [`${text} ${since} (${percent(share)}; checks.${check}: ${bound.text})`]
        : []
    })
  for (const text of lossesBy('warn')) observers?.emit('onNote', text)
  const [first, ...more] = lossesBy('fail')
  if (first === undefined) return
  throw new FettleError('FETTLE_INPUT_SHRUNK', [first, ...more].join('; '), { action: runAgainWith('--accept-list', plan) })
}
