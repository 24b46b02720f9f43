/** The table of output formats: names, media type, limits and texts. Data only; writers.ts holds how each is written. */

interface FormatFacts {
  /** `workbook`: Excel opens the file only under these extensions. `binary`: neither text nor a workbook. */
  readonly kind: 'text' | 'workbook' | 'binary'
  /** Endings of file names, the usual one first. A name belongs to the first format that lists its ending. */
  readonly extensions: readonly [string, ...string[]]
  readonly mime: string
  /** How the pipeline's schema explains the format, null where the name is enough. */
  readonly description: string | null
  /** What is counted in every cell of the input: cells that the format changes, or cells that do not fit. */
  readonly cellCheck: 'formulas' | 'lengths' | null
  /** For a spreadsheet: reasons are written in words. */
  readonly isForPeople: boolean
  readonly limits: FormatLimits | null
  /** Optional packages that write it, installed beside fettle. */
  readonly packages: readonly string[]
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

const TEXT = { kind: 'text', mime: 'text/csv; charset=utf-8', isForPeople: false, limits: null, packages: [] } as const

export const OUTPUT_FORMATS = {
  csv: { ...TEXT, extensions: ['.csv', '.txt'], description: 'with the delimiter of the input', cellCheck: null },
  tsv: {
    ...TEXT,
    extensions: ['.tsv', '.tab'],
    mime: 'text/tab-separated-values; charset=utf-8',
    description: 'with tabs',
    cellCheck: null,
  },
  excel: {
    ...TEXT,
    extensions: ['.csv', '.txt'],
    description: 'CSV with BOM, CRLF and formulas neutralised',
    isForPeople: true,
    cellCheck: 'formulas',
  },
  xlsx: {
    kind: 'workbook',
    extensions: ['.xlsx'],
    mime: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
    description:
      'an Excel workbook: header bold, frozen and with a filter; columns of an Excel list keep numbers, dates, formats and widths',
    isForPeople: true,
    cellCheck: 'lengths',
    // Excel's own limits; a sheet of 4 GiB would need ZIP64, which not every reader supports.
    limits: { rows: 1_048_575, columns: 16_384, cell: 32_767, bytes: 0xffff_0000, markup: 70 },
    packages: [],
  },
  jsonl: {
    ...TEXT,
    extensions: ['.jsonl', '.ndjson'],
    mime: 'application/x-ndjson',
    description: null,
    cellCheck: null,
  },
  json: { ...TEXT, extensions: ['.json'], mime: 'application/json', description: 'one array of objects', cellCheck: null },
  parquet: {
    kind: 'binary',
    extensions: ['.parquet'],
    mime: 'application/vnd.apache.parquet',
    description: 'typed columns',
    cellCheck: null,
    isForPeople: false,
    limits: null,
    packages: ['hyparquet', 'hyparquet-writer'],
  },
} as const satisfies Readonly<Record<string, FormatFacts>>

export type OutputFormat = keyof typeof OUTPUT_FORMATS

const ENTRIES = Object.entries(OUTPUT_FORMATS) as [OutputFormat, FormatFacts][]

export const OUTPUT_FORMAT_NAMES = ENTRIES.map(([name]) => name) as [OutputFormat, ...OutputFormat[]]

export const formatFacts = (format: OutputFormat): FormatFacts => OUTPUT_FORMATS[format]

/** A table of a database may be called `list.csv`. */
const isTable = (path: string): boolean => /^(?:postgres(?:ql)?|duckdb):/i.test(path)

/** Without the query of an address. */
const endsIn = (path: string, extension: string): boolean =>
  !isTable(path) && path.replace(/\?.*$/, '').toLowerCase().endsWith(extension)

/** Whether a text output of this name is packed by gzip. */
export const isGzipName = (path: string): boolean => endsIn(path, '.gz')

/** Text may be packed: `.csv.gz`. */
const hasEnding = (path: string, { extensions, kind }: FormatFacts): boolean =>
  extensions.some(extension => endsIn(path, extension) || (kind === 'text' && endsIn(path, `${extension}.gz`)))

export const formatOfName = (path: string): OutputFormat | null =>
  ENTRIES.find(([, facts]) => hasEnding(path, facts))?.[0] ?? null

export const listExtensions = (kind?: FormatFacts['kind']): string[] => [
  ...new Set(ENTRIES.flatMap(([, facts]) => (kind === undefined || facts.kind === kind ? facts.extensions : []))),
]

/** The media type of a file of this name. */
export const findMimeType = (path: string): string =>
  isGzipName(path) ? 'application/gzip' : formatFacts(formatOfName(path) ?? 'csv').mime

export const FORMAT_EXTENSIONS = [...new Set(ENTRIES.map(([, { extensions }]) => extensions[0]))]

/** Text may have any name that is not the name of another format. */
export function isNameFor(path: string, format: OutputFormat): boolean {
  const facts = formatFacts(format)
  return formatOfName(path) === null ? facts.kind === 'text' : hasEnding(path, facts)
}

/** The format of one of several outputs: the chosen one if the name allows it, else the one that the name states. */
export const formatOfOutput = (path: string, chosen: OutputFormat): OutputFormat =>
  isNameFor(path, chosen) ? chosen : (formatOfName(path) ?? chosen)

/** Whether a file of this name may have been written by an earlier run with this kind of format. */
export const isTableName = (path: string, format: OutputFormat): boolean => {
  const { kind } = formatFacts(format)
  return hasEnding(path, { ...formatFacts(format), extensions: listExtensions(kind) as [string, ...string[]] })
}
