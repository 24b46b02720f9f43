/** `skip: auto`: the same rows whatever a day's file has around them, alone or among several files. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { inspect } from '../../../src/input/table/inspect.ts'
import { surroundingsOf } from '../../../src/pipeline/index.ts'
import { folder } from './kit.ts'

const HEADER = 'Company No,Company name,Town,Country,Spend'
const ROWS = Array.from({ length: 9 }, (_, at) => `${2971930 + at},Firm ${at} Ltd,York,GB,${at}.50`)
const ABOVE = [[], ['Suppliers of the north'], ['Suppliers', ''], ['Suppliers', 'as of 31 March', '', 'Identity,,,,Money']]
const BELOW = [[], ['Total,,,,36.00'], ['', 'Total,,,,36.00'], ['', 'Total,,,,36.00', 'Source: SAP'], ['', 'End of report', '']]
const AUTO = { head: 'auto', tail: 'auto' } as const
const AS = { encoding: 'auto', delimiter: 'auto', header: true, quotes: 'strict', sheet: null, skip: AUTO } as const

const FORMS: readonly ((text: string) => Buffer)[] = [
  text => Buffer.from(text),
  text => Buffer.from(`\ufeff${text.replaceAll('\n', '\r\n')}`),
  text => Buffer.from(`\ufeff${text}`, 'utf16le'),
  text => gzipSync(text),
]

const file = fc.record({
  above: fc.constantFrom(...ABOVE),
  below: fc.constantFrom(...BELOW),
  rows: fc.integer({ min: 4, max: ROWS.length }),
  form: fc.constantFrom(...FORMS),
})

it('reads every row and no other line, in one file and in several', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(file, { minLength: 1, maxLength: 3 }), async files => {
      const path = join(folder(), 'lists')
      mkdirSync(path)
      for (const [at, { above, below, rows, form }] of files.entries())
        writeFileSync(join(path, `${at}.csv`), form(`${[...above, HEADER, ...ROWS.slice(0, rows), ...below].join('\n')}\n`))
      const { facts, issues } = await inspect(
        { ...AS, path: files.length === 1 ? join(path, '0.csv') : path },
        { around: surroundingsOf },
      )
      expect(issues.filter(({ severity }) => severity === 'error')).toEqual([])
      expect(facts!.rows).toBe(files.reduce((sum, { rows }) => sum + rows, 0))
      expect(facts!.header).toEqual(HEADER.split(','))
    }),
    { numRuns: 60 },
  )
})
