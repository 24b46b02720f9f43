/** `fettle runs`: lists the stored runs, newest first. */
import { listedRun, listRunIds, queuedRun } from '../../../app/index.ts'
import { EXIT, FettleError } from '../../../errors.ts'
import { escapeTerminal, resultLine, resultLineOf } from '../../../report/index.ts'
import type { Flags } from '../../command.ts'
import { queuedLine } from '../../options/queue.ts'
import { isOn, needText } from '../../options/read.ts'
import type { Io } from '../../terminal/io.ts'

const COLUMNS = ['RUN', 'STATUS', 'EXIT', 'ROWS', 'MATCHED', 'STARTED'] as const

/** A run that cannot be read is listed with its error. */
export async function run(flags: Flags, io: Io): Promise<number> {
  const runsDir = needText(flags, 'runs-dir')
  const ids = listRunIds(runsDir)
  if (isOn(flags, 'json')) {
    for (const id of ids) io.out(lineOf(runsDir, id))
    return EXIT.ok
  }
  if (ids.length === 0) io.err(escapeTerminal(`no run in ${runsDir}`))
  else io.out(table([COLUMNS, ...ids.map(id => rowOf(runsDir, id))]))
  return EXIT.ok
}

const lineOf = (runsDir: string, id: string): string => {
  try {
    const queued = queuedRun(runsDir, id)
    if (queued !== null) return queuedLine(queued, 'running', null)
    const { report, state, code } = listedRun(runsDir, id)
    return resultLine({ ...report(), exitCode: code ?? state.exitCode })
  } catch (error) {
    const { code, message, hint, exitCode } = FettleError.is(error) ? error : new FettleError('FETTLE_BUG')
    return resultLineOf({ status: 'error', exitCode, runId: id, pipeline: null, error: { code, message, hint } })
  }
}

function rowOf(runsDir: string, id: string): string[] {
  try {
    if (queuedRun(runsDir, id) !== null) return [id, 'queued', '-', '-', '-', '-']
    const { state, status, code, matchRate } = listedRun(runsDir, id)
    const rate = matchRate === null ? '-' : `${(matchRate * 100).toFixed(1)}%`
    const word = state.status === 'running' ? status : state.status
    return [id, word, String(code ?? '-'), String(state.plan.rows), rate, state.startedAt.slice(0, 19).replace('T', ' ')]
  } catch (error) {
    return [id, FettleError.is(error) ? error.code : 'unreadable', '-', '-', '-', '-']
  }
}

function table(rows: readonly (readonly string[])[]): string {
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map(row => row[column]?.length ?? 0)))
  return rows
    .map(row =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
