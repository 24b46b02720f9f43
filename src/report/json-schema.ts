/** schema/report.v1.json, made of the zod schema: what a reader of reports may rely on. A newer minor version may add keys. */
import { z } from 'zod'
import { reportSchema } from './schema.ts'

/** JSON Schema (draft 7) of `report.json`. */
export function reportJsonSchema(): object {
  const { $schema, ...rest } = z.toJSONSchema(reportSchema, { target: 'draft-7', io: 'input' })
  return { $schema, title: 'fettle report', description: 'What became of every row of a run (fettle/report/v1).', ...rest }
}
