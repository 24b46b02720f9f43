/** The enriched file: its form, its rows, its columns, and the words in cells without a company. */
import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { csvCell, csvOf } from '../list.ts'
import { type Change, groupOf, inEach, type Row, type Table } from '../variant.ts'
import { NO_COUNTS, TOTAL_ONLY } from './jobs.ts'

const CP1252 = new Map(
  [...'€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ'].map((letter, at) => [
    letter,
    [
      0x80, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88, 0x89, 0x8a, 0x8b, 0x8c, 0x8e, 0x91, 0x92, 0x93, 0x94, 0x95, 0x96, 0x97,
      0x98, 0x99, 0x9a, 0x9b, 0x9c, 0x9e, 0x9f,
    ][at] ?? 0x3f,
  ]),
)

const toCp1252 = (text: string): Buffer =>
  Buffer.from([...text].map(letter => CP1252.get(letter) ?? (letter.charCodeAt(0) < 256 ? letter.charCodeAt(0) : 0x3f)))

const fromCp1252 = (bytes: Buffer): string => new TextDecoder('windows-1252').decode(bytes)

const encoded = (encode: (text: string) => Buffer | string): Change => ({
  bytes: text => Buffer.from(encode(text.toString('utf8')) as Buffer),
})

const fileHeaders = (headers: Record<string, string>): Change => ({
  answer: (answer, { operation }) => (operation === 'file' ? { ...answer, headers: { ...answer.headers, ...headers } } : answer),
})

const written = (text: (table: Table) => string): Change => ({ text })

const plain = ({ header, rows }: Table, delimiter = ',', end = '\n'): string => csvOf([header, ...rows], delimiter, end)

const quoted = ({ header, rows }: Table): string =>
  [header, ...rows].map(row => `${row.map(cell => `"${cell.replaceAll('"', '""')}"`).join(',')}\n`).join('')

const lines = (change: (lines: string[]) => string[]): Change =>
  written(table => `${change(plain(table).trimEnd().split('\n')).join('\n')}\n`)

/** An archive of one stored file, as `zip` writes it. */
function zip(name: string, data: Buffer): Buffer {
  const packed = deflateRawSync(data)
  const crc = crc32(data)
  const local = Buffer.alloc(30)
  local.writeUInt32LE(0x04034b50, 0)
  local.writeUInt16LE(20, 4)
  local.writeUInt16LE(8, 8)
  local.writeUInt32LE(crc, 14)
  local.writeUInt32LE(packed.length, 18)
  local.writeUInt32LE(data.length, 22)
  local.writeUInt16LE(name.length, 26)
  const central = Buffer.alloc(46)
  central.writeUInt32LE(0x02014b50, 0)
  local.copy(central, 6, 4, 30)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt16LE(1, 8)
  end.writeUInt16LE(1, 10)
  end.writeUInt32LE(46 + name.length, 12)
  end.writeUInt32LE(30 + name.length + packed.length, 16)
  return Buffer.concat([local, Buffer.from(name), packed, central, Buffer.from(name), end])
}

function crc32(data: Buffer): number {
  let crc = ~0
  for (const byte of data) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0)
  }
  return ~crc >>> 0
}

/** The columns of the input are not in the file. */
const NOT_REPEATED: Change = {
  table: ({ header, rows, own }) => ({ header: header.slice(own), rows: rows.map(row => row.slice(own)), own: 0 }),
}

const ASCII: Change = { list: 'ascii' }

const encodings: Row[] = inEach(
  [
    ['a BOM', encoded(text => `\ufeff${text}`)],
    ['windows-1252, named', [encoded(toCp1252), fileHeaders({ 'content-type': 'text/csv; charset=windows-1252' })]],
    ['UTF-16 little end with BOM', encoded(text => Buffer.from(`\ufeff${text}`, 'utf16le'))],
    ['UTF-16 little end without BOM', encoded(text => Buffer.from(text, 'utf16le'))],
    ['UTF-16 big end with BOM', encoded(text => Buffer.from(`\ufeff${text}`, 'utf16le').swap16())],
    ['UTF-16 big end without BOM', encoded(text => Buffer.from(text, 'utf16le').swap16())],
    ['UTF-8 read as windows-1252 and written again', encoded(text => fromCp1252(Buffer.from(text)))],
    [
      'UTF-8 with a broken letter',
      {
        bytes: text =>
          Buffer.concat([text.subarray(0, text.indexOf('ü')), Buffer.from([0xc3]), text.subarray(text.indexOf('ü') + 2)]),
      },
    ],
    ['letters replaced by U+FFFD', encoded(text => text.replace(/ü/g, '\ufffd'))],
    ['a charset that does not exist', fileHeaders({ 'content-type': 'text/csv; charset=x-none' })],
    ['called windows-1252, but UTF-8', fileHeaders({ 'content-type': 'text/csv; charset=windows-1252' })],
    ['called application/octet-stream', fileHeaders({ 'content-type': 'application/octet-stream' })],
  ],
  { letters: null, 'ASCII list': ASCII, 'input not repeated': NOT_REPEATED },
)

/** Only the cells of the list show it. */
const lostLetters: Row[] = [
  ['windows-1252, called UTF-8', [encoded(toCp1252), fileHeaders({ 'content-type': 'text/csv; charset=utf-8' })]],
  ['windows-1252, not named', encoded(toCp1252)],
  ...inEach(
    [
      ['windows-1252, not named', encoded(toCp1252), 'refused'],
      ['windows-1252, called UTF-8', [encoded(toCp1252), fileHeaders({ 'content-type': 'text/csv; charset=utf-8' })], 'refused'],
    ],
    { 'ASCII list': ASCII, 'input not repeated': NOT_REPEATED },
  ),
  ['letters replaced by ?', encoded(text => text.replace(/[äöüßéèñ€“”]/g, '?')), 'refused'],
  ['letters decomposed', encoded(text => text.normalize('NFD')), 'refused'],
  ['letters as entities', encoded(text => text.replace(/[äöüß]/g, letter => `&#${letter.charCodeAt(0)};`)), 'refused'],
]

const packed: Row[] = [
  ['gzip', { bytes: text => gzipSync(text) }],
  ['gzip, called octet-stream', [{ bytes: text => gzipSync(text) }, fileHeaders({ 'content-type': 'application/octet-stream' })]],
  ['gzip of a file with BOM', { bytes: text => gzipSync(Buffer.concat([Buffer.from('\ufeff'), text])) }],
  ['Content-Encoding gzip', [{ bytes: text => gzipSync(text) }, fileHeaders({ 'content-encoding': 'gzip' })]],
  ['Content-Encoding x-gzip', [{ bytes: text => gzipSync(text) }, fileHeaders({ 'content-encoding': 'x-gzip' })]],
  ['Content-Encoding deflate', [{ bytes: text => deflateSync(text) }, fileHeaders({ 'content-encoding': 'deflate' })]],
  ['Content-Encoding gzip that is not true', fileHeaders({ 'content-encoding': 'gzip' })],
  ['Content-Encoding of an unknown word', fileHeaders({ 'content-encoding': 'rot13' }), 'refused'],
  ['gzip that is cut', { bytes: text => gzipSync(text).subarray(0, 200) }, 'refused'],
  [
    'Content-Encoding gzip that is cut',
    [{ bytes: text => gzipSync(text).subarray(0, 200) }, fileHeaders({ 'content-encoding': 'gzip' })],
    'refused',
  ],
  ['zip', { bytes: text => zip('enriched.csv', text) }],
  ['zip of another name', { bytes: text => zip('readme.txt', text) }],
  ['a workbook', { bytes: text => zip('xl/workbook.xml', text) }, 'refused'],
  ['^Z at the end', encoded(text => `${text}\u001a`)],
  ['zeros at the end', encoded(text => `${text}${'\u0000'.repeat(16)}`), 'refused'],
  ['cut once', { bytes: (text, nth) => (nth === 1 ? text.subarray(0, text.length - 300) : text) }],
  [
    'cut at the end of a row once',
    { bytes: (text, nth) => (nth === 1 ? text.subarray(0, text.lastIndexOf('\n', text.length - 300) + 1) : text) },
  ],
  ['cut for ever', { bytes: text => text.subarray(0, text.length - 300) }, 'refused'],
  ['empty once', { bytes: (text, nth) => (nth === 1 ? Buffer.alloc(0) : text) }],
  ['empty for ever', { bytes: () => Buffer.alloc(0) }, 'refused'],
]

const forms: Row[] = inEach(
  [
    ['semicolons', written(table => plain(table, ';'))],
    ['tabs', written(table => plain(table, '\t'))],
    ['pipes', written(table => plain(table, '|'))],
    ['CR LF', written(table => plain(table, ',', '\r\n'))],
    ['CR', written(table => plain(table, ',', '\r'))],
    ['every cell quoted', written(quoted)],
    ['no end of the last line', encoded(text => text.trimEnd())],
    ['blank lines at the end', encoded(text => `${text}\n\n\r\n`)],
    ['a blank line in the middle', lines(all => [...all.slice(0, 20), '', ...all.slice(20)])],
    ['sep= in front', lines(all => ['sep=,', ...all])],
    ['a title in front', lines(all => ['Enriched file of 2026-02-07', ...all]), 'refused'],
    ['a comment in front', lines(all => ['# made by the service', ...all]), 'refused'],
    ['a footer', lines(all => [...all, 'Rows: 40']), 'refused'],
    ['a row of totals', lines(all => [...all, ',,40']), 'refused'],
    ['no header', lines(all => all.slice(1)), 'refused'],
    ['the header twice', lines(all => [all[0] ?? '', ...all]), 'refused'],
    ['the header again in the middle', lines(all => [...all.slice(0, 20), all[0] ?? '', ...all.slice(20)]), 'refused'],
    ['a comma at the end of every line', lines(all => all.map(line => `${line},`))],
    [
      'spaces after the commas',
      written(({ header, rows }) => [header, ...rows].map(row => `${row.map(csvCell).join(', ')}\n`).join('')),
    ],
    ['short rows: empty cells at the end are left out', lines(all => all.map(line => line.replace(/,+$/, '')))],
    ['JSON', written(({ header, rows }) => JSON.stringify([header, ...rows])), 'refused'],
    [
      'lines of JSON',
      written(({ header, rows }) =>
        rows.map(row => JSON.stringify(Object.fromEntries(row.map((cell, at) => [header[at], cell])))).join('\n'),
      ),
      'refused',
    ],
    ['a page', written(() => '<!doctype html><title>Download</title>'), 'refused'],
    ['XML', written(() => '<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>'), 'refused'],
  ],
  { '': null, 'without counts': NO_COUNTS },
)

/** Changes the rows, each with its place from 0. */
const rows = (change: (rows: (readonly string[])[], table: Table) => (readonly string[])[]): Change => ({
  table: table => ({ ...table, rows: change([...table.rows], table) }),
})

const numberAt = ({ header }: Table): number => header.indexOf('general.rowNumber')

/** Counts the rows of the file anew, as a service does that numbers what it writes. */
const renumbered: Change = rows((all, table) => all.map((row, at) => row.with(numberAt(table), String(at + 1))))

const numbers = (write: (number: number) => string): Change =>
  rows((all, table) => all.map((row, at) => row.with(numberAt(table), write(at + 1))))

const swapped = (all: (readonly string[])[], one: number, other: number): (readonly string[])[] =>
  all.with(one, all[other] ?? []).with(other, all[one] ?? [])

/** The cells that the service added move by a row against the cells of the input. */
const shifted: Change = rows((all, { own }) =>
  all.map((row, at) => [...row.slice(0, own), ...(all[(at + 1) % all.length] ?? []).slice(own)]),
)

const orders: readonly (readonly [string, Change])[] = [
  ['reversed', rows(all => all.reverse())],
  ['two rows swapped', rows(all => swapped(all, 3, 11))],
  ['two neighbours swapped', rows(all => swapped(all, 0, 1))],
  [
    'matched ones first',
    rows((all, { header }) => {
      const at = header.indexOf('general.connectId')
      return [...all.filter(row => row[at] !== ''), ...all.filter(row => row[at] === '')]
    }),
  ],
  [
    'sorted by name',
    rows((all, { header }) => {
      const at = header.indexOf('general.companyName')
      return all.sort((one, other) => ((one[at] ?? '') < (other[at] ?? '') ? -1 : 1))
    }),
  ],
  ['moved by a row', rows(all => [...all.slice(1), ...all.slice(0, 1)])],
  ['answers moved by a row', shifted],
]

const SERVICES = {
  '': null,
  'input not repeated': NOT_REPEATED,
  'without counts': NO_COUNTS,
  'input not repeated, without counts': { ...NO_COUNTS, ...NOT_REPEATED },
} as const

const order: Row[] = inEach(
  [
    ...orders.map(([name, change]): Row => [name, change, 'refused']),
    ...orders.map(([name, change]): Row => [`${name}, counted anew`, [change, renumbered], 'refused']),
  ],
  SERVICES,
)

const added = (change: (row: readonly string[], table: Table) => readonly string[]): Change =>
  rows((all, table) => all.map(row => change(row, table)))

const inputCells = (change: (cell: string) => string): Change =>
  added((row, { own }) => row.map((cell, at) => (at < own ? change(cell) : cell)))

const cells: Row[] = inEach(
  [
    ['a row missing', rows(all => all.toSpliced(7, 1)), 'refused'],
    ['the last row missing', rows(all => all.slice(0, -1)), 'refused'],
    ['a row twice', rows(all => all.toSpliced(7, 0, all[7] ?? [])), 'refused'],
    ['a row missing, another row twice', rows(all => all.with(7, all[8] ?? [])), 'refused'],
    ['a row of another list', rows(all => [...all, (all[0] ?? []).map(() => 'x')]), 'refused'],
    [
      'only the matched rows',
      rows((all, { header }) => all.filter(row => row[header.indexOf('general.connectId')] !== '')),
      'refused',
    ],
    ['no rows', rows(() => []), 'refused'],
    [
      'a line for each of two companies',
      rows((all, { header }) => all.toSpliced(8, 0, (all[7] ?? []).with(header.indexOf('general.connectId'), 'DE-0-999'))),
      'refused',
    ],
    ['numbers from 0', numbers(number => String(number - 1))],
    ['numbers with the header', numbers(number => String(number + 1))],
    ['numbers with zeros', numbers(number => String(number).padStart(6, '0'))],
    ['numbers with a fraction', numbers(number => `${number}.0`)],
    ['numbers with spaces', numbers(number => ` ${number} `)],
    ['numbers from 100', numbers(number => String(number + 99)), 'refused'],
    [
      'numbers of matched rows only',
      rows((all, table) =>
        all.map(row => (row[table.header.indexOf('general.connectId')] === '' ? row.with(numberAt(table), '') : row)),
      ),
    ],
    ['no numbers', numbers(() => '')],
    ['no column of numbers', { table: table => dropped(table, 'general.rowNumber') }],
    ['spaces around the cells of the input', inputCells(cell => (cell === '' ? cell : ` ${cell} `))],
    ['cells of the input in capitals', inputCells(cell => cell.toUpperCase())],
    ['cells of the input without zeros in front', inputCells(cell => cell.replace(/^0+/, ''))],
    ['cells of the input cut at 12 letters', inputCells(cell => cell.slice(0, 12))],
    [
      'numbers of the input as from a spreadsheet',
      inputCells(cell => (/^\d{8}$/.test(cell) ? `${Number(cell).toExponential(2).toUpperCase()}` : cell)),
    ],
    ['a cell of 200 kB', added((row, { header }) => row.with(header.indexOf('general.pattern'), 'x'.repeat(5_000)))],
  ],
  SERVICES,
)

const dropped = ({ header, rows: all, own }: Table, name: string): Table => {
  const at = header.indexOf(name)
  return at === -1
    ? { header, rows: all, own }
    : { header: header.toSpliced(at, 1), rows: all.map(row => row.toSpliced(at, 1)), own: at < own ? own - 1 : own }
}

const headers = (change: (name: string) => string): Change => ({
  table: table => ({ ...table, header: table.header.map((name, at) => (at < table.own ? name : change(name))) }),
})

const ownHeaders = (change: (name: string) => string): Change => ({
  table: table => ({ ...table, header: table.header.map((name, at) => (at < table.own ? change(name) : name)) }),
})

const HUMAN: Readonly<Record<string, string>> = {
  'general.connectId': 'Connect ID',
  'general.companyName': 'Company name',
  'general.rowNumber': 'Row number',
  'general.banding': 'Banding',
}

const human = (name: string): string => HUMAN[name] ?? name.replace(/^general\./, '')

const reordered = (place: (names: readonly string[]) => readonly number[]): Change => ({
  table: ({ header, rows: all }) => {
    const places = place(header)
    return { header: places.map(at => header[at] ?? ''), rows: all.map(row => places.map(at => row[at] ?? '')), own: 0 }
  },
})

const withColumn = (name: string, cell: (at: number) => string, front = false): Change => ({
  table: ({ header, rows: all, own }) =>
    front
      ? { header: [name, ...header], rows: all.map((row, at) => [cell(at), ...row]), own: own + 1 }
      : { header: [...header, name], rows: all.map((row, at) => [...row, cell(at)]), own },
})

const columns: Row[] = inEach(
  [
    ['tags in capitals', headers(name => name.toUpperCase())],
    ['tags in lower case', headers(name => name.toLowerCase())],
    ['tags with spaces', headers(name => ` ${name} `)],
    ['tags with underscores', headers(name => name.replace('.', '_'))],
    ['tags with colons', headers(name => name.replace('.', ':'))],
    ['tags with a language', headers(name => name.replace('general.', 'general.en.'))],
    ['tags without group', headers(name => name.replace('general.', ''))],
    ['tags in words', headers(human)],
    ['tags in words, in capitals', headers(name => human(name).toUpperCase())],
    ['tags with a prefix', headers(name => `enrichment.${name}`)],
    ['tags numbered', headers(name => `${name} (1)`)],
    ['no column of the id', { table: table => dropped(table, 'general.connectId') }, 'refused'],
    ['no column of the band', { table: table => dropped(table, 'general.banding') }],
    ['the id only, in another column', headers(name => (name === 'general.connectId' ? 'safeNo' : name)), 'refused'],
    [
      'the columns of the service first',
      reordered(names =>
        [...names.keys()].sort(
          (one, other) => Number(names[other]?.startsWith('general.')) - Number(names[one]?.startsWith('general.')),
        ),
      ),
    ],
    ['the columns reversed', reordered(names => [...names.keys()].reverse())],
    [
      'the columns by name',
      reordered(names => [...names.keys()].sort((one, other) => ((names[one] ?? '') < (names[other] ?? '') ? -1 : 1))),
    ],
    ['more columns at the end', [withColumn('general.safeNumber2', at => `S${at}`), withColumn('status', () => 'ok')]],
    ['a column without name at the end', withColumn('', () => '')],
    ['a column in front', withColumn('id', at => String(at + 1), true)],
    ['a column of the id twice', withColumn('general.connectId', () => 'DE-0-999'), 'refused'],
    ['a company number for every row', withColumn('general.companyNumber', at => `C${at}`)],
  ],
  { ...SERVICES, 'the total alone': TOTAL_ONLY },
)

const ownColumns: Row[] = inEach(
  [
    ['columns of the input in capitals', ownHeaders(name => name.toUpperCase())],
    ['columns of the input with underscores', ownHeaders(name => name.replace(' ', '_'))],
    ['columns of the input with a prefix', ownHeaders(name => `input.${name}`)],
    [
      'columns of the input named by their mapping',
      ownHeaders(
        name => ({ Company: 'name', 'Reg No': 'orgNumber', Street: 'address1', Town: 'town', Country: 'country' })[name] ?? name,
      ),
    ],
    ['columns of the input by number', ownHeaders(name => `COLUMN ${name.length}`)],
    ['only the mapped columns', { table: table => dropped(dropped(table, 'ref'), 'Note') }],
    ['only the key', { table: table => ['Company', 'Reg No', 'Street', 'Town', 'Country', 'Note'].reduce(dropped, table) }],
  ],
  { '': null, 'without counts': NO_COUNTS },
)

const WORDS = [
  'NULL',
  'null',
  'None',
  'N/A',
  'n/a',
  '#N/A',
  '-',
  '--',
  '0',
  'Not Found',
  'NOT FOUND',
  'No match',
  'unmatched',
  '?',
  ' ',
  '\u00a0',
  'nan',
  'undefined',
  '00000000',
  'NO MATCH FOUND',
  'nicht gefunden',
  '{}',
]

/** Not known to mean that there is no company. */
const MESSAGES = ['pending', 'ERROR', '#REF!', 'x', 'HTTP 503']

/** A word in place of the empty id of a row without a company. */
const insteadOfId = (word: string): Change => ({
  table: table => {
    const id = table.header.indexOf('general.connectId')
    return { ...table, rows: table.rows.map(row => (row[id] === '' ? row.with(id, word) : row)) }
  },
})

/** A word in place of every empty cell of a column that the service added. */
const insteadOfEmpty = (word: string): Change => ({
  table: table => ({
    ...table,
    rows: table.rows.map(row => row.map((cell, at) => (at >= table.own && cell === '' ? word : cell))),
  }),
})

const paddedIds: Change = {
  table: table => {
    const id = table.header.indexOf('general.connectId')
    return { ...table, rows: table.rows.map(row => (row[id] === '' ? row : row.with(id, ` ${row[id]} `))) }
  },
}

const words: Row[] = inEach(
  [
    ...WORDS.map((word): Row => [`${JSON.stringify(word)} as id`, insteadOfId(word)]),
    ...WORDS.map((word): Row => [`${JSON.stringify(word)} in every empty cell`, insteadOfEmpty(word)]),
    ...MESSAGES.map((word): Row => [`${JSON.stringify(word)} as id`, insteadOfId(word), 'refused']),
    ['spaces around ids', paddedIds],
  ],
  SERVICES,
)

export const FILE = [
  ...groupOf('encoding', [...encodings, ...lostLetters]),
  ...groupOf('packing', packed),
  ...groupOf('form', forms),
  ...groupOf('order', order),
  ...groupOf('rows', cells),
  ...groupOf('columns', [...columns, ...ownColumns]),
  ...groupOf('words', words),
]
