/**
 * The tables of what an input can be (how each kind is recognised, which keys of `input` apply) and of where an input or output can be, with
 * packages and limits. Data only: docs/data.md is made from it, and the install hint of Parquet names its packages.
 */

interface InputKind {
  readonly label: string
  /** Endings that such files usually have; a file is recognised by its content. */
  readonly extensions: readonly string[]
  readonly recognition: string
  /** Keys of `input` that apply to this kind alone, or not to every kind. */
  readonly keys: readonly string[]
  /** Optional packages, installed beside fettle. */
  readonly packages: readonly string[]
  readonly limits: string
}

export const INPUT_KINDS = {
  text: {
    label: 'delimited text',
    extensions: ['.csv', '.tsv', '.tab', '.txt'],
    recognition: 'any text: delimiter and encoding are found, or named',
    keys: ['encoding', 'delimiter', 'header', 'quotes', 'skip'],
    packages: [],
    limits: '1,024 columns; memory does not grow with the file',
  },
  gzip: {
    label: 'delimited text, packed by gzip',
    extensions: ['.csv.gz', '.tsv.gz'],
    recognition: 'its first three bytes',
    keys: ['encoding', 'delimiter', 'header', 'quotes', 'skip'],
    packages: [],
    limits: 'as delimited text; unpacked on each pass, so that shards read from the start',
  },
  xlsx: {
    label: 'Excel workbook',
    extensions: ['.xlsx'],
    recognition: 'an archive with a workbook in it',
    keys: ['sheet', 'header', 'skip'],
    packages: [],
    limits: 'one sheet, which is in memory while it is read',
  },
  jsonl: {
    label: 'JSON lines',
    extensions: ['.jsonl', '.ndjson', '.jsonl.gz'],
    recognition: 'a JSON object at its start',
    keys: [],
    packages: [],
    limits: 'flat objects; memory does not grow with the file',
  },
  parquet: {
    label: 'Parquet',
    extensions: ['.parquet'],
    recognition: '`PAR1` at its start and end',
    keys: [],
    packages: ['hyparquet', 'hyparquet-compressors'],
    limits: 'flat columns; row groups of 1 GiB, packed; a slice of a row group is in memory',
  },
} as const satisfies Readonly<Record<string, InputKind>>

interface Place {
  readonly example: string
  readonly label: string
  readonly packages: readonly string[]
  readonly limits: string
}

export const INPUT_PLACES = {
  file: {
    example: 'samples/suppliers.csv',
    label: 'a file, relative to the working directory',
    packages: [],
    limits: 'a regular file: it is read more than once',
  },
  stdin: { example: '-', label: 'standard input', packages: [], limits: 'stored until the run is over' },
  https: {
    example: 'https://host/list.csv',
    label: 'a file on a web server',
    packages: [],
    limits: 'fetched once and stored until the run is over',
  },
  s3: {
    example: 's3://bucket/list.csv',
    label: 'an object of S3, or of a store that speaks its protocol',
    packages: ['@aws-sdk/client-s3', '@aws-sdk/lib-storage'],
    limits: 'fetched once and stored until the run is over',
  },
  postgresql: {
    example: 'postgresql://host:5432/name',
    label: 'a query of PostgreSQL: `input: { sql: select …, url: ${PG_URL} }`',
    packages: ['pg', 'pg-copy-streams'],
    limits: 'the rows are copied once and stored until the run is over',
  },
  duckdb: {
    example: 'duckdb:data/lists.duckdb',
    label: 'a query of a DuckDB file: `input: { sql: select …, url: duckdb:data/lists.duckdb }`',
    packages: ['@duckdb/node-api'],
    limits: 'the query reads this file alone; the rows are copied once and stored until the run is over',
  },
} as const satisfies Readonly<Record<string, Place>>

export const OUTPUT_PLACES = {
  file: {
    example: 'out/list.csv',
    label: 'a file in the project',
    packages: [],
    limits: 'complete or not at all; a failed check writes `list.rejected.csv` next to the old one',
  },
  https: {
    example: 'https://host/list.csv',
    label: 'an address that takes a PUT',
    packages: [],
    limits: 'not written when a check fails',
  },
  s3: {
    example: 's3://bucket/list.csv',
    label: 'an object of S3, or of a store that speaks its protocol',
    packages: ['@aws-sdk/client-s3', '@aws-sdk/lib-storage'],
    limits: 'as a file',
  },
  postgresql: {
    example: 'postgresql://host:5432/name',
    label: 'a table of PostgreSQL: `output: { table: enriched.suppliers, url: ${PG_URL} }`',
    packages: ['pg', 'pg-copy-streams'],
    limits: 'one transaction; not written when a check fails; names of 63 bytes; no `format`',
  },
  duckdb: {
    example: 'duckdb:data/lists.duckdb',
    label: 'a table of a DuckDB file: `output: { table: suppliers, url: duckdb:data/lists.duckdb }`',
    packages: ['@duckdb/node-api'],
    limits: 'one transaction; not written when a check fails; a file in the project; rows of 16 MiB; no `format`',
  },
} as const satisfies Readonly<Record<string, Place>>
