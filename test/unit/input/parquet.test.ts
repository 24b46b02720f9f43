/** Parquet files as input: the text of every type, row groups, nulls, what is refused, and spans of rows. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { ByteWriter, ParquetWriter } from 'hyparquet-writer'
import { describe, expect, test } from 'vitest'
import { columnType, formatValue, type SchemaElement } from '../../../src/input/parquet/column-type.ts'
import { inspect } from '../../../src/input/table/inspect.ts'
import { readRows } from '../../../src/input/table/records.ts'
import type { InputOptions } from '../../../src/pipeline/model/types.ts'
import { runs } from '../../support/runs.ts'
import { folderOf } from '../../system/cli/fettle.ts'

const element = (more: Partial<SchemaElement>): SchemaElement => ({ name: 'c', repetition_type: 'OPTIONAL', ...more })
const textIn = (more: Partial<SchemaElement>, raw: Parameters<typeof formatValue>[1]): string => {
  const type = columnType(element(more))
  if ('refused' in type) throw new Error(type.refused)
  return formatValue(type, raw)
}
const bytes = (...values: number[]): Uint8Array => Uint8Array.from(values)
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const stamp = (unit: string, isAdjustedToUTC: boolean) => ({
  type: 'INT64',
  logical_type: { type: 'TIMESTAMP', unit, isAdjustedToUTC },
})

describe('the text of a value', () => {
  test.each<[string, Partial<SchemaElement>, Parameters<typeof formatValue>[1], string]>([
    ['text', { type: 'BYTE_ARRAY', converted_type: 'UTF8' }, utf8('Żółw, "1"\n2'), 'Żółw, "1"\n2'],
    ['empty text', { type: 'BYTE_ARRAY', converted_type: 'UTF8' }, utf8(''), ''],
    ['null', { type: 'BYTE_ARRAY', converted_type: 'UTF8' }, null, ''],
    ['null of a number', { type: 'INT32' }, undefined, ''],
    ['bytes of an older writer', { type: 'BYTE_ARRAY' }, utf8('a'), 'a'],
    ['a truth value', { type: 'BOOLEAN' }, true, 'true'],
    ['a wrong one', { type: 'BOOLEAN' }, false, 'false'],
    ['a 64-bit number', { type: 'INT64' }, -9_223_372_036_854_775_808n, '-9223372036854775808'],
    ['an unsigned one', { type: 'INT64', converted_type: 'UINT_64' }, -1n, '18446744073709551615'],
    ['an unsigned 32-bit one', { type: 'INT32', converted_type: 'UINT_32' }, -1, '4294967295'],
    ['a double', { type: 'DOUBLE' }, 0.1, '0.1'],
    ['a float', { type: 'FLOAT' }, Math.fround(0.1), '0.1'],
    ['a half', { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 2, logical_type: { type: 'FLOAT16' } }, bytes(0x00, 0x3e), '1.5'],
    ['not a number', { type: 'DOUBLE' }, Number.NaN, 'NaN'],
    [
      'a decimal',
      { type: 'INT64', converted_type: 'DECIMAL', precision: 18, scale: 2 },
      123_456_789_012_345_678n,
      '1234567890123456.78',
    ],
    ['a small negative decimal', { type: 'INT32', converted_type: 'DECIMAL', precision: 9, scale: 3 }, -5, '-0.005'],
    [
      'a decimal of bytes',
      { type: 'FIXED_LEN_BYTE_ARRAY', converted_type: 'DECIMAL', precision: 20, scale: 1 },
      bytes(0xff, 0xff, 0x01),
      '-25.5',
    ],
    ['a whole decimal', { type: 'INT32', converted_type: 'DECIMAL', precision: 9, scale: 0 }, 7, '7'],
    ['a date', { type: 'INT32', converted_type: 'DATE' }, -1, '1969-12-31'],
    ['a moment', stamp('MICROS', true), 1_769_847_300_000_000n, '2026-01-31T08:15:00Z'],
    ['a moment of no time zone', stamp('MILLIS', false), 1_769_847_300_250n, '2026-01-31T08:15:00.250'],
    [
      'a moment of no time zone in both notations',
      { ...stamp('MILLIS', false), converted_type: 'TIMESTAMP_MILLIS' },
      0n,
      '1970-01-01T00:00:00',
    ],
    ['a moment of the older notation', { type: 'INT64', converted_type: 'TIMESTAMP_MICROS' }, 1n, '1970-01-01T00:00:00.000001Z'],
    ['a moment before 1970', stamp('NANOS', true), -1n, '1969-12-31T23:59:59.999999999Z'],
    ['an old moment', { type: 'INT96' }, 0n, '1970-01-01T00:00:00'],
    ['a time', { type: 'INT64', logical_type: { type: 'TIME', unit: 'MICROS' } }, 86_399_000_001n, '23:59:59.000001'],
    [
      'a UUID',
      { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, logical_type: { type: 'UUID' } },
      bytes(...Array.from({ length: 16 }, (_, at) => at * 17)),
      '00112233-4455-6677-8899-aabbccddeeff',
    ],
  ])('%s', (_, more, raw, expected) => expect(textIn(more, raw)).toBe(expected))

  test.each<[string, Partial<SchemaElement>]>([
    ['nested', { num_children: 2 }],
    ['a list', { type: 'INT32', repetition_type: 'REPEATED' }],
    ['bson', { type: 'BYTE_ARRAY', converted_type: 'BSON' }],
    ['interval', { type: 'FIXED_LEN_BYTE_ARRAY', converted_type: 'INTERVAL' }],
    ['geometry', { type: 'BYTE_ARRAY', logical_type: { type: 'GEOMETRY' } }],
    ['fixed_len_byte_array', { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 3 }],
  ])('%s has none', (what, more) => expect(columnType(element(more))).toEqual({ refused: expect.stringContaining(what) }))

  test('decimals keep every digit', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.integer({ min: 0, max: 18 }), (digits, scale) => {
        const text = textIn({ type: 'INT64', converted_type: 'DECIMAL', precision: 19, scale }, digits)
        expect(BigInt(text.replace('.', ''))).toBe(digits)
        expect(text.split('.')[1]?.length ?? 0).toBe(scale)
      }),
      { numRuns: runs(100, 2_000) },
    )
  })

  test('floats are the shortest text of the same number', () => {
    fc.assert(
      fc.property(fc.float({ noNaN: true }), value => {
        expect(Math.fround(Number(textIn({ type: 'FLOAT' }, value)))).toBe(value === 0 ? 0 : value)
      }),
      { numRuns: runs(200, 5_000) },
    )
  })
})

const SCHEMA = [
  { name: 'root', num_children: 4 },
  { name: 'name', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
  { name: 'number', type: 'INT64', repetition_type: 'REQUIRED' },
  { name: 'amount', type: 'INT64', converted_type: 'DECIMAL', precision: 18, scale: 2, repetition_type: 'OPTIONAL' },
  { name: 'since', type: 'INT32', converted_type: 'DATE', repetition_type: 'OPTIONAL' },
] as const
const ROWS = 70_000
const expectedRow = (at: number): string[] => [
  at % 3 === 0 ? '' : `Works, "${at}"`,
  String(at),
  at % 5 === 0 ? '' : `${at}.07`,
  at % 7 === 0 ? '' : new Date(at * 86_400_000).toISOString().slice(0, 10),
]

/** A file of several row groups, one of which is decoded in slices. */
function fileOf(schema: readonly object[], columns: Record<string, unknown[]>, rowGroupSize = 50_000): string {
  const writer = new ByteWriter()
  const parquet = new ParquetWriter({ writer, schema: schema as never })
  parquet.write({ columnData: Object.entries(columns).map(([name, data]) => ({ name, data })), rowGroupSize })
  parquet.finish()
  const file = join(folderOf(), 'rows.parquet')
  writeFileSync(file, writer.getBytes())
  return file
}

const whole = (): string => {
  const all = Array.from({ length: ROWS }, (_, at) => at)
  return fileOf(SCHEMA, {
    name: all.map(at => (at % 3 === 0 ? null : `Works, "${at}"`)),
    number: all.map(BigInt),
    amount: all.map(at => (at % 5 === 0 ? null : BigInt(at) * 100n + 7n)),
    since: all.map(at => (at % 7 === 0 ? null : at)),
  })
}

const OPTIONS = {
  ...{ encoding: 'auto', delimiter: 'auto', header: true, quotes: 'strict', sheet: null, skip: { head: 0, tail: 0 } },
} as const satisfies Partial<InputOptions>
const optionsOf = (path: string, more: Partial<InputOptions> = {}): InputOptions =>
  ({ ...OPTIONS, path, ...more }) as InputOptions

describe('a file', () => {
  test('is read as its rows, regardless of the settings for text', async () => {
    const file = whole()
    const { facts, issues } = await inspect(optionsOf(file, { encoding: 'windows-1252', delimiter: ';', header: false }))
    expect(issues.filter(one => one.severity === 'error')).toEqual([])
    expect(facts).toMatchObject({
      rows: ROWS,
      columns: 4,
      header: ['name', 'number', 'amount', 'since'],
      packed: { as: 'parquet', types: ['string', 'int64', 'decimal(18,2)', 'date'] },
    })
    let at = 0
    for await (const row of readRows(facts!)) {
      if (row.join() !== expectedRow(at).join()) expect(row).toEqual(expectedRow(at))
      at++
    }
    expect(at).toBe(ROWS)
  })

  test('with a cell longer than a record may be is refused before the cell becomes text', async () => {
    const columns = { name: ['a', 'x'.repeat(8_000_000)], number: [1n, 2n], amount: [null, null], since: [null, null] }
    const { issues } = await inspect(optionsOf(fileOf(SCHEMA, columns)))
    expect(issues).toMatchObject([
      { code: 'FETTLE_INPUT_LIMIT', message: expect.stringMatching(/row 2, column "name" has 8,000,000 bytes/) },
    ])
  })

  test('with several columns of one name has the cells of each, and one with long cells is decoded in more slices', async () => {
    const schema = [
      { name: 'root', num_children: 3 },
      ...['note', 'id', 'note'].map(name => ({ name, type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'REQUIRED' })),
    ]
    const writer = new ByteWriter()
    const parquet = new ParquetWriter({ writer, schema: schema as never })
    const long = 'ż'.repeat(8_000)
    const at = Array.from({ length: 900 }, (_, row) => row)
    const data = [at.map(row => `${long}${row}`), at.map(String), at.map(row => `b${row}`)]
    parquet.write({ columnData: schema.slice(1).map(({ name }, column) => ({ name, data: data[column]! })) })
    parquet.finish()
    const file = join(folderOf(), 'rows.parquet')
    writeFileSync(file, writer.getBytes())
    const { facts } = await inspect(optionsOf(file))
    const rows: string[][] = []
    for await (const row of readRows(facts!))
      rows.push([row[0]!.slice(8_000), row[0]!.slice(0, 8_000) === long ? 'whole' : '', ...row.slice(1)])
    expect(rows).toEqual(at.map(row => [`${row}`, 'whole', `${row}`, `b${row}`]))
  })

  test('with nested columns is refused with each of them', async () => {
    const nested = [
      { name: 'root', num_children: 2 },
      { name: 'tags', num_children: 1, repetition_type: 'OPTIONAL', converted_type: 'LIST' },
      { name: 'list', num_children: 1, repetition_type: 'REPEATED' },
      { name: 'element', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
      { name: 'name', type: 'BYTE_ARRAY', converted_type: 'UTF8', repetition_type: 'OPTIONAL' },
    ]
    const { facts, issues } = await inspect(optionsOf(fileOf(nested, { tags: [['a']], name: ['x'] })))
    expect(facts).toBeNull()
    expect(issues).toMatchObject([{ code: 'FETTLE_INPUT_READ', message: expect.stringMatching(/column "tags": it is nested/) }])
    expect(issues[0]?.message).not.toContain('"name"')
  })

  test('with bytes that are not text is refused with row and column', async () => {
    const schema = [
      { name: 'root', num_children: 1 },
      { name: 'raw', type: 'BYTE_ARRAY', repetition_type: 'REQUIRED' },
    ]
    const { issues } = await inspect(optionsOf(fileOf(schema, { raw: [utf8('a'), bytes(0xff, 0xfe)] })))
    expect(issues).toMatchObject([{ message: expect.stringContaining('row 2, column "raw" has bytes that are not UTF-8 text') }])
  })

  test('without rows is empty', async () => {
    const { issues } = await inspect(optionsOf(fileOf(SCHEMA, { name: [], number: [], amount: [], since: [] })))
    expect(issues.filter(one => one.severity === 'error').length).toBeLessThan(2)
  })

  test('with a damaged footer is refused', async () => {
    const file = join(folderOf(), 'rows.parquet')
    writeFileSync(file, Buffer.concat([Buffer.from('PAR1'), Buffer.alloc(40, 7), Buffer.from([8, 0, 0, 0]), Buffer.from('PAR1')]))
    const { issues } = await inspect(optionsOf(file))
    expect(issues).toMatchObject([
      { code: 'FETTLE_INPUT_READ', message: expect.stringContaining('its Parquet data are damaged') },
    ])
  })
})
