/** Bad input files: those rejected with 65, and those with warnings. Data only. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { fifo, folder, linkTo, socket } from './pipeline.ts'
import { type Content, type Remark, ROWS, type Row } from './row.ts'

/** A pipeline over `rows.csv`: more about its input, its mappings, more lines. */
interface Reading {
  readonly input?: string
  readonly mappings?: string
  readonly more?: string
  readonly env?: Readonly<Record<string, string>>
  readonly args?: readonly string[]
  readonly process?: boolean
  readonly later?: string
}
const pipeline = ({ input = '', mappings = 'name: Name, country: Country', more = '' }: Reading): string =>
  `name: suppliers\ninput: { path: rows.csv${input === '' ? '' : `, ${input}`} }\nmappings: { ${mappings} }\n${more}\n`

/** C27 needs a file that changes under the reader's hands, C1 a disk that fails late: test/system/bad-input/reading.test.ts. */
const row = (line: string, what: string, content: Content | null, reading: Reading, rest: Partial<Row>): Row => {
  const { input, mappings, more, ...others } = reading
  return {
    line,
    what,
    files: { 'p.yml': pipeline(reading), ...(content === null ? {} : { 'rows.csv': content }) },
    exit: 65,
    ...others,
    ...rest,
  }
}
const bad = (
  line: string,
  what: string,
  content: Content,
  errors: readonly string[],
  says: Row['says'] = [],
  reading: Reading = {},
): Row =>
  row(line, what, content, reading, { errors: errors.map(one => (one.startsWith('PIPELINE_') ? one : `INPUT_${one}`)), says })
const ok = (line: string, what: string, content: Content, reading: Reading = {}): Row =>
  row(line, what, content, reading, { exit: 0, remarks: [] })
const remark = (
  line: string,
  what: string,
  content: Content,
  remarks: readonly (Omit<Remark, 'where'> & { where?: string })[],
  reading: Reading = {},
): Row => row(line, what, content, reading, { exit: 0, remarks: remarks.map(one => ({ where: 'INPUT_SUSPECT', ...one })) })

const HEAD = 'Name,Country\n'
const latin = (text: string) => Buffer.from(text, 'latin1')
const wide = (text: string, big = false) => {
  const bytes = Buffer.from(text, 'utf16le')
  return big ? bytes.swap16() : bytes
}
/** The smallest head by which a spreadsheet is known. */
const XLSX = Buffer.concat([
  Buffer.from('PK\x03\x04\x14\0\x06\0\x08\0\0\0!\0', 'latin1'),
  Buffer.from('[Content_Types].xml and so on'),
])
const ZIP = Buffer.concat([Buffer.from('PK\x03\x04\x14\0\0\0\0\0', 'latin1'), Buffer.from('suppliers.csv and so on')])
const numbered = (numbers: readonly string[]) =>
  `Name,Country,Number\n${numbers.map((number, at) => `Firm ${at},GB,${number}\n`).join('')}`
const WITH_NUMBER = { mappings: 'name: Name, country: Country, orgNumber: Number' }
const WITH_PHONE = { mappings: 'name: Name, country: Country, phone: Tel' }
const WITH_KEY = { input: 'key: Id' }
const SAMPLE = readFileSync(fileURLToPath(new URL('../../../samples/clean.csv', import.meta.url)), 'utf8')

/** Every bad input file. */
// biome-ignore format: a table reads best with one row a line
export const CSV_ROWS: readonly Row[] = [
  row('C1', 'missing, with its path after substitution', null, {}, { files: { 'p.yml': 'name: a\ninput: "${DIR}/in.csv"\nmappings: { name: Name, country: Country }' }, env: { DIR: 'data' }, errors: ['INPUT_READ data/in.csv'], says: ['there is no such file'], process: true }),
  row('C1', 'misspelt', null, {}, { files: { 'p.yml': pipeline({}).replace('rows.csv', 'rwos.csv') }, errors: ['INPUT_READ rwos.csv'], says: ['Near it: rows.csv'] }),
  row('C1', 'on the command line', null, {}, { args: ['p.yml', '--input', 'no.csv'], errors: ['INPUT_READ no.csv'], says: ['there is no such file'] }),
  row('C1', 'below a file', null, {}, { args: ['p.yml', '--input', 'p.yml/rows.csv'], errors: ['INPUT_READ p.yml/rows.csv'], says: ['there is no such file'] }),
  row('C1', 'that cannot be read', null, {}, { args: ['p.yml', '--input', '/proc/self/mem'], errors: ['INPUT_READ /proc/self/mem'], says: ['cannot read the input', 'EIO'], process: true }),
  row('C1', 'a name too long', null, {}, { args: ['p.yml', '--input', 'x'.repeat(300)], errors: [`INPUT_READ ${'x'.repeat(300)}`], says: ['too long'] }),

  bad('C2', 'a folder without files', folder, ['READ rows.csv'], ['the folder has no files']),
  bad('C2', 'a FIFO', fifo, ['READ rows.csv'], ['it is a FIFO'], { process: true }),
  bad('C2', 'a socket', socket, ['READ rows.csv'], ['it is a socket']),
  bad('C2', 'a device', linkTo('/dev/zero'), ['READ rows.csv'], ['it is a device'], { process: true }),
  bad('C2', 'a circle of links', linkTo('rows.csv'), ['READ rows.csv'], ['lead in a circle']),
  row('C2', 'stdin', null, {}, { args: ['p.yml', '--input', '-'], errors: ['INPUT_EMPTY standard input:1'], says: ['standard input has no rows: it is empty'], process: true }),

  bad('C3', 'nothing', '', ['EMPTY rows.csv:1'], ['has no rows: it is empty'], { process: true }),
  bad('C3', 'a byte-order mark', '\ufeff', ['EMPTY rows.csv:1'], ['only a byte-order mark']),
  bad('C3', 'blank lines', '\n\r\n\n', ['EMPTY rows.csv:1'], ['only blank lines']),
  bad('C3', 'a UTF-16 mark', Buffer.from([0xff, 0xfe]), ['EMPTY rows.csv:1'], ['no rows']),
  row('C3', 'a day without an extract, skipped', '', { input: 'empty: skip' }, { exit: 0, remarks: [] }),

  bad('C4', 'a header alone', HEAD, ['EMPTY rows.csv'], ['there are no rows', 'input.empty: skip']),
  bad('C4', 'without a line end', 'Name,Country', ['EMPTY rows.csv'], ['there are no rows']),
  ok('C4', 'a header alone, skipped', HEAD, { input: 'empty: skip' }),

  bad('C5', 'an Excel file that is cut short', XLSX, ['KIND rows.csv'], ['an Excel file that is cut short', 'Save it again, or as CSV UTF-8'], { process: true }),
  bad('C5', 'an old Excel file', Buffer.from('d0cf11e0a1b11ae1', 'hex'), ['KIND rows.csv'], ['an old Excel or Office file']),
  bad('C5', 'a ZIP archive', ZIP, ['KIND rows.csv'], ['a ZIP archive', 'Unpack it first.']),
  ok('C5', 'gzip', gzipSync(ROWS)),
  bad('C5', 'gzip cut short', gzipSync(ROWS).subarray(0, 40), ['READ rows.csv'], ['its gzip data are damaged']),
  bad('C5', 'gzip in gzip', gzipSync(gzipSync(ROWS)), ['KIND rows.csv'], ['packed twice by gzip']),
  bad('C5', 'a web page', '<!DOCTYPE html><html><head><title>Sign in</title></head></html>', ['KIND rows.csv'], ['a web page']),
  bad('C5', 'a web page after a mark and spaces', '\ufeff\n  <HTML>\n<body>Error</body>', ['KIND rows.csv'], ['a web page']),
  bad('C5', 'a PDF', '%PDF-1.7\n%âãÏÓ\n', ['KIND rows.csv'], ['a PDF']),
  bad('C5', 'a Parquet file', 'PAR1\x15\x04\x15', ['KIND rows.csv'], ['a Parquet file']),
  bad('C5', 'an XML document', '<?xml version="1.0"?><rows/>', ['KIND rows.csv'], ['an XML document']),
  bad('C5', 'a JSON document', '[{"Name": "Acme"}]', ['KIND rows.csv'], ['a JSON document']),
  bad('C5', 'a SQLite database', 'SQLite format 3\0', ['KIND rows.csv'], ['a SQLite database']),
  bad('C5', 'a picture', Buffer.from('89504e470d0a1a0a', 'hex'), ['KIND rows.csv'], ['a picture']),
  bad('C5', 'UTF-16 without a mark', wide(ROWS), ['ENCODING rows.csv:1:1'], ['looks like UTF-16 without a byte-order mark', 'utf-16le']),

  bad('C6', 'a named delimiter that is not there', 'Name;Country\nAcme;GB\nBolt;GB\n', ['DELIMITER rows.csv'], ['"," gives one column', '";" 1 in every one of 3 records'], { input: 'delimiter: ","' }),
  bad('C6', 'two that fit', 'Name;Country,x\nAcme;GB,1\nBolt;IE,2\n', ['DELIMITER rows.csv'], ['cannot detect the delimiter', '"," 1 in every one of 3 records; ";" 1 in every', 'Set it']),
  bad('C6', 'a named tab in a table of bars', 'Name|Country\nAcme|GB\n', ['DELIMITER rows.csv'], ['tab gives one column'], { input: 'delimiter: "\\t"' }),

  ok('C7', 'sep=;', 'sep=;\nName;Country\nAcme;GB\n'),
  ok('C7', 'sep=| in quotes, CRLF', '"sep=|"\r\nName|Country\r\nAcme|GB\r\n'),
  ok('C7', 'UTF-16LE with a mark', wide(`\ufeff${ROWS}`)),
  ok('C7', 'UTF-16BE with a mark', wide(`\ufeff${ROWS}`, true)),

  bad('C8', 'Latin-1, not named', latin('Name,Country\nAcme,GB\nZürich AG,CH\n'), ['ENCODING rows.csv:3'], ['byte 0xfc at offset 22, line 3', 'input.encoding: windows-1252', 'Zürich AG']),
  bad('C8', 'cut in a character', Buffer.from('Name,Country\nAcme,Zü').subarray(0, -1), ['ENCODING rows.csv:2'], ['is not UTF-8']),
  bad('C8', 'an overlong slash', Buffer.concat([Buffer.from(HEAD), Buffer.from([0xc0, 0xaf]), Buffer.from(',GB\n')]), ['ENCODING rows.csv:2'], ['0xc0']),
  bad('C8', 'a lone surrogate', Buffer.concat([Buffer.from(HEAD), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from(',GB\n')]), ['ENCODING rows.csv:2'], ['is not UTF-8']),
  bad('C8', 'what windows-1252 cannot hold', Buffer.concat([Buffer.from(HEAD), Buffer.from([0x81]), Buffer.from(',GB\n')]), ['ENCODING rows.csv:2'], ['is not windows-1252: byte at offset 13, line 2'], { input: 'encoding: windows-1252' }),
  bad('C8', 'what Shift JIS cannot hold', Buffer.concat([Buffer.from(HEAD), Buffer.from([0x82, 0x20]), Buffer.from(',GB\n')]), ['ENCODING rows.csv:2'], ['is not shift_jis'], { input: 'encoding: shift_jis' }),
  bad('C8', 'a mark against the name', `\ufeff${ROWS}`, ['ENCODING rows.csv:1:1'], ['begins with the byte-order mark of utf-8'], { input: 'encoding: windows-1252' }),
  ok('C8', 'named', latin('Name,Country\nZürich AG,CH\n'), { input: 'encoding: windows-1252' }),

  remark('C9', 'U+FFFD twice', `${HEAD}M\ufffdller,DE\nJ\ufffdger,DE\n`, [{ says: ['U+FFFD occurs 2 times', 'lost before fettle read it'], count: 2 }]),

  bad('C10', 'a NUL', `${HEAD}Ac\0me,GB\n`, ['NUL rows.csv:2:3'], ['a NUL byte']),
  bad('C10', 'text after a closing quote', `${HEAD}"Acme" Ltd,GB\n`, ['QUOTE rows.csv:2:7'], ['text follows a closing quote']),
  bad('C10', 'three places at once', `${HEAD}"Acme" Ltd,GB\nBo\0lt,GB\n"Cork"x,IE\n`, ['QUOTE rows.csv:2:7', 'NUL rows.csv:3:3', 'QUOTE rows.csv:4:7']),
  bad('C10', 'a hundred places, counted', HEAD + '"A" x,GB\n'.repeat(100), [...Array.from({ length: 10 }, (_, at) => `QUOTE rows.csv:${at + 2}:4`), 'QUOTE rows.csv'], ['and 90 more places']),

  bad('C11', 'in the second row', `${HEAD}Acme,GB\n"Bolt,GB\nCork,IE\n`, ['QUOTE rows.csv:3'], ['the quote that opens here is never closed']),
  bad('C11', 'in the last cell', `${HEAD}Acme,"GB`, ['QUOTE rows.csv:2'], ['never closed']),
  bad('C11', 'in the header', 'Name,"Country\nAcme,GB\n', ['QUOTE rows.csv:1'], ['never closed']),
  bad('C11', 'quotes: relaxed does not help', `${HEAD}Acme,GB\n"Bolt,GB\n`, ['QUOTE rows.csv:3'], ['never closed'], { input: 'quotes: relaxed' }),

  bad('C12', 'bare quotes', `${HEAD}OOO "Romashka",RU\n`, ['QUOTE rows.csv:2:5'], ['a quote is inside a cell', 'input.quotes: relaxed']),
  bad('C12', 'a space before a quote', `${HEAD}Acme, "GB"\n`, ['QUOTE rows.csv:2:7', 'QUOTE rows.csv:2:10'], ['a space is before the opening quote', 'Remove the space']),
  ok('C12', 'bare quotes, relaxed', `${HEAD}OOO "Romashka",RU\n`, { input: 'quotes: relaxed' }),

  bad('C13', 'a quote that swallows rows', `${HEAD}"Acme Ltd,GB\nBolt Ltd,GB\nCork "The" DAC,IE\nDent,FR\n`, ['QUOTE rows.csv:2'], ['joins lines that would be rows by themselves'], { input: 'quotes: relaxed' }),

  bad('C14', 'a cell too many, one too few', `${ROWS}Fell,GB\nGill,GB,7,1,x,y\n`, ['FIELDS rows.csv:7'], ['5 cells expected', 'line 7 has 2, line 8 has 6']),
  bad('C14', 'forty rows', `Name,Country,x\n${'a,GB\n'.repeat(40)}Z,GB,x\n${'a,GB,x\n'.repeat(50)}`, ['FIELDS rows.csv:2'], ['lines 2 to 41 have 2']),
  bad('C14', 'an address with commas', `${ROWS}Hill, Jack & Co,GB,8,1,York\n`, ['FIELDS rows.csv:7'], ['line 7 has 6', '","']),

  remark('C15', 'a delimiter at the end of every row', 'Name,Country,\nAcme,GB,\nBolt,IE,\n', [{ says: ['every row ends with the delimiter'] }, { says: ['the header of column 3 is empty'] }]),

  ok('C16', 'CRLF, LF and CR', 'Name,Country\r\nAcme,GB\nBolt,IE\rCork,IE\r\n'),
  ok('C16', 'CR alone', 'Name,Country\rAcme,GB\rBolt,IE\r'),
  ok('C16', 'blank lines, no line end', 'Name,Country\n\nAcme,GB\n\n\nBolt,IE'),
  ok('C16', 'line ends in cells', 'Name,Country\n"Acme\nLtd",GB\n"Bolt\r\nLtd",IE\n'),

  remark('C17', 'data for a header', 'Acme,GB,info@acme.example,12345678\nBolt,GB,info@bolt.example,23456789\n', [{ says: ['the header looks like data: column 3 is an e-mail address', 'input.header: false'], count: 2 }], { mappings: 'name: { index: 0 }, country: { index: 1 }' }),
  remark('C17', 'a header for data', 'Name,Country,Since\nAcme,GB,2001-01-01\nBolt,GB,2002-02-02\nCork,IE,2003-03-03\n', [{ says: ['contains values that are not countries: "Country" (1 row)'] }, { says: ['the first row looks like a header: column 3 has a date', 'input.header: true'] }].reverse(), { input: 'header: false', mappings: 'name: { index: 0 }, country: { index: 1 }' }),

  bad('C18', 'a country instead of a header', ROWS, ['HEADER p.yml:3:34'], ['mappings.country: rows.csv has no header "GB"', 'write country: { value: GB }', 'Its headers: "Name", "Country"'], { mappings: 'name: Name, country: GB' }),
  bad('C18', 'not there', ROWS, ['HEADER p.yml:3:19'], ['mappings.name: rows.csv has no header "Nmae"; did you mean "Name"?', 'Its headers: "Name", "Country"'], { mappings: 'name: Nmae, country: Country' }),
  bad('C18', 'two that are not there', ROWS, ['HEADER p.yml:3:23', 'HEADER p.yml:3:34'].map(() => 'HEADER'), ['no header "Firm"', 'no header "Land"'], { mappings: 'name: Firm, country: Land' }),
  bad('C18', 'none of several', ROWS, ['HEADER'], ['none of the headers "Firm", "Firma"'], { mappings: 'name: { from: [Firm, Firma] }, country: Country' }),
  bad('C18', 'there twice', 'Name,Country,Name\nAcme,GB,Acme\n', ['HEADER p.yml:3:19'], ['occurs in columns 1 and 3', '{ index: 0 } or { index: 2 }']),
  bad('C18', 'an index beyond', ROWS, ['HEADER'], ['column index 99 is beyond the 5 columns', 'Valid are 0 to 4'], { mappings: 'name: { index: 99 }, country: Country' }),
  bad('C18', 'an optional name, and nothing else to match on', ROWS, ['HEADER'], ['none of the columns to match on'], { mappings: 'name: { from: Firm, optional: true }, country: Country' }),

  remark('C19', 'empty header cells', 'Name,,Country, \nAcme,x,GB,y\n', [{ says: ['the header of column 2 is empty'] }, { says: ['the header of column 4 is empty'] }]),

  remark('C20', 'headers alike but for case and spaces', 'Name,Country,Town,town\u00a0\nAcme,GB,x,y\n', [{ says: ['headers differ only in case, spaces or invisible characters: "Town", "town\\u00a0"'], count: 2 }]),
  remark('C20', 'one header twice, not mapped', 'Name,Country,x,x\nAcme,GB,1,2\n', [{ says: ['the header "x" occurs 2 times (columns 3, 4)'], count: 2 }]),
  bad('C20', 'a mapped header with a hidden character', 'N\u200bame,Country\nAcme,GB\n', ['HEADER p.yml:3:19'], ['did you mean "N\\u200bame" (column 1, with invisible characters)?']),
  bad('C20', 'a mapped header in another case', 'NAME,Country\nAcme,GB\n', ['HEADER p.yml:3:19'], ['did you mean "NAME" (column 1)?']),
  remark('C20', 'a header with a hidden character alone', 'Name,Country,Reg\u00a0No,T\u200bA\nAcme,GB,1,x\n', [{ says: ['the header "Reg\\u00a0No" of column 3 contains invisible characters', 'name: { index: 2 }'] }, { says: ['the header "T\\u200bA" of column 4'] }]),
  ok('C20', 'joiners where letters need them', 'Name,Country,می\u200cخواهم\nAcme,GB,x\n'),

  ok('C21', '__proto__ and constructor', '__proto__,constructor\nAcme,GB\n', { mappings: 'name: __proto__, country: constructor' }),
  bad('C21', 'toString that is not there', ROWS, ['HEADER'], ['no header "toString"'], { mappings: 'name: toString, country: Country' }),

  bad('C22', 'lines above the header', `Suppliers of the north\nas of 31 March\n\n${ROWS}`, ['LINES rows.csv'], ['3 lines above the header: "Suppliers of the north"; "as of 31 March"', 'Set input.skip: auto, or input.skip: { head: 3, tail: 0 }']),
  bad('C22', 'totals below', `${ROWS}Total,5\n`, ['LINES rows.csv'], ['1 line below the last row: "Total", "5"', '--skip-head 0 --skip-tail 1']),
  bad('C22', 'more lines below than input.skip names', `${ROWS}Total,5\n\nEnd of report\n`, ['LINES rows.csv'], ['input.skip: { head: 0, tail: 3 }'], { input: 'skip: { tail: 0 }' }),
  bad('C22', 'a row that input.skip counts as a total', ROWS, ['LINES rows.csv:6'], ['line 6 is skipped and looks like a row: "'], { input: 'skip: { tail: 1 }' }),
  bad('C22', 'the same in reports without rows', ROWS, ['LINES rows.csv:6'], ['line 6 is skipped and looks like a row\n'], { input: 'skip: { tail: 1 }', more: 'report: { rows: none }' }),
  bad('C22', 'a last row that may be a total', `${ROWS}\nTotal Energies Ltd\nTotal\n`, ['LINES rows.csv:8'], ['line 8 is skipped and may be a row: "Total Energies Ltd"', 'Set input.skip.tail: 1 to read it as a row, or input.skip.tail: 3 to skip it.'], { input: 'skip: auto' }),
  bad('C22', 'a header that input.skip counts as a title', ROWS, ['LINES rows.csv:1'], ['line 1 is skipped and looks like a row'], { input: 'skip: { head: 1 }', mappings: 'name: { index: 0 }' }),
  bad('C22', 'a second table', `${ROWS}\nTown,Rows\nLeeds,1\nYork,1\n`, ['FIELDS rows.csv:8'], ['lines 8 to 10 have 2']),
  bad('C22', 'a header of two rows', `Company,,Ids,,\n${ROWS}`, ['LINES rows.csv'], ['1 line above the header: "Company", "Ids"', '--skip-head 1 --skip-tail 0']),

  bad('C23', 'a record of 1.1 MB', `${HEAD}${'x'.repeat(1_100_000)},GB\n`, ['LIMIT rows.csv:2'], ['more than 1048576 bytes']),
  bad('C23', '1,025 columns', `${Array.from({ length: 1025 }, (_, at) => `c${at}`).join(',')}\n`, ['LIMIT rows.csv:1', 'EMPTY rows.csv'], ['more than 1024 columns'], { mappings: 'name: c0, country: c1' }),

  bad('C24', 'too few rows', ROWS, ['ROWS p.yml:2:32'], ['found 5 rows, input.rows allows 10 or more'], { input: 'rows: { min: 10 }' }),
  bad('C24', 'too many rows', ROWS, ['ROWS p.yml:2:32'], ['found 5 rows, input.rows allows up to 4'], { input: 'rows: { max: 4 }' }),
  bad('C25', 'rows over the budget', ROWS, ['BUDGET p.yml:4:17'], ['5 rows would be sent, budget.rows allows 4'], { more: 'budget: { rows: 4 }' }),
  ok('C25', 'rows that need two jobs', ROWS, { more: 'job: { split: 4 }' }),
  ok('C25', 'the first rows only', ROWS, { more: 'budget: { rows: 4 }', args: ['p.yml', '--limit', '4'] }),

  bad('C26', 'no such column', ROWS, ['HEADER p.yml:2:31'], ['input.key', 'no header "Nr"'], { input: 'key: Nr' }),
  remark('C26', 'empty and repeated values', 'Name,Country,Id\nA,GB,1\nB,GB,\nC,GB,1\nD,GB," "\nE,GB,"1"\n', [{ where: 'INPUT_SUSPECT p.yml:2:31', says: ['input.key is empty in 2 rows'], count: 2, rows: [2, 4] }, { says: ['input.key repeats an earlier one in 2 rows'], count: 2, rows: [3, 5] }], WITH_KEY),
  ok('C26', 'values of their own', ROWS, WITH_KEY),

  remark('C28', 'formulas, for a spreadsheet', `${HEAD}=1+1,GB\n"@SUM(A1)",GB\n-5,GB\n"+44",GB\nAcme,GB\n-Bolt,GB\n`, [{ where: 'INPUT_SUSPECT p.yml:4:32', says: ['3 cells of the input are formulas', "behind a '"], count: 3, rows: [1, 2, 6] }], { more: 'output: { path: o.csv, format: excel }' }),
  ok('C28', 'formulas, for anybody else', `${HEAD}=1+1,GB\n"\tx",GB\nAcme,GB\n`, { more: 'output: o.csv' }),

  remark('C29', 'exponents', numbered(['4.41E+11', '4,41e+11'.replace(',', '.'), '441234567890']), [{ where: 'INPUT_SUSPECT p.yml:3:54', says: ['mappings.orgNumber: "Number" contains 2 numbers in the form 4.41E+11', 'Digits are lost'], count: 2, rows: [1, 2] }], WITH_NUMBER),
  remark('C29', 'lost zeros', numbered(['12345678', '23456789', '1234567', '34567890', '123456', '45678901', '56789012']), [{ says: ['contains 2 numbers of fewer than 8 digits', 'write under mappings: orgNumber: { from: Number, pad: 8 }'], count: 2, rows: [3, 5] }], WITH_NUMBER),
  remark('C29', 'lost zeros in most rows', numbered(['2971930', '2971931', '971932', '12971933', '2971934']), [{ says: ['contains 4 numbers of fewer than 8 digits', 'Numbers of this country have 8 digits', 'orgNumber: { from: Number, pad: 8 }'], count: 4, rows: [1, 2, 3] }], WITH_NUMBER),
  remark('C29', 'lost zeros in a country whose numbers vary', numbered(['2971930', '2971931', '971932', '2971934', '2971935']).replaceAll(',GB', ',DE'), [{ says: ['contains 1 number of fewer than 7 digits', 'set pad to the length that the register writes'], count: 1, rows: [3] }], WITH_NUMBER),
  ok('C29', 'short numbers beside kept zeros', numbered(['12345678', '01234567', '1234567', '34567890', '45678901']), WITH_NUMBER),
  remark('C29', 'phones in exponent form', 'Name,Country,Tel\nA,GB,4.42E+11\nB,GB,02079460000\n', [{ says: ['mappings.phone: "Tel" contains 1 number in the form 4.41E+11', 'Digits are lost'], count: 1, rows: [1] }], WITH_PHONE),
  ok('C29', 'phones of any length', `Name,Country,Tel\n${['442079460000', '442079460001', '44207946002', '442079460003', '442079460004'].map(tel => `A${tel},GB,${tel}\n`).join('')}`, WITH_PHONE),
  remark('C29', 'pad on longer cells and letters', numbered(['123456789', 'SC123456', '1234567', '12345678', '']), [{ says: ['pad leaves 2 cells unchanged: 1 with more than 8 digits, 1 with other characters than digits'], count: 2, rows: [1, 2] }], { mappings: 'name: Name, country: Country, orgNumber: { from: Number, pad: 8 }' }),

  remark('C30', 'texts in place of names', `${HEAD}N/A,GB\nA,GB\n#NAME?,GB\n"unknown",GB\n -,GB\nNone Such Ltd,GB\n`, [{ where: 'INPUT_SUSPECT p.yml:3:19', says: ['mappings.name: "Name" has 4 cells such as "N/A" or "unknown" in place of a name (first in row 1, 3, 4)', 'a company of the register may have such a name'], count: 4, rows: [1, 3, 4] }]),
  remark('C30', 'what names no country', `${HEAD}A,XX\nB,GB\nC,Germany\nD,XX\nE,Atlantis\nF,deu\n`, [{ where: 'INPUT_SUSPECT p.yml:3:34', says: ['contains values that are not countries: "XX" (2 rows), "Atlantis" (1 row)'], count: 3, rows: [1, 4, 5] }]),
  remark('C30', 'a fixed value that is no country', ROWS, [{ where: 'INPUT_SUSPECT p.yml:3:34', says: ['mappings.country: "Atlantis" is not a country', 'Use ISO 3166'], count: 1 }], { mappings: 'name: Name, country: { value: Atlantis }' }),
  remark('C30', 'a column more than half empty', 'Name,Country,Town\nA,GB,\nB,GB,""\nC,GB,York\nD,GB," "\nE,GB,\n', [{ says: ['of 5 rows more than half have no value in a mapped column: town in 4 (80.0%)'], count: 4, rows: [1, 2, 4] }], { mappings: 'name: Name, country: Country, town: Town' }),
  remark('C30', 'a column without a value', 'Name,Country,"Town, "\nA,GB,\nB,GB,\nC,GB,""\nD,GB," "\nE,GB,\n', [{ says: ['mappings.town: "Town, " is empty in all 5 rows', 'leave out the line town: "Town, "'], count: 5, rows: [] }], { mappings: "name: Name, country: Country, town: 'Town, '" }),
  remark('C30', 'one value in every row', `${HEAD}${'"A ""x""",GB\n'.repeat(5)}`, [{ says: ['mappings.name: "Name" has the same value in all 5 rows: "A \\"x\\""', 'leave out the line name: Name'], count: 5, rows: [] }]),
  remark('C30', 'one value in every row, and no country, both masked', `${HEAD}${'A,GB\n'.repeat(5)}A,XX\n`, [{ says: ['has the same value in all 6 rows'] }, { says: ['contains values that are not countries (first in row 6)'] }], { more: 'report: { mask: [Name, country] }' }),
  ok('C30', 'few rows alike', `${HEAD}${'A,GB\n'.repeat(4)}`),
  ok('C30', 'a column half empty', 'Name,Country,Town\nA,GB,\nB,GB,York\nC,GB,\nD,GB,York\nE,GB,York\nF,GB,\n', { mappings: 'name: Name, country: Country, town: Town' }),

  ok('C31', 'rows that stand twice', `${ROWS}${ROWS.split('\n').slice(1).join('\n')}`),

  ok('C32', 'controls, right-to-left, emoji, combining marks, twins', `${HEAD}"\u0007Ac\u202eme \u{1f3ed}",GB\nCafe\u0301,FR\nCaf\u00e9,FR\n\u0645\u0635\u0646\u0639,SA\n`),
  ok('C32', 'the sample that comes with fettle', SAMPLE.replace(/^[^\n]*/, one => one.replace('name', 'Name').replace('country', 'Country'))),
]
