/** Declares the keys of `input`: a list in a file, at an address or in a database, and how it is read. */
import { z } from 'zod'
import { canonicalEncoding } from '../../encodings.ts'
import { parseThreshold } from '../source/durations.ts'
import { flag, map, orNull, pattern, text, whole } from './forms.ts'
import { columnReference } from './mapping-schema.ts'

const MAX_ROWS = 1_000_000_000
const path = text('a path')
const rows = () => whole(0, MAX_ROWS)

const LINES = 'auto, or how many lines from 0 to 1000'
const lines = () => z.union([z.literal('auto'), whole(0, 1000)], { error: LINES }).prefault(0)

const ENCODING = 'auto or an encoding such as utf-8, utf-16le, windows-1252, iso-8859-15, shift_jis or gb18030'
const SHEET = 'the name of a sheet, or its number from 1'
export const sheet = z.union([text(SHEET), whole(1, 10_000)], { error: SHEET })

const REJECTS = 'a count of rows, or a share such as 0.5%'
const rejectLimit = z
  .union([rows(), pattern(REJECTS, /^\d{1,3}(\.\d{1,6})?%$/)], { error: REJECTS })
  .refine(given => parseThreshold(`> ${given}`) !== null, { error: REJECTS })
  .transform(given => ({ ...parseThreshold(`> ${given}`)!, text: `${given}` }))

const ONE_PLACE = 'a path, or url of a database'

/** Exactly one of both. */
export function onePlace({ path, url }: { path?: string | undefined; url?: string | undefined }, context: z.RefinementCtx): void {
  if ((path === undefined) === (url === undefined))
    context.addIssue({ code: 'custom', message: ONE_PLACE, path: [path === undefined ? 'path' : 'url'] })
}

export const databaseUrl = text(
  'the address of a database such as postgresql://host/name, as one ${NAME}, or duckdb:folder/file.duckdb',
)

/** How the bytes of a text file are read. */
export const textKeys = {
  encoding: text(ENCODING)
    .refine(value => value === 'auto' || canonicalEncoding(value) !== null, { error: ENCODING })
    .transform(value => (value === 'auto' ? value : (canonicalEncoding(value) ?? value)))
    .prefault('auto')
    .describe('auto: byte-order mark, else strict UTF-8; anything else must be named.'),
  delimiter: pattern('auto or one character', /^(auto|[^"\r\n\0])$/)
    .prefault('auto')
    .describe('auto: the delimiter is detected from the file, and shown.'),
}

const inputFields = map({
  path: path
    .optional()
    .describe(
      'The input, relative to the working directory: delimited text or JSON lines, also packed by gzip, or an Excel file (.xlsx); a folder, a path with wildcards or {a.csv,b.xlsx} for several files as one list; - is standard input; or s3://bucket/key, or https://….',
    ),
  sql: text('a query, such as select * from suppliers order by id', 100_000)
    .optional()
    .describe('Instead of a path: a query of the database at url. Its rows are copied once, and known by their hash.'),
  url: databaseUrl
    .optional()
    .describe('The database of sql, as one ${NAME}: postgresql://user:password@host:5432/name; or duckdb:folder/file.duckdb.'),
  ...textKeys,
  header: flag().prefault(true).describe('Whether the first row names the columns.'),
  quotes: z.enum(['strict', 'relaxed']).prefault('strict').describe('relaxed: a bare quote inside a cell is text.'),
  skip: z
    .union(
      [
        z.literal('auto'),
        map({
          head: lines().describe('Lines above the header, such as a title; blank lines count.'),
          tail: lines().describe('Lines below the last row, such as a sum; blank lines count.'),
        }),
      ],
      { error: `auto, or a map with head and tail (${LINES})` },
    )
    .optional()
    .transform(skip => (skip === 'auto' ? ({ head: 'auto', tail: 'auto' } as const) : skip))
    .describe('Lines around the table. auto: titles, group rows, totals, remarks and blank lines, recognised in each file.'),
  sections: z
    .enum(['skip', 'rows'])
    .prefault('rows')
    .describe(
      'Rows inside the list that are proved to be headings, totals that add up, or its header again. skip: they keep their place in the output with the outcome skipped; rows: they are sent.',
    ),
  sheet: orNull(sheet).describe(
    'Of an Excel file: the sheet, by name or by number from 1; "*": all sheets with the same columns, as one list with a column Sheet. Absent: the first with content that is not hidden.',
  ),
  key: orNull(columnReference).describe("The row's own id; reports name rows by it."),
  rows: map({
    min: orNull(rows()).describe('Fewer rows than this are an error: a truncated extract.'),
    max: orNull(rows()).describe('More rows than this are an error: refuses oversized files.'),
  })
    .optional()
    .transform(limits => limits ?? { min: null, max: null })
    .describe('How many rows the input may have.'),
  columns: map({
    expect: z
      .enum(['known', 'exact', 'open'])
      .prefault('open')
      .describe(
        'Compares the columns with the last good run. known: one that is missing, renamed, empty now, or of numbers, dates or text in place of something else is an error; a new or moved one is a warning. exact: all of these are errors. open: compares nothing.',
      ),
  })
    .prefault({})
    .describe('What the columns of each later list are held to.'),
  rejects: orNull(
    map({
      file: path.describe('A .csv file in the working directory, for the line, the reason and the text of each row left out.'),
      max: rejectLimit.describe('Refuse the list if more rows cannot be read: a count, or a share of all rows.'),
    }),
  ).describe('Leaves out rows that cannot be read, as failed. Absent: a list with such a row is refused.'),
  keep: flag()
    .prefault(false)
    .describe(
      'Copies a local file among the runs until its run is over: an interrupted run can be finished after the file was replaced.',
    ),
  empty: z.enum(['fail', 'skip']).prefault('fail').describe('What an input without rows means.'),
})
const inputMap = inputFields.superRefine(onePlace)

/** A database is read from as a path is: its address is one. */
const longInput = ({ path, url, ...rest }: z.output<typeof inputMap>) => ({ ...rest, path: path ?? url ?? '' })

export const input = z
  .union([path, inputMap], { error: 'a path, or a map with path' })
  .describe('The company list.')
  .transform(given => longInput(typeof given === 'string' ? inputMap.parse({ path: given }) : given))
