/**
 * Recognises files that are not delimited text by their first bytes: a spreadsheet or web page would otherwise parse as a table of one
 * column without an error.
 */

const OLE = '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'

const CUT = 'an Excel file that is cut short, too large, or packed in another file: save it again, or as CSV UTF-8'

/** Kinds of archives by the name of a file in them; readable workbooks are handled before. */
const ARCHIVES: readonly (readonly [name: string, what: string])[] = [
  ['opendocument.spreadsheet', 'an OpenDocument sheet (.ods): save as .xlsx or CSV UTF-8'],
  ['xl/workbook.bin', 'a binary Excel file (.xlsb): save as .xlsx or CSV UTF-8'],
  ['Index/Document.iwa', 'a Numbers file: export it as .xlsx or CSV UTF-8'],
  ['word/', 'a Word file: save its table as CSV UTF-8'],
  ['xl/', CUT],
  ['[Content_Types].xml', CUT],
]

const BINARY: readonly (readonly [signature: string, what: string])[] = [
  // Single gzip is unpacked before: this is gzip inside gzip.
  ['\x1f\x8b', 'packed twice by gzip: unpack it once'],
  ['%PDF', 'a PDF'],
  ['PAR1', 'a Parquet file that is cut short: write it again'],
  ['PARE', 'an encrypted Parquet file: export it as CSV UTF-8 or JSON lines'],
  ['ARROW1\0\0', 'an Arrow or Feather file: export it as CSV UTF-8 or JSON lines'],
  ['\xff\xff\xff\xff', 'an Arrow stream: export it as CSV UTF-8 or JSON lines'],
  ['FEA1', 'a Feather file: export it as CSV UTF-8 or JSON lines'],
  ['Obj\x01', 'an Avro file: export it as CSV UTF-8 or JSON lines'],
  ['\0\x01\0\0Standard ', 'an Access database: export the table as CSV UTF-8'],
  ['\x89HDF', 'an HDF5 file: export the table as CSV UTF-8'],
  ['<stata_dta>', 'a Stata file: export it as CSV UTF-8'],
  ['$FL2', 'an SPSS file: export it as CSV UTF-8'],
  ['\0\0\0\0\0\0\0\0\0\0\0\0\xc2\xea\x81\x60', 'a SAS file: export it as CSV UTF-8'],
  ['\x04\x22\x4d\x18', 'lz4 data: unpack it first'],
  ['\xff\x06\0\0sNaPpY', 'snappy data: unpack it first'],
  [OLE, 'an old Excel or Office file (.xls): save as .xlsx or CSV UTF-8'],
  ['BZh', 'bzip2 data: unpack it first'],
  ['\xfd7zXZ\0', 'xz data: unpack it first'],
  ['\x28\xb5\x2f\xfd', 'zstd data: unpack it first'],
  ['7z\xbc\xaf\x27\x1c', 'a 7z archive: unpack it first'],
  ['Rar!\x1a', 'a RAR archive: unpack it first'],
  ['SQLite format 3\0', 'a SQLite database: export the table as CSV UTF-8'],
  ['{\\rtf', 'an RTF document'],
  ['\x89PNG', 'a picture'],
  ['\xff\xd8\xff', 'a picture'],
  ['\x7fELF', 'a program'],
]

const TEXT: readonly (readonly [pattern: RegExp, what: string])[] = [
  [
    /^<(!doctype html|html|head|body|meta|table|script)\b/i,
    'a web page, such as a login or an error page: save the data instead',
  ],
  [/^<(\?xml|!--|[a-z][\w.:-]*[\s>/])/i, 'an XML document'],
  [/^(\{\s*("[^"\n]*"\s*:|\})|\[\s*([{[]\s*"|\]))/, 'a JSON document: write JSON lines, one record a line'],
]

/** What a file is that is not delimited text, and what to do, if that is known; null when it may be text. `head` is the first KiB or more. */
export function foreignKind(head: Buffer): { readonly kind: string; readonly hint?: string } | null {
  const text = kindAndHint(head)
  if (text === null) return null
  const [, kind = text, hint = ''] = /^(.*?): (.*)$/.exec(text) ?? []
  return hint === '' ? { kind } : { kind, hint: `${hint.charAt(0).toUpperCase()}${hint.slice(1)}.` }
}

function kindAndHint(head: Buffer): string | null {
  const start = head.subarray(0, 4096).toString('latin1')
  if (start.startsWith('PK\x03\x04'))
    return ARCHIVES.find(([name]) => head.includes(name))?.[1] ?? 'a ZIP archive: unpack it first'
  if (start.startsWith(OLE) && head.includes(Buffer.from('EncryptedPackage', 'utf16le')))
    return 'an Excel or Office file behind a password: save it without one, or as CSV UTF-8'
  const binary = BINARY.find(([signature]) => start.startsWith(signature))
  if (binary) return binary[1]
  // A checksum precedes the name; a tape archive has it behind the first header.
  if (/^[\s\S]{8}DUCK[\s\S]{2}\0{2}/.test(start))
    return 'a DuckDB database: read it by a query, input: { sql: select …, url: duckdb:FILE }'
  if (start.startsWith('ustar', 257) && start.includes('\0')) return 'a tar archive: unpack it first'
  // A text may begin with these letters, but has no such bytes.
  if (/^ORC[\s\S]*[\0-\x08]/.test(start)) return 'an ORC file: export it as CSV UTF-8 or JSON lines'
  const text = start.replace(/^(\xef\xbb\xbf)?\s*/, '')
  return TEXT.find(([pattern]) => pattern.test(text))?.[1] ?? null
}

/** The kind of UTF-16 that a text without a byte-order mark seems to be: every other byte of Western text is NUL in it. */
export function unmarkedUtf16(head: Buffer): 'utf-16le' | 'utf-16be' | null {
  const sample = head.subarray(0, 1024)
  const nul = [0, 0]
  sample.forEach((byte, at) => {
    if (byte === 0) nul[at % 2]!++
  })
  const half = sample.length / 2
  if (half < 2) return null
  if (nul[1]! > half * 0.4 && nul[0]! < half * 0.05) return 'utf-16le'
  if (nul[0]! > half * 0.4 && nul[1]! < half * 0.05) return 'utf-16be'
  return null
}
