/** Workbooks hold all cells as text, and the same rows give the same bytes. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import readXlsx from 'read-excel-file/node'
import { describe, expect, it } from 'vitest'
import { readDirectory, unpack } from '../../../src/files/zip.ts'
import { xlsxFormat } from '../../../src/formats/xlsx.ts'
import { readSheet } from '../../../src/input/excel/read-workbook.ts'
import { inspect } from '../../../src/input/index.ts'
import type { Plan, PlannedOutput } from '../../../src/pipeline/model/types.ts'
import { openResults } from '../../../src/results/index.ts'
import { anyCharacter } from '../../support/any-character.ts'
import { runs } from '../../support/runs.ts'
import { factsOf, file, folder, names, options, planOf } from '../input/kit.ts'
import { numberCell, sheetXml, textCell, workbookOf } from '../input/workbooks.ts'

const bytesOf = (header: readonly string[], batches: readonly (readonly (readonly string[])[])[], name = 'p'): Buffer => {
  const format = xlsxFormat(header, name)
  return Buffer.concat([format.head, ...batches.map(rows => format.render(rows)), format.end!()])
}
const read = async (book: Buffer) => await readXlsx(book, { trim: false })
const partOf = (book: Buffer, name: string): string =>
  unpack(book, readDirectory(book)!.find(member => member.name === name)!, 1e6).toString()

describe('a workbook', () => {
  it('has one sheet, a bold header and text cells: zeros are kept, nothing is a formula', async () => {
    const row = ['00123', '=1+1', '-5', '1.50', 'TRUE', '2026-03-01', '  a ', '']
    const book = bytesOf(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'], [[row], [['x']]], 'nightly')
    const [{ sheet, data } = { sheet: '', data: [] }, ...others] = await read(book)
    expect([sheet, others]).toEqual(['nightly', []])
    expect(data).toEqual(
      [['a', 'b', 'c', 'd', 'e', 'f', 'g'], row.slice(0, 7), ['x', null, null, null, null, null, null]].map(cells =>
        cells[0] === 'a' ? [...cells, 'h'] : [...cells, null],
      ),
    )
    const xml = partOf(book, 'xl/worksheets/sheet1.xml')
    expect(xml).not.toMatch(/<f>|<v>/)
    expect(xml.match(/<c [^>]*>/g)?.every(cell => cell.includes('t="inlineStr"'))).toBe(true)
    expect(xml).toContain('<c r="A1" s="2"')
    expect(partOf(book, 'xl/styles.xml')).toMatch(/<cellXfs.*fontId="1"/)
  })

  it('offers the words of a column in a list, below the header', () => {
    const format = xlsxFormat(['name', 'decision'], 'p', [undefined, { choices: ['accept', 'reject & more'] }])
    const book = Buffer.concat([
      format.head,
      format.render([
        ['a', ''],
        ['b', 'x'],
      ]),
      format.end!(),
    ])
    expect(partOf(book, 'xl/worksheets/sheet1.xml')).toMatch(
      /<autoFilter ref="A1:B3"\/><dataValidations count="1"><dataValidation type="list" [^>]*sqref="B2:B3"><formula1>"accept,reject &amp; more"<\/formula1><\/dataValidation><\/dataValidations><\/worksheet>$/,
    )
  })

  it('has numbers in columns of numbers, widths by content within bounds, and a filter', async () => {
    const format = xlsxFormat(['score', 'id', 'name'], 'p', [{ is: 'number' }])
    const rows = [
      ['0.987', '12', 'A'.repeat(90)],
      ['007', '1.5', 'a company'],
      ['-12', '', 'b'],
      ['12345678901234567', '=1', 'c'],
      ['1e5', 'x', 'd'],
    ]
    const book = Buffer.concat([format.head, format.render(rows), format.end!()])
    const [{ data } = { data: [] }] = await read(book)
    expect(data.slice(1).map(row => row[0])).toEqual([0.987, '007', -12, '12345678901234567', '1e5'])
    expect(data[1]?.[1]).toBe('12')
    const xml = partOf(book, 'xl/worksheets/sheet1.xml')
    expect([...xml.matchAll(/ width="(\d+)"/g)].map(([, width]) => Number(width))).toEqual([19, 8, 50])
    expect(xml).toMatch(/<\/sheetData><autoFilter ref="A1:C6"\/><\/worksheet>$/)
    const { facts } = await inspect(options(file(book, 'out.xlsx')))
    expect(facts?.packed).toMatchObject({
      as: 'xlsx',
      columns: [
        { index: 0, is: 'number', width: 19 },
        { index: 1, width: 8 },
        { index: 2, width: 50 },
      ],
    })
  })

  it('has dates, truth values and formats of numbers as the workbook of the list had them', async () => {
    const looks = [
      { is: 'date' as const, format: 'dd/mm/yyyy' },
      { is: 'number' as const, format: '#,##0.00\\ "€"', width: 22.5 },
      { is: 'boolean' as const },
      { is: 'number' as const, format: 10 },
      undefined,
    ]
    const rows = [
      ['2026-08-03', '-12.5', 'TRUE', '0.1', '2026-08-03'],
      ['2026-08-03T14:30:15', '0.30000000000000004', 'FALSE', '-7', '007'],
      ['soon', 'n/a', 'Y', '10%', '12'],
    ]
    const format = xlsxFormat(['due', 'sum', 'active', 'share', 'id'], 'Lieferanten 2026', looks)
    const path = file(Buffer.concat([format.head, format.render(rows), format.end!()]), 'types.xlsx')
    const [{ sheet, data } = { sheet: '', data: [] }] = await readXlsx(path)
    expect(sheet).toBe('Lieferanten 2026')
    expect(data.slice(1)).toEqual([
      [new Date('2026-08-03T00:00:00Z'), -12.5, true, 0.1, '2026-08-03'],
      [new Date('2026-08-03T14:30:15Z'), 0.1 + 0.2, false, -7, '007'],
      ['soon', 'n/a', 'Y', '10%', '12'],
    ])
    const { facts } = await inspect(options(path))
    expect(facts?.packed).toMatchObject({ as: 'xlsx', sheet: 'Lieferanten 2026' })
    const { columns } = facts!.packed as unknown as { columns: readonly { index: number }[] }
    expect(columns.slice(0, 4)).toMatchObject(looks.slice(0, 4).map((look, index) => ({ index, ...look })))
    expect(columns[4]).toEqual({ index: 4, width: expect.any(Number) })
  })

  it('of a list never has a text as a number, date or truth value, and has these as they were unless a text looks like one', async () => {
    const textual = fc.constantFrom('12', '0012', '2026-08-03', 'TRUE', 'a', '1e3', '12:00:00', '-', '-5', '1.10').map(text => ({
      ...{ is: 'text', text, xml: textCell(text) },
    }))
    const typed = (is: string, values: readonly (readonly [xml: string, text: string])[]) =>
      fc.constantFrom(...values).map(([xml, text]) => ({ is, text, xml }))
    const truth = (value: number): string => `<c t="b"><v>${value}</v></c>`
    const cell = fc.oneof(
      textual,
      typed('number', [
        [numberCell(5), '5'],
        [numberCell(-1.5), '-1.5'],
        [numberCell('0.30000000000000004'), '0.30000000000000004'],
      ]),
      typed('date', [
        [numberCell(45_351, 1), '2024-02-29'],
        [numberCell(36_525.5, 2), '1999-12-31T12:00:00'],
        [numberCell(0.25, 3), '06:00:00'],
      ]),
      typed('boolean', [
        [truth(1), 'TRUE'],
        [truth(0), 'FALSE'],
      ]),
    )
    fc.assert(
      fc.property(fc.array(cell, { minLength: 1, maxLength: 8 }), cells => {
        const { text, columns } = readSheet(
          workbookOf({ s: sheetXml(...cells.map(({ xml }) => [textCell('k'), xml])) }),
          'l.xlsx',
          null,
        )
        const rows = parse(Buffer.concat(text)) as string[][]
        expect(rows.map(row => row[1])).toEqual(cells.map(cell => cell.text))
        const look = columns.find(({ index }) => index === 1)
        const format = xlsxFormat(['k', 'v'], 's', [undefined, look])
        const book = Buffer.concat([format.head, format.render(rows), format.end!()])
        const written = readSheet(book, 'o.xlsx', null)
        expect((parse(Buffer.concat(written.text)) as string[][]).slice(1)).toEqual(rows)
        const xml = partOf(book, 'xl/worksheets/sheet1.xml')
        const isText = cells.map((_, at) => xml.includes(`<c r="B${at + 2}" s="1" t="inlineStr">`))
        for (const [at, { is }] of cells.entries()) if (is === 'text' || is !== look?.is) expect(isText[at]).toBe(true)
        const kinds = new Set(cells.map(({ is }) => is))
        if (kinds.size === 1 && !kinds.has('text')) expect(isText).not.toContain(true)
      }),
      { numRuns: runs(200, 2000) },
    )
  })

  it('keeps any text in batches of any size', async () => {
    const cell = fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.string({
        unit: fc.constantFrom('_', 'x', '0', '4', '1', 'F', '\0', '\r', '\n', '\x1b', '<', '&', '\ufffd', '\x85', '\uffff'),
      }),
      fc.constantFrom('constructor', '__proto__', '_x0041_', '_x0041', '_x0041\x01', ']]>', ' ', '\u2028'),
    )
    const rows = fc.array(fc.tuple(fc.constant('k'), cell, cell), { minLength: 1, maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(rows, fc.nat(8), async (given, at) => {
        const [{ data } = { data: [] }] = await read(bytesOf(['h', 'i', 'j'], [given.slice(0, at), given.slice(at)]))
        // A lone half of a character is no text: what comes back is the mark for it.
        const expected = given.map(row => row.map(one => (one === '' ? null : one)))
        expect(data.slice(1)).toEqual(expected)
      }),
      { numRuns: runs(60, 300) },
    )
  })

  it('has the same bytes for the same rows, and no timestamp', () => {
    const rows = Array.from({ length: 1200 }, (_, at) => [`Company ${at}`, String(at)])
    const batches = [rows.slice(0, 500), rows.slice(500, 1000), rows.slice(1000)]
    expect(bytesOf(['a', 'b'], batches).equals(bytesOf(['a', 'b'], batches))).toBe(true)
    const times = readDirectory(bytesOf(['a'], []))!.map(({ offset }) => bytesOf(['a'], []).readUInt32LE(offset + 10))
    expect(new Set(times)).toEqual(new Set([0x0021_0000]))
  })

  it('has its header without rows', async () => {
    expect(await read(bytesOf(['a', 'b'], []))).toEqual([{ sheet: 'p', data: [['a', 'b']] }])
  })

  it('has a name for its sheet that Excel allows', async () => {
    for (const name of ['a'.repeat(80), 'a:b[c]*?/\\', "it's"]) {
      const [{ sheet } = { sheet: '' }] = await read(bytesOf(['a'], [], name))
      expect(sheet).toMatch(/^[^[\]:*?/\\']{1,31}$/)
    }
  })

  it('accepts a cell of 32,767 characters and rejects one of 32,768 with its place', () => {
    expect(bytesOf(['a'], [[['x'.repeat(32_767)]]]).length).toBeGreaterThan(0)
    expect(() => bytesOf(['a', 'b'], [[['', 'x'.repeat(32_768)]]])).toThrow('cell B2 has 32768 characters')
  })
})

const output = (rest: Partial<PlannedOutput> = {}): PlannedOutput => ({
  path: 'out/all.xlsx',
  format: 'xlsx',
  columns: ['*', 'match.outcome'],
  unmatched: 'out/unmatched.xlsx',
  review: 'out/review.xlsx',
  ...rest,
})

async function make(input: string, enriched: string, rest: Partial<Plan> = {}) {
  const root = folder()
  writeFileSync(join(root, 'in.csv'), input)
  const facts = { ...(await factsOf(join(root, 'in.csv'))), path: 'in.csv' }
  const plan = planOf(facts, { output: output(), ...rest })
  const results = openResults(plan, folder(), { root })
  const body = (async function* () {
    yield Buffer.from(enriched)
  })()
  await results.receive(0, { bytes: null, body }, facts.rows)
  return { root, results }
}

describe('the outputs of a run', () => {
  const INPUT = 'Name;No\nAcme;0123\n"Bolt; Inc";=77\nCore;5\n'
  const HEAD = 'Name,No,match.outcome,match.candidateId,match.candidateName\n'
  const ENRICHED = `${HEAD}Acme,0123,matched,,\nBolt; Inc,=77,review,C-9,Bolt\nCore,5,unmatched,,\n`

  it('are three workbooks with unchanged cells of the input; a second run gives the same bytes', async () => {
    const { root, results } = await make(INPUT, ENRICHED)
    const { files } = await results.publish()
    const sheets = await Promise.all(files.map(async ({ path }) => (await readXlsx(join(root, path)))[0]?.data))
    expect(sheets).toEqual([
      [
        ['Name', 'No', 'match.outcome'],
        ['Acme', '0123', 'matched'],
        ['Bolt; Inc', '=77', 'review'],
        ['Core', '5', 'unmatched'],
      ],
      [
        ['Name', 'No', 'match.outcome'],
        ['Core', '5', 'unmatched'],
      ],
      [
        ['Name', 'No', 'match.outcome', 'match.candidateId', 'match.candidateName'],
        ['Bolt; Inc', '=77', 'review', 'C-9', 'Bolt'],
      ],
    ])
    expect(files.map(({ rows }) => rows)).toEqual([3, 1, 1])
    expect((await results.publish()).files).toEqual(files)
  })

  it('are not written when a cell is too long, and the enriched rows are kept', async () => {
    const { root, results } = await make('Name\nA\n', `Name,match.outcome,match.why\nA,matched,${'x'.repeat(40_000)}\n`, {
      output: output({ columns: ['*', 'match.why'] }),
    })
    await expect(results.publish()).rejects.toMatchObject({
      code: 'FETTLE_OUTPUT_LIMIT',
      exitCode: 73,
      message: 'cannot write out/all.xlsx: cell B2 has 40000 characters, an Excel cell holds 32767',
      hint: expect.stringContaining('run directory keeps the enriched rows'),
    })
    expect(names(join(root, 'out'))).toEqual([])
  })
})

describe('cells of the input that are too long', () => {
  const watch = () => [{ index: 1, of: ['lengths'] as const }]
  const count = async (cell: string, before = '') => {
    const { cells } = await inspect(options(file(`a,b\n${before}x,${cell}\n`), { delimiter: ',' }), { watch })
    return cells[0]?.tooLong
  }

  it('are counted in characters before anything is sent', async () => {
    expect(await count('x'.repeat(32_767))).toMatchObject({ count: 0 })
    expect(await count('x'.repeat(32_768))).toMatchObject({ count: 1, rows: [1] })
    expect(await count('ä'.repeat(32_767))).toMatchObject({ count: 0 })
    expect(await count(`"${'""'.repeat(32_767)}"`)).toMatchObject({ count: 0 })
    expect(await count(`"${'""'.repeat(32_768)}"`)).toMatchObject({ count: 1 })
  })

  it('are counted across two chunks of the file', async () => {
    const before = 'x,y\n'.repeat(262_000)
    expect(await count('x'.repeat(100_000), before)).toMatchObject({ count: 1, rows: [262_001] })
  })
})
