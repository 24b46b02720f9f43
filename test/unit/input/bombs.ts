/** Workbooks that are small as files and large, deep or contradictory inside; each with its expected result. */
import { archiveOf, partsOf, sheetXml, textCell } from './workbooks.ts'

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const SHEET = 'xl/worksheets/sheet1.xml'

const sheet = (rows: string, before = ''): string => `<worksheet>${before}<sheetData>${rows}</sheetData></worksheet>`
const text = (at: string, value: string, more = ''): string => `<c ${more}r="${at}" t="inlineStr"><is><t>${value}</t></is></c>`
const HEAD = `<row r="1">${text('A1', 'Name')}</row>`
const LIST = sheetXml([textCell('Name'), textCell('No')], [textCell('Acme'), textCell('7')])
const times = (count: number, make: (n: number) => string): string => Array.from({ length: count }, (_, n) => make(n)).join('')

/** A workbook, and the text that is read of it or the error that refuses it. */
export interface Bomb {
  readonly name: string
  make(): Buffer
  readonly becomes: string | RegExp
}

type Files = Record<string, string | Buffer>
const bomb = (name: string, files: () => Files, becomes: string | RegExp): Bomb => ({
  name,
  make: () => archiveOf(files()),
  becomes,
})
const ofSheet = (name: string, xml: () => string, becomes: string | RegExp): Bomb =>
  bomb(name, () => partsOf({ s: xml() }), becomes)
const withPart = (name: string, part: string, xml: (now: string) => string | Buffer, becomes: string | RegExp): Bomb =>
  bomb(
    name,
    () => {
      const files: Files = partsOf({ s: LIST })
      return { ...files, [part]: xml(String(files[part])) }
    },
    becomes,
  )

const AS_LIST = 'Name,No\nAcme,7\n'
const MEMORY = /FETTLE_INPUT_LIMIT .*takes about \d+ MiB of memory to be read, and \d+ are there/
const BROKEN = /FETTLE_INPUT_KIND .*cannot be read: /

/** Four forms of an address that a careless search of the XML does not see; the last cell would make 17 thousand million cells. */
const HIDDEN: readonly (readonly [name: string, hide: (xml: string) => string])[] = [
  ['behind a > in quotes', xml => xml.replaceAll('<HIDE', '<row z=">"').replaceAll('<hide', '<c z=">"')],
  ['behind another in quotes', xml => xml.replaceAll('<HIDE', `<row z=" r='2'"`).replaceAll('<hide', `<c z=" r='B1'"`)],
  ['with a prefix', xml => xml.replaceAll('<HIDE', '<a-b:row').replaceAll('<hide', '<a-b:c').replaceAll('</row>', '</a-b:row>')],
  ['across lines', xml => xml.replaceAll('<HIDE', '<row\n\n').replaceAll('<hide', '<c\t')],
]
const far = (hide: (xml: string) => string): string =>
  hide(sheet(`<HIDE r="1"><hide r="XFD1"><v>1</v></c></row><HIDE r="1048576"><hide r="A1048576"><v>1</v></c></row>`)).replace(
    /<(a-b:c) ([^>]*)><v>1<\/v><\/c>/g,
    '<$1 $2><v>1</v></$1>',
  )

/** All of them; `scale` makes the large ones larger. */
export const bombs = (scale: number): readonly Bomb[] => [
  ...HIDDEN.map(([name, hide]) => ofSheet(`cells far apart, their addresses ${name}`, () => far(hide), MEMORY)),
  ofSheet(
    'an address with a prefix beside one without',
    () => sheet(`${HEAD}<row r="2">${text('A2', 'x', 'z:r="XFD1048576" ')}</row>`),
    'Name\nx\n',
  ),
  ofSheet('two addresses', () => sheet(`<row r="1">${text('A1', 'x', 'r="B1" ')}</row>`), /FETTLE_INPUT_KIND .*two attributes r/),
  ofSheet('a broken tag', () => sheet(`<row r="1"><c a"b" r="A1"><v>1</v></c></row>`), /FETTLE_INPUT_KIND .*broken tag <c>/),
  bomb(
    'one text shared by many cells',
    () =>
      partsOf(
        { s: sheet(times(20_000, n => `<row r="${n + 1}"><c r="A${n + 1}" t="s"><v>0</v></c></row>`)) },
        { strings: ['x'.repeat(1_000_000)] },
      ),
    MEMORY,
  ),
  ofSheet(
    'a cell of many characters',
    () => sheet(`${HEAD}<row r="2">${text('A2', 'x'.repeat(4_000_000 * scale))}</row>`),
    /FETTLE_INPUT_RECORD|FETTLE_INPUT_QUOTES|FETTLE_INPUT_LIMIT|FETTLE_INPUT_SUSPECT/,
  ),
  ofSheet(
    'a comment of many characters',
    () => sheet(`${HEAD}<!--${'<x'.repeat(3_000_000 * scale)}--><row r="2">${text('A2', 'x')}</row>`),
    'Name\nx\n',
  ),
  ofSheet(
    'a tag of many characters',
    () => sheet(`${HEAD}<row r="2" z="${'> '.repeat(3_000_000 * scale)}">${text('A2', 'x')}</row>`),
    'Name\nx\n',
  ),
  ofSheet(
    'a tag of many attributes',
    () => sheet(`${HEAD}<row r="2" ${times(60_000 * scale, n => `a${n}="" `)}>${text('A2', 'x')}</row>`),
    'Name\nx\n',
  ),
  ofSheet('many empty rows', () => sheet(HEAD + times(40_000 * scale, n => `<row r="${n + 2}"/>`)), 'Name\n'),
  ofSheet(
    'many empty cells',
    () => sheet(HEAD + times(20_000 * scale, n => `<row r="${n + 2}"><c r="A${n + 2}"/><c r="XFD${n + 2}" s="1"/></row>`)),
    'Name\n',
  ),
  ofSheet(
    'elements deep within each other',
    () => LIST.replace('<sheetData>', `${'<a>'.repeat(80_000 * scale)}${'</a>'.repeat(80_000 * scale)}<sheetData>`),
    AS_LIST,
  ),
  ofSheet(
    'a merged range of the whole sheet, and a dimension of it',
    () =>
      LIST.replace('</sheetData>', '</sheetData><mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>').replace(
        'ref="A1"',
        'ref="A1:XFD1048576"',
      ),
    AS_LIST,
  ),
  ofSheet('an invalid dimension', () => LIST.replace(' ref="A1"', ''), AS_LIST),
  ofSheet(
    'a column behind the last',
    () => sheet(`<row r="1">${text('XFE1', 'x')}</row>`),
    /FETTLE_INPUT_KIND .*XFE1.*beyond the last/,
  ),
  ofSheet(
    'a row behind the last',
    () => sheet(`<row r="1048577">${text('A1048577', 'x')}</row>`),
    /FETTLE_INPUT_KIND .*beyond the last/,
  ),
  ofSheet(
    'rows that go backwards',
    () => sheet(`<row r="2">${text('A2', 'x')}</row><row r="1">${text('A1', 'y')}</row>`),
    /FETTLE_INPUT_KIND .*follows one of a higher number/,
  ),
  ofSheet('a cell of another row', () => sheet(`<row r="1">${text('A2', 'x')}</row>`), /FETTLE_INPUT_KIND .*A2 is in row 1/),
  ofSheet(
    'rows and cells without addresses',
    () => sheet(`<row><c t="inlineStr"><is><t>Name</t></is></c><c><v>1</v></c></row><row><c/><c><v>2</v></c></row>`),
    'Name,1\n,2\n',
  ),
  ofSheet(
    'a section of plain text, a comment within a text',
    () => sheet(`${HEAD}<row r="2">${text('A2', '<![CDATA[<Acme>]]> &amp; <!-- x -->Co')}</row>`),
    'Name\n<Acme> & Co\n',
  ),
  ofSheet(
    'characters by their number',
    () => sheet(`${HEAD}<row r="2">${text('A2', '&#128512;&#x1F600;&#65;')}</row>`),
    'Name\n😀😀A\n',
  ),
  ofSheet(
    'a document type with entities in each other',
    () =>
      `<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]>${sheet(`<row r="1">${text('A1', '&b;&c;')}</row>`)}`,
    /FETTLE_INPUT_KIND .*document type/,
  ),
  ofSheet(
    'an entity that nothing declares',
    () => sheet(`<row r="1">${text('A1', '&b;')}</row>`),
    /FETTLE_INPUT_KIND .*"&b;", which is not defined/,
  ),
  ofSheet(
    'many entities',
    () => sheet(`<row r="1">${text('A1', 'Name')}${text('B1', '&amp;'.repeat(100_000))}</row>`),
    `Name,${'&'.repeat(100_000)}\n`,
  ),
  withPart('a sheet in UTF-16', SHEET, xml => Buffer.from(`\ufeff${xml}`, 'utf16le'), /FETTLE_INPUT_KIND .*not UTF-8/),
  ofSheet(
    'a sheet of another encoding by its own word',
    () => `<?xml version="1.0" encoding="UTF-7"?>${sheet(HEAD)}`,
    /FETTLE_INPUT_KIND .*not UTF-8/,
  ),
  ofSheet('a sheet that is cut short', () => LIST.replace('</worksheet>', ''), /FETTLE_INPUT_KIND .*cut short/),
  ofSheet('elements that cross', () => LIST.replace('</is></c>', '</c></is>'), BROKEN),
  withPart(
    'a style of many',
    'xl/styles.xml',
    xml => xml.replace('</cellXfs>', `${'<xf numFmtId="0"/>'.repeat(50_000 * scale)}</cellXfs>`),
    AS_LIST,
  ),
  withPart(
    'a format of many brackets',
    'xl/styles.xml',
    xml => xml.replace('yyyy\\-mm\\-dd', '['.repeat(300_000 * scale)),
    AS_LIST,
  ),
  withPart(
    'shared texts deep within each other',
    'xl/sharedStrings.xml',
    xml => xml.replace('</sst>', `<si>${'<r>'.repeat(80_000 * scale)}${'</r>'.repeat(80_000 * scale)}</si></sst>`),
    AS_LIST,
  ),
  withPart(
    'many shared texts',
    'xl/sharedStrings.xml',
    xml => xml.replace('</sst>', `${'<si><t>a</t></si>'.repeat(80_000 * scale)}</sst>`),
    AS_LIST,
  ),
  bomb(
    'many sheets in one part',
    () => {
      const count = 30_000 * scale
      const files: Files = partsOf({ s: LIST.replace(/<row.*<\/row>/s, '') })
      const link = (n: number): string =>
        `<Relationship Id="rId${n + 1}" Type="${OFFICE}/worksheet" Target="worksheets/sheet1.xml"/>`
      return {
        ...files,
        'xl/workbook.xml': String(files['xl/workbook.xml']).replace(
          /<sheet .*\/>/,
          times(count, n => `<sheet name="s${n}" sheetId="${n}" r:id="rId${n + 1}"/>`),
        ),
        'xl/_rels/workbook.xml.rels': `<Relationships>${times(count, link)}</Relationships>`,
      }
    },
    /FETTLE_INPUT_EMPTY/,
  ),
  withPart(
    'a sheet elsewhere',
    'xl/_rels/workbook.xml.rels',
    xml => xml.replace('"worksheets/sheet1.xml"', '"http://127.0.0.1:9/x.xml" TargetMode="External"'),
    BROKEN,
  ),
  withPart(
    'a sheet above its workbook',
    'xl/_rels/workbook.xml.rels',
    xml => xml.replace('"worksheets/sheet1.xml"', '"../../../../etc/passwd"'),
    BROKEN,
  ),
  withPart(
    'a sheet by a name of JavaScript',
    'xl/_rels/workbook.xml.rels',
    xml => xml.replace('"worksheets/sheet1.xml"', '"__proto__"').replace('"rId1"', '"__proto__"'),
    BROKEN,
  ),
  bomb(
    'a chart before the list',
    () => {
      const files: Files = partsOf({ s: LIST })
      const chart = `<Relationship Id="rId7" Type="${OFFICE}/chartsheet" Target="chartsheets/sheet1.xml"/>`
      return {
        ...files,
        'xl/workbook.xml': String(files['xl/workbook.xml']).replace(
          '<sheet ',
          '<sheet name="c" sheetId="99" r:id="rId7"/><sheet ',
        ),
        'xl/_rels/workbook.xml.rels': String(files['xl/_rels/workbook.xml.rels']).replace('</Rel', `${chart}</Rel`),
      }
    },
    AS_LIST,
  ),
  {
    name: 'a part that is there twice',
    make: () =>
      Buffer.from(
        archiveOf({ ...partsOf({ s: LIST }), 'xl/worksheets/sheet9.xml': LIST })
          .toString('latin1')
          .replaceAll('sheet9.xml', 'sheet1.xml'),
        'latin1',
      ),
    becomes: /FETTLE_INPUT_KIND .*sheet1.xml is in it twice/,
  },
  {
    name: 'a part of another size than listed',
    make: () => changed(20, -1),
    becomes: /FETTLE_INPUT_KIND .*(damaged|cannot be read)/,
  },
  { name: 'a part of another checksum', make: () => changed(16, 1), becomes: /FETTLE_INPUT_KIND .*damaged/ },
  {
    name: 'a part behind the end',
    make: () => changed(42, 1_000_000),
    becomes: /FETTLE_INPUT_KIND .*not at its listed offset/,
  },
  { name: 'a part with a password', make: () => changed(8, 1), becomes: /FETTLE_INPUT_KIND .*encrypted/ },
]

/** A list whose archive has wrong facts about its sheet. */
function changed(at: number, by: number): Buffer {
  const book = archiveOf(partsOf({ s: LIST }))
  const entry = book.lastIndexOf(Buffer.from(SHEET)) - 46
  if (at === 8) book.writeUInt16LE(book.readUInt16LE(entry + at) | by, entry + at)
  else book.writeUInt32LE((book.readUInt32LE(entry + at) + by) >>> 0, entry + at)
  return book
}
