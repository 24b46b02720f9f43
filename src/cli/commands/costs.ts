/** `fettle costs`: prints what the runs spent. */
import { existsSync } from 'node:fs'
import { EXIT } from '../../errors.ts'
import { escapeTerminal, safeJson } from '../../report/index.ts'
import { tableText } from '../../results/index.ts'
import { type CostGroup, type CostLine, readCosts } from '../../spending/costs.ts'
import { type Flags, usageError } from '../command.ts'
import { isOn, needText, textFlag } from '../options/read.ts'
import type { Io } from '../terminal/io.ts'
import { columnsText } from './shared.ts'

const COLUMNS: readonly (keyof CostLine)[] = ['group', 'runs', 'rows', 'sent', 'jobs', 'requests', 'credits', 'unknown']

export async function run(flags: Flags, io: Io): Promise<number> {
  const by = needText(flags, 'by') as CostGroup
  const runsDir = needText(flags, 'runs-dir')
  const found = readCosts(runsDir, { month: readMonth(textFlag(flags, 'month')), by })
  if (isOn(flags, 'json')) {
    io.out(safeJson({ schema: 'fettle/costs/v1', ...found }))
    return EXIT.ok
  }
  const cells = (line: CostLine): string[] => COLUMNS.map(name => String(line[name]))
  const head = [by, ...COLUMNS.slice(1)]
  if (isOn(flags, 'csv')) io.out(tableText([head, ...found.lines.map(cells)]).trimEnd())
  else io.text(columnsText([head.map(name => name.toUpperCase()), ...found.lines.map(cells), cells(found.total)]))
  if (found.total.runs === 0 && !existsSync(runsDir)) io.err(escapeTerminal(`there is no folder ${runsDir}`))
  for (const id of found.unread) io.err(escapeTerminal(`warning: the run ${id} cannot be read, and what it spent is missing`))
  return EXIT.ok
}

function readMonth(text: string | null): string | null {
  if (text === 'this') return new Date().toISOString().slice(0, 7)
  if (text !== null && !/^\d{4}-(0[1-9]|1[0-2])$/.test(text))
    throw usageError(`--month ${text}: expected a month such as 2026-11, or this`)
  return text
}
