/** Checks the limits of the output format before anything is sent. */
import { type Issue, issue, type Place } from '../../errors.ts'
import { formatFacts } from '../../formats/index.ts'
import type { InputFacts } from '../model/types.ts'
import type { Pipeline } from '../schema/pipeline.ts'

export function formatLimitIssues(
  { output }: Pick<Pipeline, 'output'>,
  facts: InputFacts,
  rows: number,
  at: Place | null,
): Issue[] {
  const limits = output === null ? null : formatFacts(output.format).limits
  if (output === null || limits === null) return []
  const columns = output.columns.reduce((sum, name) => sum + (name === '*' ? facts.columns : 1), 0)
  const bytes = (facts.packed?.bytes ?? facts.bytes) * Math.min(1, rows / facts.rows) + rows * columns * limits.markup
  const error = (message: string): Issue[] => [
    issue('FETTLE_OUTPUT_LIMIT', `output.format: ${output.format}: ${message}`, { at }),
  ]
  if (rows > limits.rows) return error(`${rows} rows, and a sheet holds ${limits.rows} below its header`)
  if (columns > limits.columns) return error(`${columns} columns, and a sheet holds ${limits.columns}`)
  if (rows > 0 && bytes > limits.bytes)
    return error(`${rows} rows of ${columns} columns come to about ${Math.ceil(bytes / 1024 ** 3)} GiB of XML`)
  return []
}
