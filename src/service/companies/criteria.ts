/**
 * Describes the criteria that searches accept. They are read from the schemas that validate the requests, so that both agree
 * (contract §9.4, §9.5, §11.2).
 */
import { z } from 'zod'
import { type Criterion, JSON_SCHEMA_OPTIONS, OPERATIONS, writtenForm } from '../../contract/index.ts'
// Parameters of the searches, with their paths among the criteria.
import PATHS from './criteria.json' with { type: 'json' }

export const LANGUAGES = ['EN'] as const

type Set = Record<string, Criterion | Record<string, Criterion>>

interface JsonSchema {
  readonly minLength?: number
  readonly maxLength?: number
  readonly enum?: readonly string[]
  readonly pattern?: string
  readonly items?: JsonSchema
}

function describeCriterion(schemas: JsonSchema | undefined, isRequired: boolean): Criterion {
  const { minLength, maxLength, enum: allowed, pattern } = schemas?.items ?? schemas ?? {}
  const form = { minLength, maxLength, allowedValues: allowed && [...allowed], validationRegExp: pattern }
  return { ...(isRequired ? { required: true } : { optional: true }), ...form }
}

function listProperties(schema: z.ZodType): Record<string, JsonSchema> {
  const properties = Object.entries(z.toJSONSchema(schema, JSON_SCHEMA_OPTIONS).properties ?? {})
  return Object.fromEntries(properties.map(([name, property]) => [name, writtenForm({ ...(property as object) }, 'takes')]))
}

/** One set of criteria per key parameter, which is required there; the others are optional. */
function listSets(schema: z.ZodType, paths: Readonly<Record<string, string>>, keys: readonly string[]): Set[] {
  const schemas = listProperties(schema)
  return keys.map(key => {
    const set: Set = {}
    for (const [parameter, path] of Object.entries(paths)) {
      const [outer = '', inner] = path.split('.')
      const criterion = describeCriterion(schemas[parameter], parameter === key)
      set[outer] = inner === undefined ? criterion : { ...(set[outer] as Record<string, Criterion>), [inner]: criterion }
    }
    return set
  })
}

/** `keys`: a search needs at least one of these parameters. */
export const companyCriteria = (keys: readonly string[]): Set[] => listSets(OPERATIONS.searchCompanies.query, PATHS.company, keys)

export const peopleCriteria = (keys: readonly string[]): Set[] => listSets(OPERATIONS.searchPeople.query, PATHS.person, keys)

export const reportSchema = (section: 'CompanyReportResponse' | 'DirectorReportResponse'): object =>
  writtenForm(
    z.toJSONSchema(OPERATIONS[section === 'CompanyReportResponse' ? 'readReport' : 'readPerson'].reply, JSON_SCHEMA_OPTIONS),
    'writes',
  )
