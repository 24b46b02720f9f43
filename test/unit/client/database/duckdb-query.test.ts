/** Queries of a DuckDB file as CSV: the text of every type, errors without values, nothing read or written but the file. */
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { withQuery } from '../../../../src/client/database/databases.ts'
import { atFileEnd } from '../../../support/file-end.ts'
import { queryFile } from './duckdb.ts'

const folder = mkdtempSync(join(tmpdir(), 'fettle-duckdb-'))
atFileEnd(() => rmSync(folder, { recursive: true, force: true }))
const file = join(folder, 'lists.duckdb')
const SHOWN = 'duckdb:lists.duckdb'

async function read(sql: string, path = file): Promise<{ types: readonly string[]; text: string }> {
  const how = { isNear: () => true, attempts: 1 }
  return withQuery({ shown: SHOWN, url: `duckdb:${path}`, sql }, how, async ({ types, bytes }) => {
    const pieces: Uint8Array[] = []
    for await (const piece of bytes) pieces.push(piece)
    return { types, text: Buffer.concat(pieces).toString() }
  })
}

beforeAll(async () => {
  await queryFile(
    file,
    'create table rows as select n::int as n, (n % 7)::int as week from range(1, 5001) r(n)',
    `create table named as select 'Ada Lovelace' as person`,
  )
})

/** Of each type: an expression, our type, and the text of its values. */
const TYPES: readonly (readonly [expression: string, type: string, text: string])[] = [
  [`'Żółw, "1"'`, 'string', '"Żółw, ""1"""'],
  [`''`, 'string', '""'],
  [`'a' || chr(10) || 'b'`, 'string', '"a\nb"'],
  ['null::varchar', 'string', ''],
  ['null::double', 'double', ''],
  ['true', 'boolean', 'true'],
  ['(-128)::tinyint', 'int8', '-128'],
  ['(-32768)::smallint', 'int16', '-32768'],
  ['2147483647', 'int32', '2147483647'],
  ['9223372036854775807', 'int64', '9223372036854775807'],
  ['255::utinyint', 'uint8', '255'],
  ['65535::usmallint', 'uint16', '65535'],
  ['4294967295::uinteger', 'uint32', '4294967295'],
  ['18446744073709551615::ubigint', 'uint64', '18446744073709551615'],
  ['170141183460469231731687303715884105727::hugeint', 'decimal', '170141183460469231731687303715884105727'],
  ['0.1::float', 'float', '0.1'],
  ['0.1::double', 'double', '0.1'],
  ['1::double', 'double', '1'],
  [`'nan'::double`, 'double', 'NaN'],
  [`'-inf'::double`, 'double', '-Infinity'],
  ['12.5::decimal(12,2)', 'decimal(12,2)', '12.50'],
  [`'2026-01-31'::date`, 'date', '2026-01-31'],
  [`'infinity'::date`, 'date', 'infinity'],
  [`'08:15:00.25'::time`, 'time(us)', '08:15:00.250'],
  [`'08:15:00'::time`, 'time(us)', '08:15:00'],
  [`'2026-01-31 08:15:00'::timestamp`, 'timestamp(us)', '2026-01-31T08:15:00'],
  [`'2026-01-31 08:15:00.000001'::timestamp`, 'timestamp(us)', '2026-01-31T08:15:00.000001'],
  [`'2026-01-31 08:15:00'::timestamp_s`, 'timestamp(ms)', '2026-01-31T08:15:00'],
  [`'2026-01-31 08:15:00.25'::timestamp_ms`, 'timestamp(ms)', '2026-01-31T08:15:00.250'],
  [`'2026-01-31 08:15:00.000000001'::timestamp_ns`, 'timestamp(ns)', '2026-01-31T08:15:00.000000001'],
  [`'infinity'::timestamp`, 'timestamp(us)', 'infinity'],
  [`'2026-01-31 08:15:00.25+02'::timestamptz`, 'timestamp(us,utc)', '2026-01-31T06:15:00.250Z'],
  [`'00112233-4455-6677-8899-aabbccddeeff'::uuid`, 'uuid', '00112233-4455-6677-8899-aabbccddeeff'],
  [`'GB'::enum('DE', 'GB')`, 'string', 'GB'],
  [`'{"a": 1}'::json`, 'string', '"{""a"": 1}"'],
  ['[1, 2]', 'string', '"[1, 2]"'],
]

test('has the text of every type', async () => {
  const names = TYPES.map((_, at) => `"column ${at}"`)
  const { types, text } = await read(`select ${TYPES.map(([expression], at) => `${expression} as ${names[at]}`).join(', ')}`)
  expect(types).toEqual(TYPES.map(([, type]) => type))
  expect(text).toBe(`${names.join(',')}\n${TYPES.map(([, , cell]) => cell).join(',')}\n`)
})

test('keeps its order and names, also double ones, and may end in a comment or a semicolon', async () => {
  const { text } = await read('select n as a, week as a from rows order by n desc limit 2; ')
  expect(text).toBe('"a","a"\n5000,2\n4999,1\n')
  expect((await read('select n from rows where n = 1 -- the first')).text).toBe('"n"\n"1"\n')
  expect((await read(`values (''), (null)`)).text).toBe('"col0"\n""\n""\n')
  expect((await read('select n from rows order by n')).text.split('\n').slice(4998, 5002)).toEqual([
    '"4998"',
    '"4999"',
    '"5000"',
    '',
  ])
  expect((await read('select n from rows where n < 0')).text).toBe('"n"\n')
})

test('changes nothing, and reads no other file', async () => {
  const before = [readFileSync(file, 'latin1'), statSync(file).mtimeMs]
  writeFileSync(join(folder, 'other.csv'), 'secret cell\n1\n')
  await expect(read(`from read_csv('${join(folder, 'other.csv')}')`)).rejects.toThrow('file system operations are disabled')
  for (const sql of [
    'delete from rows',
    `copy rows to '${join(folder, 'out.csv')}'`,
    `attach '${join(folder, 'b.duckdb')}' as b`,
  ])
    await expect(read(sql)).rejects.toMatchObject({ code: 'FETTLE_INPUT_READ' })
  expect([readFileSync(file, 'latin1'), statSync(file).mtimeMs]).toEqual(before)
})

test.each([
  [
    'select nothing from rows',
    'Binder Error: Referenced column "nothing" not found in FROM clause!',
    'at line 1, column 8 of input.sql',
  ],
  ['select n,\n  week frm rows', 'Parser Error: syntax error at or near "rows"', 'at line 2, column 12 of input.sql'],
  ['select person::int from named', 'a value does not have the form of its type (Conversion Error)', ''],
  [`select error('cell: ' || person) from named`, 'a value does not fit (Invalid Input Error)', ''],
  ['select 1; select 2', 'Cannot prepare multiple statements at once!', ''],
  ['delete from rows', 'error', ''],
])('%s is refused without a value of a row', async (sql, why, where) => {
  const error = await read(sql).catch(one => one)
  expect(error.message).toContain(`cannot read the query at ${SHOWN}: `)
  expect(error.message).toContain(why)
  expect(error.message).toContain(where)
  expect(error.message).not.toContain('Lovelace')
})

test('a file that is missing, or is of another kind, is refused and not made', async () => {
  const missing = join(folder, 'missing.duckdb')
  await expect(read('select 1', missing)).rejects.toThrow(`cannot read the query at ${SHOWN}: there is no such file`)
  expect(() => statSync(missing)).toThrow('ENOENT')
  await expect(read('select 1', join(folder, 'other.csv'))).rejects.toThrow('it is not a file of DuckDB')
  await expect(read('select 1', folder)).rejects.toThrow('EISDIR')
})
