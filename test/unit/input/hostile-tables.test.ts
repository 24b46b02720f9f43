/** Output tables of hostile text, read by other programs: Python reads CSV and JSON lines, read-excel-file reads workbooks. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import readXlsx from 'read-excel-file/node'
import { expect, test } from 'vitest'
import { neutralise } from '../../../src/formats/formula-guard.ts'
import { openFormat } from '../../../src/formats/writers.ts'
import { xlsxFormat } from '../../../src/formats/xlsx.ts'
import { FRAGMENTS } from '../report/hostile.ts'
import { folder } from './kit.ts'

/** Each fragment first, behind other text, and in front of it. A lone surrogate has no bytes in a file, and NUL no reader here. */
const isWellFormed = (text: string): boolean => Buffer.from(text).toString() === text
const TEXTS = (FRAGMENTS as readonly string[]).filter(text => isWellFormed(text) && !text.includes('\0') && text !== '')
const ROWS = TEXTS.map(text => [text, `a ${text}`, `${text} b`])
const HEADER = ['=HEAD()', '<b>h</b>', '@h']

const written = async (format: 'csv' | 'excel' | 'jsonl', delimiter: string): Promise<string> => {
  const { head, render } = await openFormat(format, { names: HEADER, delimiter, title: '' })
  const path = join(folder(), `out.${format}`)
  writeFileSync(path, `${head}${render(ROWS.slice(0, 20))}${render(ROWS.slice(20))}`)
  return path
}

const python = (script: readonly string[], input: string): unknown =>
  JSON.parse(execFileSync('python3', script, { input, encoding: 'utf8', maxBuffer: 100_000_000 }))

const readCsv = (path: string, delimiter: string): string[][] =>
  python(
    [fileURLToPath(new URL('read_rows.py', import.meta.url))],
    JSON.stringify({ path, encoding: 'utf-8', delimiter }),
  ) as string[][]

test.each([',', ';', '\t', '|'])('csv between %j reads back unchanged', async delimiter => {
  expect(TEXTS.length).toBeGreaterThan(80)
  expect(readCsv(await written('csv', delimiter), delimiter)).toEqual([HEADER, ...ROWS])
})

test.each([',', ';', '\t'])('csv for a spreadsheet between %j starts no formula and changes nothing else', async delimiter => {
  const read = readCsv(await written('excel', delimiter), delimiter)
  // OWASP, CSV injection: what a formula begins with.
  expect(read.flat().filter(cell => /^\s*[=@\uff1d\uff20]/.test(cell))).toEqual([])
  const expected = [HEADER, ...ROWS].map(row => row.map(cell => neutralise(cell, delimiter)))
  expect(read).toEqual(expected)
})

test('JSON lines read back unchanged', async () => {
  const script =
    'import json,sys; print(json.dumps([json.loads(l) for l in open(sys.stdin.read(), encoding="utf-8", newline="\\n")]))'
  const read = python(['-c', script], await written('jsonl', ',')) as Record<string, string>[]
  expect(read.map(row => HEADER.map(name => row[name]))).toEqual(ROWS)
})

test('a workbook reads back unchanged, all of it text', async () => {
  const format = xlsxFormat(HEADER, "=cmd|'x'!A1")
  const book = Buffer.concat([format.head, format.render(ROWS), format.end!()])
  const [sheet] = await readXlsx(book, { trim: false })
  expect(sheet?.data).toEqual([HEADER, ...ROWS])
  const cells = sheet!.data.flat()
  expect(cells.filter(cell => typeof cell !== 'string')).toEqual([])
})
