/** A Parquet output is read by pyarrow and DuckDB with the types and values that were written, over several row groups. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parquetFormat } from '../../../src/formats/parquet.ts'
import { columnTypeOf } from '../../../src/model/columns.ts'
import { folderOf, ROOT } from '../../system/cli/fettle.ts'
import { run } from '../../system/examples/kit.ts'
import { pythonMissing, pythonWith } from '../../system/examples/python.ts'

const ROWS = 50_000
const two = (at: number): string => String(at).padStart(2, '0')

/** Name, our type, the types of the readers, our cell, and how both readers print it; one text where they agree. */
const COLUMNS: readonly {
  readonly type: string
  readonly is: readonly [pyarrow: string, duckdb: string]
  readonly cell: (at: number) => string
  readonly read?: (at: number) => string | readonly [pyarrow: string, duckdb: string]
}[] = [
  { type: 'string', is: ['string', 'VARCHAR'], cell: at => (at % 9 === 0 ? '' : `Żółw "${at}",\n`) },
  {
    ...{ type: 'boolean', is: ['bool', 'BOOLEAN'], cell: at => String(at % 2 === 0) },
    read: at => (at % 2 === 0 ? ['True', 'true'] : ['False', 'false']),
  },
  { type: 'int8', is: ['int8', 'TINYINT'], cell: at => String((at % 256) - 128) },
  { type: 'uint8', is: ['uint8', 'UTINYINT'], cell: at => String(at % 256) },
  { type: 'int32', is: ['int32', 'INTEGER'], cell: at => (at % 5 === 0 ? '' : String(at)) },
  { type: 'uint32', is: ['uint32', 'UINTEGER'], cell: at => String(4_294_967_295 - at) },
  { type: 'int64', is: ['int64', 'BIGINT'], cell: at => String(-(2n ** 63n) + BigInt(at)) },
  { type: 'uint64', is: ['uint64', 'UBIGINT'], cell: at => String(2n ** 64n - 1n - BigInt(at)) },
  { type: 'float', is: ['float', 'FLOAT'], cell: at => `${at}.5` },
  { type: 'double', is: ['double', 'DOUBLE'], cell: at => `${at}.25` },
  {
    ...{ type: 'float16', is: ['halffloat', 'FLOAT'], cell: at => String((at % 100) / 4) },
    read: at => String((at % 100) / 4).replace(/^\d+$/, '$&.0'),
  },
  { type: 'decimal(7,2)', is: ['decimal128(7, 2)', 'DECIMAL(7,2)'], cell: at => `-${at}.${two((at % 99) + 1)}` },
  { type: 'decimal(18,3)', is: ['decimal128(18, 3)', 'DECIMAL(18,3)'], cell: at => `1234567890${at % 10}.125` },
  { type: 'decimal(38,0)', is: ['decimal128(38, 0)', 'DECIMAL(38,0)'], cell: at => `9999999999999999999999999999${at}` },
  { type: 'date', is: ['date32[day]', 'DATE'], cell: at => new Date(at * 40_000_000).toISOString().slice(0, 10) },
  {
    ...{ type: 'timestamp(ms,utc)', is: ['timestamp[ms, tz=UTC]', 'TIMESTAMP WITH TIME ZONE'] },
    cell: at => `2026-01-31T08:${two(at % 60)}:00Z`,
    read: at => [`2026-01-31 08:${two(at % 60)}:00+00:00`, `2026-01-31 08:${two(at % 60)}:00+00`],
  },
  {
    ...{
      type: 'timestamp(us)',
      is: ['timestamp[us]', 'TIMESTAMP'],
      cell: at => `1960-01-31T08:00:00.${100_001 + (at % 80_000) * 10}`,
    },
    read: at => `1960-01-31 08:00:00.${100_001 + (at % 80_000) * 10}`,
  },
  { type: 'time(us)', is: ['time64[us]', 'TIME'], cell: at => `23:${two(at % 60)}:59` },
  {
    ...{ type: 'uuid', is: ['extension<arrow.uuid>', 'UUID'] },
    cell: at => `00112233-4455-6677-8899-aabbccdd${at.toString(16).padStart(4, '0')}`,
  },
]

test.skipIf(pythonMissing !== null)('pyarrow and DuckDB read every cell', async () => {
  const bin = await pythonWith('test/unit/input/requirements.txt')
  const types = COLUMNS.map(({ type }) => columnTypeOf(type))
  const { head, render, end, unfit } = await parquetFormat({ names: COLUMNS.map(({ type }) => type), types })
  const rows = Array.from({ length: ROWS }, (_, at) => COLUMNS.map(({ cell }) => cell(at)))
  const cwd = folderOf()
  const file = join(cwd, 'out.parquet')
  writeFileSync(file, Buffer.concat([head, render(rows), end!()]))
  expect(unfit!()).toEqual([])
  const script = join(ROOT, 'test/unit/formats/read_parquet.py')
  const { code, stdout, stderr } = await run(join(bin, 'python'), [script, file], { cwd, env: { PATH: process.env.PATH ?? '' } })
  expect(code, stderr).toBe(0)
  const { pyarrow, duckdb } = JSON.parse(stdout)
  expect(pyarrow.groups).toBe(2)
  // A filter by the bounds of the row groups leaves out none that matters.
  expect(duckdb.bounded).toBe(8_000)
  for (const [reader, at] of [[pyarrow, 0] as const, [duckdb, 1] as const]) {
    expect(reader.types).toEqual(COLUMNS.map(({ is }) => is[at]))
    expect(reader.rows).toHaveLength(ROWS)
    for (const [row, cells] of (reader.rows as string[][]).entries()) {
      const wanted = COLUMNS.map(({ cell, read }) => {
        const text = read?.(row) ?? cell(row)
        return text === '' ? null : typeof text === 'string' ? text : text[at]
      })
      if (cells.join('|') !== wanted.join('|')) expect(cells).toEqual(wanted)
    }
  }
})
