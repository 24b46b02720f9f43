/** Parquet as an output: every type is read back as the same text, in row groups, and cells that a type cannot hold are null and counted. */
import { writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { parquetMetadataAsync } from 'hyparquet'
import { describe, expect, test } from 'vitest'
import { cellValue, parquetFormat } from '../../../src/formats/parquet.ts'
import { openFormat } from '../../../src/formats/writers.ts'
import { openParquet } from '../../../src/input/parquet/read-parquet.ts'
import { type ColumnType, columnTypeOf } from '../../../src/model/columns.ts'
import { runs } from '../../support/runs.ts'
import { folderOf } from '../../system/cli/fettle.ts'

type Rows = readonly (readonly string[])[]

async function written(names: readonly string[], types: readonly ColumnType[], batches: readonly Rows[]) {
  const { head, render, end, unfit } = await parquetFormat({ names, types })
  const bytes = Buffer.concat([head, ...batches.map(render), end!()])
  const file = join(folderOf(), 'out.parquet')
  writeFileSync(file, bytes)
  return { bytes, file, unfit: unfit!() }
}

async function readBack(file: string): Promise<{ types: readonly string[]; text: string }> {
  const handle = await open(file)
  try {
    const table = await openParquet(handle, file)
    const pieces: Buffer[] = []
    for await (const piece of table.text()) pieces.push(piece)
    return { types: table.types, text: Buffer.concat(pieces).toString() }
  } finally {
    await handle.close()
  }
}

/** Of each type, cells as an input of that type gives them. */
const CELLS: readonly (readonly [type: string, ...cells: string[]])[] = [
  ['string', 'Żółw', "it's", '0042', ' '],
  ['uuid', '00112233-4455-6677-8899-aabbccddeeff'],
  ['boolean', 'true', 'false'],
  ['float16', '1.5', '-2', 'NaN', 'Infinity'],
  ['float', '0.1', '-3.4e+38', '16777216'],
  ['double', '0.1', '1e+21', '-Infinity', '123456789.25'],
  ['date', '2026-01-31', '1969-12-31', '+012345-01-01'],
  ['int8', '-128', '127'],
  ['uint8', '255'],
  ['int16', '-32768'],
  ['uint16', '65535'],
  ['int32', '-2147483648'],
  ['uint32', '4294967295', '0'],
  ['int64', '-9223372036854775808', '9223372036854775807'],
  ['uint64', '18446744073709551615', '1'],
  ['decimal(5,2)', '-0.05', '999.99'],
  ['decimal(18,3)', '123456789012345.678'],
  ['decimal(38,0)', '-99999999999999999999999999999999999999'],
  ['timestamp(ms,utc)', '2026-01-31T08:15:00.250Z', '1969-12-31T23:59:59.999Z'],
  ['timestamp(us)', '2026-01-31T08:15:00', '9999-12-31T23:59:59.000001'],
  ['timestamp(ns,utc)', '1969-12-31T23:59:59.999999999Z'],
  ['time(ms)', '08:15:00.250'],
  ['time(us)', '23:59:59.000001'],
  ['time(ns)', '00:00:00.000000001'],
]

describe('a file', () => {
  test('has the types and the cells of the list', async () => {
    const types = CELLS.map(([type]) => columnTypeOf(type))
    const rows = Array.from({ length: 5 }, (_, at) => CELLS.map(([, ...cells]) => cells[at] ?? ''))
    const { file, unfit } = await written(
      CELLS.map(([type], at) => `${at}.${type}`),
      types,
      [rows.slice(0, 2), rows.slice(2)],
    )
    expect(unfit).toEqual([])
    const back = await readBack(file)
    expect(back.types).toEqual(CELLS.map(([type]) => type))
    const { csvText } = await import('../../../src/formats/text-formats.ts')
    const style = { delimiter: ',', lineEnd: '\n', columns: CELLS.length }
    expect(back.text.slice(back.text.indexOf('\n') + 1)).toBe(csvText(rows, style))
  })

  test('any text is read back', async () => {
    const cell = fc.string({ unit: 'grapheme', maxLength: 20 }).filter(text => !text.includes('\0'))
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cell, cell), { maxLength: 20 }), async rows => {
        const { file } = await written(['a', 'b'], [], [rows])
        const { csvText } = await import('../../../src/formats/text-formats.ts')
        expect((await readBack(file)).text).toBe(csvText([['a', 'b'], ...rows], { delimiter: ',', lineEnd: '\n', columns: 2 }))
      }),
      { numRuns: runs(30, 1_000) },
    )
  })

  test('does not depend on the batches, and ends a row group after 32,768 rows or 8 MiB of text', async () => {
    const rows = Array.from({ length: 40_000 }, (_, at) => [`${at}`, `name ${at % 100}`])
    const one = await written(['n', 'name'], [columnTypeOf('int32')], [rows])
    const many = await written(
      ['n', 'name'],
      [columnTypeOf('int32')],
      [rows.slice(0, 7), rows.slice(7, 39_000), rows.slice(39_000)],
    )
    expect(many.bytes.equals(one.bytes)).toBe(true)
    const groups = async (bytes: Buffer) => {
      const slice = (from: number, to?: number) => new Uint8Array(bytes.subarray(from, to)).buffer
      const { row_groups } = await parquetMetadataAsync({ byteLength: bytes.length, slice })
      return row_groups.map(group => Number(group.num_rows))
    }
    expect(await groups(one.bytes)).toEqual([32_768, 7_232])
    const large = Array.from({ length: 20 }, (_, at) => [`${at}`.repeat(512 * 1024)])
    expect(await groups((await written(['text'], [], [large])).bytes)).toEqual([13, 7])
  })

  test('without rows has its columns', async () => {
    const { file } = await written(['general.connectId', 'n'], [columnTypeOf('string'), columnTypeOf('int64')], [])
    expect(await readBack(file)).toEqual({ types: ['string', 'int64'], text: 'general.connectId,n\n' })
  })

  test('columns of one name get names of their own', async () => {
    const { file } = await written(['a', 'a', ''], [], [[['1', '2', '3']]])
    expect((await readBack(file)).text).toBe('a,a_2,COLUMN C\n1,2,3\n')
  })
})

describe('a cell', () => {
  test.each<[string, string]>([
    ['double', '1,5'],
    ['double', '0x10'],
    ['boolean', 'yes'],
    ['int8', '128'],
    ['uint8', '-1'],
    ['int64', '9223372036854775808'],
    ['decimal(5,2)', '1000.00'],
    ['decimal(5,2)', '0.001'],
    ['date', '2026-02-30'],
    ['date', '31/01/2026'],
    ['timestamp(ms,utc)', '2026-01-31T08:15:00'],
    ['timestamp(ms)', '2026-01-31T08:15:00.0001'],
    ['timestamp(ns)', '9999-12-31T00:00:00'],
    ['time(ms)', '24:00:00'],
    ['uuid', 'abc'],
  ])('of %s cannot be %s', (type, cell) => expect(cellValue(columnTypeOf(type), cell)).toBeUndefined())

  test('that a type cannot hold is null, and its rows are counted', async () => {
    const { file, unfit } = await written(
      ['score'],
      [columnTypeOf('double')],
      [
        [['0.5'], ['n/a'], [''], ['high']],
        [['-'], ['low']],
      ],
    )
    expect((await readBack(file)).text).toBe('score\n0.5\n""\n""\n""\n""\n""\n')
    expect(unfit).toEqual([{ column: 'score', type: 'double', count: 4, rows: [2, 4, 5] }])
  })
})

test('text formats have the numbers and truth values of typed columns', async () => {
  const types = ['string', 'int64', 'boolean', 'date'].map(columnTypeOf)
  const table = { names: ['a', 'b', 'c', 'd'], delimiter: ',', title: '', types }
  const { render } = await openFormat('jsonl', table)
  expect(render([['1', '2', 'true', '2026-01-31']])).toBe('{"a":"1","b":2,"c":true,"d":"2026-01-31"}\n')
})
