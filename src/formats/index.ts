/** The table of output formats: names, media type, limits and texts. Data only; writers.ts holds how each is written. */

interface FormatFacts {
  /** `workbook`: Excel opens the file only under these extensions. */
  readonly kind: 'text' | 'workbook'
  /** Endings of file names, the usual one first. A name belongs to the first format that lists its ending. */
  readonly extensions: readonly [string, ...string[]]
  readonly mime: string
  /** How the pipeline's schema explains the format, null where the name is enough. */
  readonly description: string | null
  /** What is counted in every cell of the input: cells that the format changes, or cells that do not fit. */
  readonly cellCheck: 'formulas' | 'lengths' | null
  readonly limits: FormatLimits | null
}

interface FormatLimits {
  readonly rows: number
  readonly columns: number
  /** UTF-16 units in a cell. */
  readonly cell: number
  /** Bytes of the sheet before it is packed. */
  readonly bytes: number
  /** Bytes of markup around each cell. */
  readonly markup: number
}

/** `.tab` and `.txt` are common names of delimited text; which delimiter is used follows from the input. */
const TEXT = { kind: 'text', mime: 'text/csv; charset=utf-8', limits: null } as const

export const OUTPUT_FORMATS = {
  csv: { ...TEXT, extensions: ['.csv', '.tsv', '.tab', '.txt'], description: null, cellCheck: null },
  excel: {
    ...TEXT,
    extensions: ['.csv'],
    description: 'CSV with BOM, CRLF and formulas neutralised',
    cellCheck: 'formulas',
  },
  xlsx: {
    kind: 'workbook',
    extensions: ['.xlsx'],
    mime: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    description: 'an Excel workbook, every cell text',
    cellCheck: 'lengths',
    // Excel's own limits; a sheet of 4 GiB would need ZIP64, which not every reader supports.
    limits: { rows: 1_048_575, columns: 16_384, cell: 32_767, bytes: 0xffff_0000, markup: 70 },
  },
  jsonl: {
    ...TEXT,
    extensions: ['.jsonl', '.ndjson'],
    mime: 'application/x-ndjson',
    description: null,
    cellCheck: null,
  },
} as const satisfies Readonly<Record<string, FormatFacts>>

export type OutputFormat = keyof typeof OUTPUT_FORMATS

const ENTRIES = Object.entries(OUTPUT_FORMATS) as [OutputFormat, FormatFacts][]

export const OUTPUT_FORMAT_NAMES = ENTRIES.map(([name]) => name) as [OutputFormat, ...OutputFormat[]]

export const formatFacts = (format: OutputFormat): FormatFacts => OUTPUT_FORMATS[format]

/** Without the query of an address. */
const endsIn = (path: string, extension: string): boolean => path.replace(/\?.*$/, '').toLowerCase().endsWith(extension)

export const formatOfName = (path: string): OutputFormat | null =>
  ENTRIES.find(([, { extensions }]) => extensions.some(one => endsIn(path, one)))?.[0] ?? null

export const extensionsOf = (kind?: FormatFacts['kind']): string[] => [
  ...new Set(ENTRIES.flatMap(([, facts]) => (kind === undefined || facts.kind === kind ? facts.extensions : []))),
]

export const FORMAT_EXTENSIONS = [...new Set(ENTRIES.map(([, { extensions }]) => extensions[0]))]

export function isNameFor(path: string, format: OutputFormat): boolean {
  const { kind } = formatFacts(format)
  const named = formatOfName(path)
  return named === null ? kind === 'text' : formatFacts(named).kind === kind
}

/** Whether a file of this name may have been written by an earlier run with this kind of format. */
export const isTableName = (path: string, format: OutputFormat): boolean =>
  extensionsOf(formatFacts(format).kind).some(one => endsIn(path, one))
