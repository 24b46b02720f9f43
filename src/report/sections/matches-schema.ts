/** The schema of registers, bands and patterns in reports. */
import { z } from 'zod'
import { company, key, known, name, row } from '../schema-values.ts'

const placements = {
  matched: known.describe('rows that are matched'),
  review: known.describe('rows in review'),
  unmatched: known.describe('rows that are unmatched'),
}

export const acceptSchema = z
  .object({
    banding: z.array(z.string()).nullable().describe('bands that are matched; null: all'),
    review: z.array(z.string()).describe('bands that are left for review'),
    pattern: z.record(z.string(), z.string()).nullable().describe('mapping -> letters that a match may have'),
  })
  .nullable()
  .default(null)
  .describe('which matches of the service stand; null: all')

export const registersSchema = z
  .array(
    z.object({
      name: z.string().describe('name of the register'),
      snapshotDate: z.string().nullable().describe('day of the snapshot; null for the sample'),
      sha256: z.string().nullable().describe('digest of the snapshot; null for the sample'),
    }),
  )
  .nullable()
  .default(null)
  .describe('registers that the rows were matched against')

/** What the service took for known of the list. */
export const listFacts = {
  partial: z
    .object({
      rows: z.number().describe('rows of the run'),
      of: z.number().describe('rows of the list'),
      target: z.string().nullable().describe('the target of the project file'),
    })
    .nullable()
    .default(null)
    .describe('of a run with a limit'),
  inRegister: z
    .number()
    .nullable()
    .default(null)
    .describe('estimated share of the list in the register; null for a different service'),
  companyNumbers: z
    .enum(['reliable', 'unreliable'])
    .nullable()
    .default(null)
    .describe('whether the company numbers of the list count; null for a different service'),
}

const group = {
  value: z.string().describe('the text of the service'),
  rows: known.describe('rows with it'),
  ...placements,
  examples: z
    .array(
      z.object({
        row,
        key,
        name,
        company,
      }),
    )
    .describe('the first rows; only with report.rows: all'),
}

export const matchesSchema = z
  .object({
    bands: z
      .array(
        z.object({
          ...group,
          moves: z.object(placements).describe('rows that would move if the band were accepted, left for review, or left out'),
        }),
      )
      .describe('by general.banding'),
    patterns: z.array(z.object(group)).describe('by general.pattern'),
    others: z
      .object({ bands: known.describe('rows of bands'), patterns: known.describe('rows of patterns') })
      .describe('rows of bands and patterns that are not listed'),
    byPattern: known.describe('rows in review that would be matched without accept.pattern'),
  })
  .nullable()
  .default(null)
  .describe('rows with a company by general.banding and general.pattern, before decisions')
