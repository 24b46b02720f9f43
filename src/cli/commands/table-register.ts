/** Any list as a register, for `register import` and `clean --against`. */
import { type InspectedTable, tableTargets, takeTable } from '../../prepare/table-register.ts'
import { escapeTerminal } from '../../report/formats/escape.ts'
import type { RegisterInfo } from '../../service/registers/index.ts'
import type { Flags } from '../command.ts'
import { listFlag } from '../options/read.ts'
import type { Io } from '../terminal/io.ts'
import { inspectInput, readDecisions, readReading } from './init/proposal.ts'

/** Reads `file` as a list, by flags such as `map` and `sheet`; `id` names the column of its ids. Throws FETTLE_INPUT_COLUMNS without names. */
export async function readTable(file: string, flags: Flags, io: Io): Promise<InspectedTable> {
  const ids = listFlag(flags, 'id').map(column => `key=${column}`)
  const maps = listFlag(flags, 'map').map(text => text.replace(/^id=/, 'key='))
  const { inspected } = await inspectInput(readReading({ ...flags, file }, io.cwd), io)
  return takeTable(
    file,
    inspected,
    readDecisions({ map: [...maps, ...ids] }, inspected, await tableTargets()),
    '--map name=HEADER',
  )
}

/** Rows that an import left out, which cannot be matched. */
export function printSkipped(io: Io, skipped: number, rows: RegisterInfo['skippedRows'], of = ''): void {
  for (const row of rows) io.err(escapeTerminal(`skipped line ${row.line}${of}: ${row.why}`))
  if (skipped > rows.length) io.err(`and ${skipped - rows.length} more${of}`)
}
