/** The schema of the checksums in a report: what `fettle verify` compares. */
import { z } from 'zod'

const known = z.int().nonnegative()

export const sealSchemas = {
  journal: z
    .object({ events: known, head: z.string().describe('the checksum of its last line, which depends on every line before') })
    .nullable()
    .default(null)
    .describe('the journal that this was made from; null in runs of older versions'),
  files: z
    .array(z.object({ path: z.string(), bytes: known, sha256: z.string() }))
    .default([])
    .describe('files of the run directory as of the end of the run; only in its own report.json'),
  checksum: z
    .string()
    .nullable()
    .default(null)
    .describe('SHA-256 of this file with an empty text here; only in the report.json of a run directory'),
}
