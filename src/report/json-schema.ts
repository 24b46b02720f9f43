/** The JSON Schemas of reports and events, generated from the zod schemas. A newer minor version may add keys. */
import { z } from 'zod'
import { eventSchema } from './formats/event.ts'
import { reportSchema } from './schema.ts'

export function reportJsonSchema(): object {
  const { $schema, ...rest } = z.toJSONSchema(reportSchema, { target: 'draft-7', io: 'input' })
  return { $schema, title: 'fettle report', description: 'The outcome of every row of a run (fettle/report/v1).', ...rest }
}

export function eventJsonSchema(): object {
  const { $schema, ...rest } = z.toJSONSchema(eventSchema, { target: 'draft-7', io: 'input' })
  return { $schema, title: 'fettle event', description: 'An event of a pipeline (fettle/event/v1).', ...rest }
}
