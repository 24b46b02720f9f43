/** The schema of what a run changed against the last good run. */
import { z } from 'zod'
import { CHANGE_KINDS, type ChangeCounts } from '../../model/results.ts'
import { company, key, known, name } from '../schema-values.ts'

const place = z
  .object({ outcome: z.string().describe('the outcome'), company })
  .nullable()
  .describe('null where the list does not have the row')

const counts = z.object(
  Object.fromEntries(CHANGE_KINDS.map(kind => [kind, known.describe('rows')])) as Record<keyof ChangeCounts, typeof known>,
)

export const changesSchema = z
  .object({
    against: z.string().describe('the earlier run'),
    counts: counts.describe('rows by kind of change (nights.md)'),
    rows: z
      .array(
        z.object({
          kind: z.enum(CHANGE_KINDS).describe('as in counts'),
          cause: z.enum(['list', 'answer', 'company', 'decision']).describe('what made the difference'),
          row: known.nullable().describe('data row from 1; null when it is gone'),
          key,
          name,
          before: place,
          after: place,
          columns: z
            .array(
              z.object({
                name: z.string().describe('the column'),
                before: z.string().describe('text of the earlier run'),
                after: z.string().describe('text of this run'),
              }),
            )
            .describe('of changed: the columns that differ'),
        }),
      )
      .describe('the first of each kind; only with report.rows: all'),
  })
  .nullable()
  .default(null)
  .describe('rows that differ from the last good run')
