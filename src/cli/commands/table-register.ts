/** Any list as a register, for `register import` and `clean --against`. */
import { type InspectedTable, inspectTable, REGISTER_COLUMNS_OF } from '../../prepare/table-register.ts'
import { KINDS } from '../../service/registers/index.ts'
import type { Flags } from '../command.ts'
import { listFlag } from '../options/read.ts'
import type { Io } from '../terminal/io.ts'
import { inspectInput, readDecisions, readReading } from './init/proposal.ts'

const TARGETS = [...new Set([...Object.keys(REGISTER_COLUMNS_OF), ...KINDS.csv.header.split(',')])]

/** Reads `file` as a list. `flags` are those of a list: `map`, `sheet`, `encoding` …; `id` names the column of its ids. */
export async function readTable(file: string, flags: Flags, io: Io): Promise<InspectedTable> {
  const ids = listFlag(flags, 'id').map(column => `key=${column}`)
  const maps = listFlag(flags, 'map').map(text => text.replace(/^id=/, 'key='))
  const inspected = await inspectInput(readReading({ ...flags, file }), io)
  return inspectTable(inspected, readDecisions({ map: [...maps, ...ids] }, inspected, TARGETS))
}
