/** Descriptions of searches and reports by the service: criteria, schemas, country data: contract §9.4, §9.5. */
import { z } from 'zod'
import { lazy } from '../lazy.ts'

/** What one criterion takes; only `required` or `optional` is there always. */
export const criterion = lazy(() =>
  z.looseObject({
    required: z.boolean().optional(),
    optional: z.boolean().optional(),
    minLength: z.number().int().optional(),
    maxLength: z.number().int().optional(),
    allowedValues: z.array(z.string()).optional(),
    validationRegExp: z.string().optional(),
  }),
)

/** Answer of the two `searchcriteria` operations: which criteria may be used together; those of an address are nested. */
export const criteriaReply = lazy(() =>
  z.looseObject({
    correlationId: z.string().optional(),
    countries: z.array(z.string()),
    languages: z.array(z.string()),
    criteriaSets: z.array(z.record(z.string(), z.union([criterion, z.record(z.string(), criterion)]))),
  }),
)

/** Answer of `GET /companies/schema/{countryCode}`: a JSON schema. */
export const schemaReply = lazy(() => z.looseObject({}))

/** Answer of `GET /reportcustomdata/{country}`: what `customData` may or must hold there. */
export const customDataReply = lazy(() =>
  z.looseObject({
    country: z.string(),
    customData: z.array(
      z.looseObject({
        key: z.string(),
        optional: z.boolean(),
        allowedValues: z.array(z.string()).optional(),
        description: z.array(z.string()).optional(),
      }),
    ),
  }),
)

export type Criterion = z.infer<typeof criterion>
