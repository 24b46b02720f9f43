/** The input in a report: a file, or several as one list. */
import { z } from 'zod'

const known = z.int().nonnegative()
const sha256 = z.string().describe('lower-case hex')

export const inputSchema = z.object({
  path: z.string(),
  files: z
    .array(z.object({ path: z.string(), sha256, bytes: known, rows: known }))
    .optional()
    .describe(
      'of an input of several files, in order; path is a folder or has wildcards, and sha256 is that of their hashes and paths',
    ),
  sha256,
  bytes: known,
  rows: known,
  encoding: z.string(),
  bom: z.boolean(),
  delimiter: z.string(),
  delimiterEvidence: z.string(),
  header: z.array(z.string()).nullable().describe('null for a file without a header'),
  columns: known,
  blankLines: known,
  lineEnd: z.string(),
})
