/** The JSON Schemas of reports and events, made of the zod schemas: what readers may rely on. A newer minor version may add keys. */
import { z } from 'zod'
import { eventSchema } from './formats/event.ts'
import { reportSchema } from './schema.ts'

/** JSON Schema (draft 7) of `report.json`. */
export function reportJsonSchema(): object {
  const { $schema, ...rest } = z.toJSONSchema(reportSchema, { target: 'draft-7', io: 'input' })
  return { $schema, title: 'fettle report', description: 'What became of every row of a run (fettle/report/v1).', ...rest }
}

/** JSON Schema (draft 7) of a line of `json-events`. */
export function eventJsonSchema(): object {
  const { $schema, ...rest } = z.toJSONSchema(eventSchema, { target: 'draft-7', io: 'input' })
  return { $schema, title: 'fettle event', description: 'Something that happened to a pipeline (fettle/event/v1).', ...rest }
}
