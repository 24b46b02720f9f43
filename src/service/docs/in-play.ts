/** How a play changes the schemas of the description; the operations that it lacks are left out where they are listed. */
import type { JsonSchema } from '../../contract/index.ts'
import type { Play } from '../plays.ts'

type Schemas = Readonly<Record<string, JsonSchema>>

/** Records with dates as `dateOf` of a play writes them. */
const DATED = ['Job', 'UploadedFile']
const SAFE_NUMBERS = ['safeNo', 'safeNumber']

const orNull = (form: JsonSchema): JsonSchema => ({ ...form, type: [...new Set([form.type, 'null'].flat())] })

/** The fields of a schema, replaced where `change` returns a form. */
function withFields(schema: JsonSchema, change: (name: string, form: JsonSchema) => JsonSchema | null): JsonSchema {
  const fields = Object.entries((schema.properties ?? {}) as Schemas)
  if (fields.length === 0) return schema
  return { ...schema, properties: Object.fromEntries(fields.map(([name, form]) => [name, change(name, form) ?? form])) }
}

/** What is null until the job is enriched. The summary has its own schema. */
const NULL_BEFORE = ['countryCode', 'portfolioId', 'jobEnrichmentSettings']

function jobField(play: Play, name: string, form: JsonSchema): JsonSchema | null {
  if (name === 'source') return { type: 'string', enum: [play.source] }
  return play.enrichedAt !== null && NULL_BEFORE.includes(name) ? orNull(form) : null
}

export function inPlay(play: Play, schemas: Schemas): Schemas {
  const zoned = play.dateOf(0).endsWith('Z')
  const safeNumber = { type: 'string', pattern: `^[A-Z]{2}\\d{${play.safeDigits}}$` }
  const changed = Object.entries(schemas).map(([id, schema]) => {
    const change = (name: string, form: JsonSchema): JsonSchema | null => {
      if (SAFE_NUMBERS.includes(name)) return { ...safeNumber, type: form.type }
      if (zoned && DATED.includes(id) && /A[tT]$/.test(name)) return { type: 'string', format: 'date-time' }
      return id === 'Job' ? jobField(play, name, form) : null
    }
    const form = withFields(schema, change)
    return [id, id === 'JobSummary' && play.enrichedAt !== null ? orNull(form) : form]
  })
  return Object.fromEntries(changed)
}
