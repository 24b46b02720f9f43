/** A workbook is read as the text of one sheet, always the same; an unreadable one is rejected with a message. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import readXlsx from 'read-excel-file/node'
import { describe, expect, it } from 'vitest'
import { inspect, openSource } from '../../../src/input/index.ts'
import type { InputOptions } from '../../../src/pipeline/model/types.ts'
import { openResults } from '../../../src/results/index.ts'
import { runs } from '../../support/runs.ts'
import { factsOf, file, folder, options, planOf, sha256, text } from './kit.ts'
import { archiveOf, hiding, numberCell, partsOf, sheetXml, textCell, type WorkbookParts, workbookOf } from './workbooks.ts'

const HEADER = [textCell('Name'), textCell('No')]
const LIST = sheetXml(HEADER, [textCell('Acmé & Co, "Ltd"'), numberCell(1234567)], [textCell('Bolt'), numberCell(7)])

/** The text that would be sent of a workbook. */
async function textOf(book: Buffer, rest: Partial<InputOptions> = {}): Promise<string> {
  const facts = await factsOf(file(book, 'list.xlsx'), rest)
  const { open } = await openSource(planOf(facts, { preparation: ['x'] }), folder()).upload(0)
  const pieces: Buffer[] = []
  for await (const piece of open()) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}
/** The text of one sheet under a header of `columns` columns. */
const cellsOf = async (rows: readonly (readonly string[])[], parts?: WorkbookParts): Promise<string> => {
  const header = Array.from({ length: Math.max(...rows.map(row => row.length)) }, (_, at) => textCell(`h${at}`))
  return (await textOf(workbookOf({ s: sheetXml(header, ...rows) }, parts))).replace(/^.*\n/, '')
}
const found = async (bytes: Uint8Array, rest: Partial<InputOptions> = {}, name = 'list.xlsx') =>
  (await inspect(options(file(bytes, name), rest))).issues.map(one => `${one.severity} ${one.code} ${one.message} | ${one.hint}`)

describe('a workbook', () => {
  it('with semicolons inside one column is refused: another delimiter does not help', async () => {
    const book = workbookOf({ s: sheetXml(...['Name;No', 'Acme;1', 'Bolt;2'].map(line => [textCell(line)])) })
    for (const delimiter of ['auto', ',', ';']) {
      const { facts, issues } = await inspect(options(file(book, 'list.xlsx'), { delimiter }))
      expect({ facts, issues }).toMatchObject({
        facts: null,
        issues: [{ code: 'FETTLE_INPUT_DELIMITER', hint: expect.stringContaining('split the column where the list comes from') }],
      })
    }
  })

  it('has the facts of its text, and the size and hash of the file', async () => {
    const book = workbookOf({ List: LIST })
    const csv = 'Name,No\n"Acmé & Co, ""Ltd""",1234567\nBolt,7\n'
    expect(await factsOf(file(book, 'list.xlsx'))).toMatchObject({
      bytes: book.length,
      sha256: sha256(book),
      packed: { as: 'xlsx', sheet: 'List', bytes: Buffer.byteLength(csv) },
      encoding: 'utf-8',
      delimiter: ',',
      header: ['Name', 'No'],
      rows: 2,
    })
    expect(await textOf(book)).toBe(csv)
  })

  it('is uploaded as CSV with that extension, repeatedly, and its cells are in the output', async () => {
    const work = folder()
    const out = { path: join(work, 'out.csv'), columns: ['*', 'match.outcome'], unmatched: null, review: null } as const
    writeFileSync(join(work, 'L.xlsx'), workbookOf({ List: LIST }))
    const facts = await factsOf(join(work, 'L.xlsx'))
    const plan = planOf(facts, { preparation: ['x'], output: { ...out, format: 'csv' } })
    expect(await openSource(plan, work).upload(0)).toMatchObject({ filename: 'L.csv', bytes: facts.packed?.bytes })
    const results = openResults(plan, work, { root: work })
    const body = (async function* () {
      yield Buffer.from('Name,No,match.outcome\n"Acmé & Co, ""Ltd""",1234567,matched\nBolt,7,unmatched\n')
    })()
    await results.receive(0, { bytes: null, body }, 2)
    await results.publish()
    expect(text(out.path)).toBe('Name,No,match.outcome\n"Acmé & Co, ""Ltd""",1234567,matched\nBolt,7,unmatched\n')
  })

  it('is recognised by its content, not by its name; text settings of the pipeline do not apply', async () => {
    const book = workbookOf({ List: LIST })
    expect((await factsOf(file(book, 'x.csv'), { encoding: 'windows-1252', delimiter: ';' })).rows).toBe(2)
  })
})

describe('cells', () => {
  it.each([
    ['a number', numberCell(7), '7'],
    ['a fraction', numberCell('0.10000000000000001'), '0.1'],
    ['a long number', numberCell('1.23456789012345E+20'), '123456789012345000000'],
    ['a very long number', numberCell('-1.5E+22'), '-15000000000000000000000'],
    ['a tiny number', numberCell('1.25E-8'), '0.0000000125'],
    ['a date', numberCell(46082, 1), '2026-03-01'],
    ['a date with time', numberCell(46082.51041666667, 2), '2026-03-01T12:15:00'],
    ['a date with time at midnight', numberCell(46082, 2), '2026-03-01'],
    ['a time', numberCell(0.75, 3), '18:00:00'],
    ['a date in ISO form', '<c t="d"><v>2026-03-01T00:00:00Z</v></c>', '2026-03-01'],
    ['a date no calendar has', numberCell(1e12, 1), ''],
    ['TRUE', '<c t="b"><v>1</v></c>', 'TRUE'],
    ['FALSE', '<c t="b"><v>0</v></c>', 'FALSE'],
    ['an error', '<c t="e"><v>#N/A</v></c>', ''],
    ['nothing but a style', '<c s="1"/>', ''],
    ['the result of a formula', '<c t="str"><f>A1&amp;"x"</f><v>Ax</v></c>', 'Ax'],
    ['spaces', textCell('  a '), '  a '],
    ['digits as text', textCell('00123'), '00123'],
    ['a line end', textCell('a\nb'), '"a\nb"'],
    ['an escape', textCell('a_x000D_b_x005F_x0041_'), '"a\rb_x0041_"'],
    ['a name of JavaScript', textCell('constructor'), 'constructor'],
  ])('%s', async (_, cell, expected) => {
    expect(await cellsOf([[textCell('key'), cell]])).toBe(`key,${expected}\n`)
  })

  it('shared texts, rich ones too', async () => {
    const rich = '</t></si><si><r><t>Acme</t></r><r><rPr><b/></rPr><t> Ltd</t></r></si><si><t>'
    const cells = [0, 2, 3].map(at => `<c t="s"><v>${at}</v></c>`)
    expect(await cellsOf([cells], { strings: ['one', rich, 'three'] })).toBe('one,Acme Ltd,\n')
  })

  it('days counted from 1904', async () => {
    expect(await cellsOf([[textCell('x'), numberCell(46082 - 1462, 1)]], { date1904: true })).toBe('x,2026-03-01\n')
  })

  it('rows are filled up to the widest, empty ones are not sent', async () => {
    const rows = [
      [textCell('a'), textCell('b'), textCell('c')],
      [textCell('d')],
      [],
      ['', '', textCell('e').replace('<c', '<c r="C5"')],
      [],
      ['<c s="1"/>'],
    ]
    expect(await cellsOf(rows)).toBe('a,b,c\nd,,\n,,e\n')
  })

  it('any text is read back, for any length of the sheet', async () => {
    const printable = fc.string({ unit: fc.constantFrom(...'aZ0 ,;"\'&<>_x\n\tÄ€😀') })
    await fc.assert(
      fc.asyncProperty(fc.array(printable, { minLength: 1, maxLength: 20 }), async texts => {
        const rows = texts.map((one, at) => [textCell(String(at)), textCell(one)])
        const facts = await factsOf(file(workbookOf({ s: sheetXml(...rows) })), { header: false })
        expect(facts.rows).toBe(texts.length)
      }),
      { numRuns: 10 },
    )
    const many = Array.from({ length: 20_000 }, (_, row) => [numberCell(row), textCell(`Company ${row} & Söhne <${row}>`)])
    const expected = many.map((_, row) => `${row},Company ${row} & Söhne <${row}>\n`).join('')
    expect(await cellsOf(many)).toBe(expected)
  })
})

it('another reader of workbooks finds the same texts in the same cells', async () => {
  const unit = fc.constantFrom(...'aZ0 ,;"\'&<>_x\n\tÄ€😀')
  const value = fc.oneof(fc.string({ unit, minLength: 1 }), fc.integer({ min: -1e9, max: 1e9 }), fc.constant(null))
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(value, { minLength: 2, maxLength: 6 }), { minLength: 1, maxLength: 12 }), async rows => {
      const cells = [['h', 'h2'] as (string | number | null)[], ...rows].map(row =>
        row.map(one => (one === null ? '<c/>' : typeof one === 'number' ? numberCell(one) : textCell(one))),
      )
      const book = workbookOf({ s: sheetXml(...cells) })
      const [sheet] = await readXlsx(book, { trim: false })
      const other = sheet!.data
        .map(row => row.map(cell => (cell === null ? '' : String(cell))))
        .filter(row => row.some(cell => cell.trim() !== ''))
      const records = parse(await textOf(book, { header: false }), { relaxColumnCount: true })
      expect(records).toEqual(other)
    }),
    { numRuns: runs(20, 60) },
  )
})

describe('which sheet', () => {
  const empty = sheetXml()
  const other = sheetXml([textCell('Other')], [textCell('x')])

  it('is the first with content, and the others are named', async () => {
    const book = workbookOf({ Cover: empty, 'A & B': LIST, Other: other })
    expect((await factsOf(file(book))).packed).toMatchObject({ sheet: 'A & B' })
    expect(await found(book)).toEqual([
      expect.stringMatching(
        /^warn FETTLE_INPUT_SHEET .* is read from its sheet "A & B"; it also has "Other" \| Name a different one with input\.sheet: "Other", or read all that have the same columns with input\.sheet: "\*"\.$/,
      ),
    ])
    expect(await found(workbookOf({ Cover: empty, List: LIST }))).toEqual([])
  })

  it('is not a hidden one, unless it is named or all are hidden', async () => {
    const book = file(hiding({ Other: other, List: LIST }, 'Other'))
    expect((await factsOf(book)).packed).toMatchObject({ sheet: 'List' })
    expect((await factsOf(book, { sheet: 'Other' })).packed).toMatchObject({ sheet: 'Other' })
    expect((await factsOf(file(hiding({ Cover: empty, List: LIST }, 'Cover', 'List')))).packed).toMatchObject({ sheet: 'List' })
  })

  it.each<[string | number, string]>([
    ['Other', 'Other\nx\n'],
    [3, 'Other\nx\n'],
    ['2', 'Name,No\n'],
  ])('%j is the one asked for', async (sheet, expected) => {
    const book = workbookOf({ 2: sheetXml(HEADER, HEADER), List: LIST, Other: other })
    expect(await textOf(book, { sheet })).toContain(expected)
    expect((await found(book, { sheet })).filter(one => one.includes('SHEET'))).toEqual([])
  })

  it.each<[string | number]>([['list'], [3]])('%j is not there: the sheets are named', async sheet => {
    expect(await found(workbookOf({ List: LIST, Other: other }), { sheet })).toEqual([
      expect.stringMatching(/^error FETTLE_INPUT_SHEET .* has no sheet (3|"list") \| It has "List", "Other"/),
    ])
  })

  it('is ignored for a text file', async () => {
    const { issues } = await inspect(options(file('a,b\n1,2\n'), { sheet: 'List' }))
    expect(issues.map(one => [one.severity, one.code])).toEqual([['warn', 'FETTLE_INPUT_SHEET']])
  })

  it('that is empty has no rows', async () => {
    expect(await found(workbookOf({ List: empty }))).toEqual([expect.stringContaining('error FETTLE_INPUT_EMPTY')])
  })
})

describe('refused', () => {
  const parts = partsOf({ List: LIST })
  const encrypted = Buffer.concat([
    Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]),
    Buffer.alloc(2000),
    Buffer.from('EncryptedPackage', 'utf16le'),
  ])

  it.each<[string, Uint8Array, RegExp]>([
    ['a workbook with a password', encrypted, /FETTLE_INPUT_KIND .*behind a password/],
    ['an old workbook', encrypted.subarray(0, 100), /FETTLE_INPUT_KIND .*old Excel.*\.xls\).*Save as \.xlsx or CSV/],
    ['a binary workbook', archiveOf({ '[Content_Types].xml': '', 'xl/workbook.bin': 'x' }), /FETTLE_INPUT_KIND .*\.xlsb/],
    ['OpenDocument', archiveOf({ mimetype: '', 'opendocument.spreadsheet': '' }), /FETTLE_INPUT_KIND .*\.ods/],
    ['Numbers', archiveOf({ 'Index/Document.iwa': 'x' }), /FETTLE_INPUT_KIND .*Numbers/],
    ['a Word file', archiveOf({ '[Content_Types].xml': '', 'word/document.xml': 'x' }), /FETTLE_INPUT_KIND .*Word/],
    ['another archive', archiveOf({ 'list.csv': 'a,b' }), /FETTLE_INPUT_KIND .*ZIP archive \| Unpack/],
    ['cut short', archiveOf(parts).subarray(0, 900), /FETTLE_INPUT_KIND .*cut short/],
    ['packed by gzip as well', gzipSync(archiveOf(parts)), /FETTLE_INPUT_KIND .*packed in another file/],
    ['no XML', archiveOf({ ...parts, 'xl/worksheets/sheet1.xml': '<worksheet' }), /FETTLE_INPUT_(KIND|EMPTY)/],
    [
      'a sheet that is not there',
      archiveOf({ ...parts, 'xl/_rels/workbook.xml.rels': '<Relationships/>' }),
      /FETTLE_INPUT_KIND .*cannot be read/,
    ],
    ['a text that is not there', workbookOf({ s: sheetXml(['<c t="s"><v>9</v></c>']) }), /FETTLE_INPUT_KIND .*cannot be read/],
    ['no workbook in it', archiveOf({ ...parts, 'xl/workbook.xml': 'nothing' }), /FETTLE_INPUT_KIND/],
  ])('%s', async (_, bytes, expected) => {
    expect(await found(bytes)).toEqual([expect.stringMatching(expected)])
  })

  it('one damaged anywhere, or cut anywhere, or read as it was', async () => {
    const book = workbookOf({ List: LIST })
    const place = fc.integer({ min: 4, max: book.length - 1 })
    await fc.assert(
      fc.asyncProperty(place, fc.integer({ min: 1, max: 255 }), fc.boolean(), async (at, flip, isCut) => {
        const bad = Buffer.from(isCut ? book.subarray(0, at) : book)
        if (!isCut) bad[at]! ^= flip
        const { facts, issues } = await inspect(options(file(bad, 'x.xlsx')))
        const isRefused = issues.some(one => one.severity === 'error')
        expect(issues.every(one => one.code.startsWith('FETTLE_INPUT_'))).toBe(true)
        // A byte that says nothing of the content may differ.
        if (!isRefused) expect([facts?.rows, facts?.packed?.bytes]).toEqual([2, 45])
        else if (isCut) expect(facts).toBeNull()
      }),
      { numRuns: runs(20, 60) },
    )
  })

  it('one that would unpack to more than is allowed: by its own word, and in spite of it', async () => {
    const big = archiveOf({ ...parts, 'xl/worksheets/sheet1.xml': Buffer.alloc(600 * 1024 ** 2, 0x20) })
    expect(big.length).toBeLessThan(1_000_000)
    expect(await found(big)).toEqual([
      expect.stringMatching(/FETTLE_INPUT_LIMIT .* would unpack to \d+ bytes; workbooks of up to 536870912/),
    ])
    const name = Buffer.from('xl/worksheets/sheet1.xml')
    const liar = Buffer.from(big)
    liar.writeUInt32LE(1000, liar.lastIndexOf(name) - 46 + 24)
    expect(await found(liar)).toEqual([expect.stringMatching(/FETTLE_INPUT_KIND .*cannot be read/)])
  })

  it('one whose few cells would make a table beyond all memory', async () => {
    const far = ['A1', 'XFD1', 'A1048576'].map(at => textCell('x').replace('<c', `<c r="${at}"`))
    const sheet = `<worksheet><sheetData><row r="1">${far[0]}${far[1]}</row><row r="1048576">${far[2]}</row></sheetData></worksheet>`
    expect(await found(workbookOf({ s: sheet }))).toEqual([
      expect.stringMatching(/FETTLE_INPUT_LIMIT .*takes about \d+ MiB of memory to be read, and \d+ are there/),
    ])
    for (const row of ['r="4000000000"', 'r="&#52;0"', "x:r='99999999'"])
      expect(await found(workbookOf({ s: `<worksheet><sheetData><row ${row}/></sheetData></worksheet>` }))).toEqual([
        expect.stringMatching(/FETTLE_INPUT_KIND .*is not the address of a row/),
      ])
    // Styles alone may reach as far as they like.
    const styled = sheetXml(HEADER, HEADER).replace(
      '</sheetData>',
      '<row r="1048576"><c r="XFD1048576" s="1"/></row></sheetData>',
    )
    expect((await factsOf(file(workbookOf({ s: styled })))).rows).toBe(1)
  })
})
