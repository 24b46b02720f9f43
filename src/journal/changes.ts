/** The changes against an earlier run, as the journal records them. */
import { z } from 'zod'
import { CHANGE_KINDS, type ChangeCause, type ChangeCounts, type ChangeKind, type RunChanges } from '../model/results.ts'

const text = z.string()
const place = z.object({ outcome: text, company: z.object({ id: text, name: text }) }).nullable()
const counts = Object.fromEntries(CHANGE_KINDS.map(kind => [kind, z.number()]))

export const runChanges: z.ZodType<RunChanges> = z.object({
  against: text,
  counts: z.object(counts) as unknown as z.ZodType<ChangeCounts>,
  rows: z.array(
    z.object({
      kind: text as unknown as z.ZodType<ChangeKind>,
      cause: text as unknown as z.ZodType<ChangeCause>,
      row: z.number().nullable(),
      key: text.nullable(),
      name: text,
      before: place,
      after: place,
      columns: z.array(z.object({ name: text, before: text, after: text })),
    }),
  ),
})
