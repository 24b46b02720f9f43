/** The table of where an output can be: packages and limits. Data only: docs/data.md is made from it. */

interface OutputPlace {
  readonly example: string
  readonly label: string
  readonly packages: readonly string[]
  readonly limits: string
}

export const OUTPUT_PLACES = {
  file: {
    example: 'out/list.csv',
    label: 'a file in the project',
    packages: [],
    limits: 'complete or not at all; a failed check writes `list.rejected.csv` beside the old one',
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
} as const satisfies Readonly<Record<string, OutputPlace>>
