/** What an Excel workbook cannot hold, as far as it is known before anything is sent. It knows limits, not how one is written. */
import { type Issue, issue, type Place } from '../../errors.ts'
import type { InputFacts } from '../model/types.ts'
import type { Pipeline } from '../schema/pipeline.ts'

/** Excel's own limits; the header takes a row. */
const MAX_ROWS = 1_048_575
const MAX_COLUMNS = 16_384
/** A sheet of 4 GiB needs a kind of archive that not every reader knows; of each cell, so much is markup. */
const MAX_BYTES = 0xffff_0000
const MARKUP_BYTES = 70

/** Why the output of `rows` rows of this input would be no workbook. */
export function workbookIssues({ output }: Pick<Pipeline, 'output'>, facts: InputFacts, rows: number, at: Place | null): Issue[] {
  if (output?.format !== 'xlsx') return []
  const columns = output.columns.reduce((sum, name) => sum + (name === '*' ? facts.columns : 1), 0)
  const bytes = (facts.packed?.bytes ?? facts.bytes) * Math.min(1, rows / facts.rows) + rows * columns * MARKUP_BYTES
  const say = (message: string): Issue[] => [issue('FETTLE_OUTPUT_LIMIT', `output.format: xlsx: ${message}`, { at })]
  if (rows > MAX_ROWS) return say(`${rows} rows, and a sheet holds ${MAX_ROWS} below its header`)
  if (columns > MAX_COLUMNS) return say(`${columns} columns, and a sheet holds ${MAX_COLUMNS}`)
  if (rows > 0 && bytes > MAX_BYTES)
    return say(`${rows} rows of ${columns} columns come to about ${Math.ceil(bytes / 1024 ** 3)} GiB of XML`)
  return []
}
