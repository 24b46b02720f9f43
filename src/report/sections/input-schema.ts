/** The input in a report: a file, or several as one list. */
import { z } from 'zod'
import { bytes, known, sha256 } from '../schema-values.ts'

export const inputSchema = z
  .object({
    path: z.string().describe('path, address or table; several files: the folder or pattern'),
    files: z
      .array(z.object({ path: z.string().describe('the file'), sha256, bytes, rows: known.describe('rows of the file') }))
      .optional()
      .describe(
        'of an input of several files, in order; path is a folder or has wildcards, and sha256 is that of their hashes and paths',
      ),
    sha256,
    bytes,
    rows: known.describe('data rows'),
    encoding: z.string().describe('the encoding it was read in'),
    bom: z.boolean().describe('it begins with a byte order mark'),
    delimiter: z.string().describe('character between cells'),
    delimiterEvidence: z.string().describe('why this character, in words'),
    header: z.array(z.string()).nullable().describe('the headers; null for a file without a header'),
    columns: known.describe('columns'),
    blankLines: known.describe('blank lines, which are no rows'),
    lineEnd: z.string().describe('lf, crlf …'),
  })
  .describe('the list')
