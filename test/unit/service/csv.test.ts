/** The service's own CSV reading and writing: what is written reads back, and no delimiter or line end changes a count. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { columnName, countColumns, csvLine, readRecords, sniffDelimiter } from '../../../src/service/csv/csv.ts'
import { uniqueNames } from '../../../src/service/data-cleaning/processing/enriched-file.ts'
import { LIMITS } from '../../../src/service/limits.ts'
import { runs } from '../../support/runs.ts'
import { temporaryFolder } from './kit.ts'

const cell = fc.string({ unit: fc.constantFrom('a', 'é', '"', ',', ';', '\n', '\r', '\t', '|', ' ', '=', "'"), maxLength: 6 })

test('a written line reads back cell by cell', () => {
  fc.assert(
    fc.property(fc.array(cell, { minLength: 2, maxLength: 5 }), cells => {
      expect(parse(csvLine(cells), { relax_column_count: true })).toEqual([cells])
    }),
  )
})

test('every table survives each delimiter and line end, with blank lines and a BOM', async () => {
  const path = join(await temporaryFolder(), 'a.csv')
  const plain = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '"', ' ', '\n'), minLength: 1, maxLength: 5 })
  const table = fc
    .integer({ min: 2, max: 4 })
    .chain(width => fc.array(fc.array(plain, { minLength: width, maxLength: width }), { minLength: 2, maxLength: 9 }))
  const quote = (text: string): string => (/["\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
  await fc.assert(
    fc.asyncProperty(
      table,
      fc.constantFrom(',', ';', '\t', '|'),
      fc.constantFrom('\n', '\r\n', '\n\n', '\r'),
      async (rows, delimiter, end) => {
        await writeFile(path, `\ufeff${rows.map(row => row.map(quote).join(delimiter)).join(end)}${end}`)
        const read: string[][] = []
        for await (const record of readRecords(path, LIMITS)) read.push(record)
        expect(read).toEqual(rows)
        expect(await countColumns(path, LIMITS)).toBe(rows[0]?.length)
      },
    ),
    { numRuns: runs(30, 60) },
  )
})

test.each([
  ['a,b\n1,2', ','],
  ['a;b;c\n"x,y,z,w";2;3', ';'],
  ['Name, Inc;City;Zip\nx;y;z', ';'],
  ['a\tb', '\t'],
  ['a|b|c\n1|2|3\n', '|'],
  ['alone\nwords', ','],
  ['', ','],
])('the delimiter of %j is %j', (sample, delimiter) => expect(sniffDelimiter(sample)).toBe(delimiter))

test('a record or a number of columns beyond the limit is a fault', async () => {
  const path = join(await temporaryFolder(), 'a.csv')
  const read = async (): Promise<void> => {
    for await (const _ of readRecords(path, { ...LIMITS, recordBytes: 1_000, columns: 3 }));
  }
  await writeFile(path, 'a,b,c,d\n')
  await expect(read()).rejects.toThrow(/4 columns; 3 are allowed/)
  await writeFile(path, `a,b\n"${'x'.repeat(2_000)}",2\n`)
  await expect(read()).rejects.toThrow(/record size/i)
})

test('columns without a header are named as in a spreadsheet', () => {
  expect([0, 25, 26, 701, 702].map(columnName)).toEqual(['COLUMN A', 'COLUMN Z', 'COLUMN AA', 'COLUMN ZZ', 'COLUMN AAA'])
})

test('names become unique and the first keeps its own', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'a (2)', 'b', '__proto__')), names => {
      const unique = uniqueNames(names)
      expect(new Set(unique).size).toBe(names.length)
      // The first of each name keeps it, unless an earlier one was already renamed to just that.
      for (const name of new Set(names)) expect(unique).toContain(name)
    }),
  )
})
