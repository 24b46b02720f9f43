/** The schema of the checksums in a report: what `fettle verify` compares. */
import { z } from 'zod'
import { bytes, known, sha256 } from '../schema-values.ts'

export const sealSchemas = {
  journal: z
    .object({
      events: known.describe('its events'),
      head: z.string().describe('the checksum of its last line, which depends on every line before'),
    })
    .nullable()
    .default(null)
    .describe('the journal that this was made from'),
  files: z
    .array(z.object({ path: z.string().describe('name in the run directory'), bytes, sha256 }))
    .default([])
    .describe('files of the run directory as of the end of the run; only in its own report.json'),
  checksum: z
    .string()
    .nullable()
    .default(null)
    .describe('SHA-256 of this file with an empty text here; only in the report.json of a run directory'),
}
