import { appendFileSync, chmodSync, mkdirSync, readFileSync, renameSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { inspect } from '../../../src/input/index.ts'
import type { InputOptions } from '../../../src/pipeline/model/types.ts'
import { factsOf, file, folder, options, sha256, shell } from './kit.ts'

/** Looks at a file of this content; gives facts, and codes with places. */
async function look(content: string | Uint8Array, rest: Partial<InputOptions> = {}) {
  const path = file(content)
  const { facts, issues } = await inspect(options(path, rest))
  const errors = issues.filter(one => one.severity === 'error')
  const warnings = issues.filter(one => one.severity === 'warn')
  return { path, facts, issues, errors, warnings, codes: errors.map(one => one.code) }
}

const utf16 = (text: string, order: 'le' | 'be', mark = true): Buffer => {
  const bytes = Buffer.from((mark ? '\ufeff' : '') + text, 'utf16le')
  return order === 'le' ? bytes : bytes.swap16()
}

describe('the kind of file at the path', () => {
  it('C1: names the nearest files when it is missing', async () => {
    const path = file('a,b\n1,2\n', 'suppliers.csv')
    const { facts, issues } = await inspect(options(join(dirname(path), 'supplers.csv')))
    expect(facts).toBeNull()
    expect(issues[0]).toMatchObject({ code: 'FETTLE_INPUT_READ', hint: 'Near it: suppliers.csv.' })
    expect((await inspect(options('/nowhere/at/all.csv'))).issues[0]!.message).toContain('there is no such file')
  })

  it('C2: refuses a folder, a FIFO, a device and a circle of links without opening them', async () => {
    const dir = folder()
    shell('mkfifo "$0"', join(dir, 'pipe'))
    symlinkSync('b', join(dir, 'a'))
    symlinkSync('a', join(dir, 'b'))
    const why = async (path: string) => (await inspect(options(path))).issues[0]!.message
    expect(await why(dir)).toContain('in a circle')
    expect(await why(join(dir, 'pipe'))).toContain('a FIFO')
    expect(await why('/dev/zero')).toContain('a device')
    expect(await why(join(dir, 'a'))).toContain('in a circle')
  })

  it.skipIf(process.getuid?.() === 0)('C1: reports a denied permission', async () => {
    const path = file('a\n')
    chmodSync(path, 0)
    expect((await inspect(options(path))).issues[0]!.message).toContain('permission denied')
  })

  it.each([
    ['an Excel file', Buffer.from('PK\x03\x04…[Content_Types].xml')],
    ['a ZIP archive', Buffer.from('PK\x03\x04…data.csv')],
    ['a PDF', Buffer.from('%PDF-1.7\n')],
    ['a Parquet file', Buffer.from('PAR1\x15\x04')],
    ['an old Excel', Buffer.from('d0cf11e0a1b11ae1', 'hex')],
    ['a web page', Buffer.from('\ufeff\n<!DOCTYPE html><html>')],
    ['an XML document', Buffer.from('<?xml version="1.0"?><a/>')],
    ['a JSON document', Buffer.from('[{"name": "Acme"}]')],
    ['an Arrow or Feather file', Buffer.from('ARROW1\0\0\xff\xff\xff\xff')],
    ['an Arrow stream', Buffer.from('ffffffff10000000', 'hex')],
    ['a Feather file', Buffer.from('FEA1\0\0')],
    ['a DuckDB database', Buffer.from('01234567DUCK@\0\0\0\0')],
    // The number of the format is above 255 since version 2.
    ['a DuckDB database', Buffer.from('01234567DUCK\xe7\x03\0\0\0\0\0\0', 'latin1')],
    ['an ORC file', Buffer.from('ORC\n\x1d\n\0\x12')],
    ['an Avro file', Buffer.from('Obj\x01\x04\x16avro.schema')],
    ['an Access database', Buffer.from('\0\x01\0\0Standard ACE DB\0')],
    ['an HDF5 file', Buffer.from('89484446', 'hex')],
    ['a tar archive', Buffer.concat([Buffer.alloc(257, 'a\0'), Buffer.from('ustar\0')])],
    ['lz4 data', Buffer.from('04224d18', 'hex')],
  ])('C5: knows %s', async (what, bytes) => {
    const { facts, errors } = await look(bytes)
    expect(facts).toBeNull()
    expect(errors[0]).toMatchObject({ code: 'FETTLE_INPUT_KIND', message: expect.stringContaining(what) })
  })

  it('the hint of a file of another kind is what to do with that kind', async () => {
    const { errors } = await look(Buffer.from('01234567DUCK@\0\0\0\0'))
    expect(errors[0]?.message).toMatch(/is a DuckDB database$/)
    expect(errors[0]?.hint).toBe('Read it by a query, input: { sql: select …, url: duckdb:FILE }.')
  })
})

describe('encodings', () => {
  it('C5: refuses UTF-16 without a mark, unless it is named', async () => {
    const bytes = utf16('name,country\nAcme,GB\n', 'le', false)
    expect((await look(bytes)).errors[0]).toMatchObject({
      code: 'FETTLE_INPUT_ENCODING',
      hint: 'Name the encoding: input.encoding: utf-16le.',
    })
    expect((await look(bytes, { encoding: 'utf-16le' })).facts).toMatchObject({ rows: 1, encoding: 'utf-16le', bom: false })
  })

  it.each(['le', 'be'] as const)('C7: reads UTF-16%s with a mark', async order => {
    const { facts, issues } = await look(utf16('näme,country\r\n"Acmé\n",GB\r\n', order))
    expect(issues).toEqual([])
    expect(facts).toMatchObject({ encoding: `utf-16${order}`, bom: true, header: ['näme', 'country'], rows: 1, lineEnd: 'crlf' })
  })

  it('C8: names offset, line and the windows-1252 reading of a byte that is not UTF-8', async () => {
    const bytes = Buffer.concat([Buffer.from('name,town\nAcmé,Paris\nCaf'), Buffer.from([0xe9]), Buffer.from(' Noir,Lyon\n')])
    const { path, facts, errors } = await look(bytes)
    expect(facts).toBeNull()
    expect(errors[0]).toMatchObject({
      code: 'FETTLE_INPUT_ENCODING',
      message: `${path} is not UTF-8: byte 0xe9 at offset 25, line 3`,
      at: { line: 3 },
      hint: 'As windows-1252 the place reads "Café Noir,Lyon"; if that is right, set input.encoding: windows-1252.',
    })
    expect((await look(bytes, { encoding: 'windows-1252' })).facts).toMatchObject({ rows: 2, encoding: 'windows-1252' })
  })

  it('C8: notices a character that the end of the file cuts', async () => {
    const bytes = Buffer.concat([Buffer.from('a\n1\n'), Buffer.from([0xe2, 0x82])])
    expect((await look(bytes)).errors[0]!.message).toContain('at offset 4, line 3')
  })

  it('C8: names the place that the named encoding cannot hold', async () => {
    const bytes = Buffer.from([...Buffer.from('a,b\n1,2\n3,'), 0x81, 0x0a])
    expect((await look(bytes, { encoding: 'windows-1252' })).errors[0]).toMatchObject({
      code: 'FETTLE_INPUT_ENCODING',
      at: { line: 3 },
      message: expect.stringContaining('byte at offset 10, line 3'),
    })
    expect((await look(bytes, { encoding: 'shift_jis' })).errors[0]!.message).toContain('line 3')
  })

  it('refuses an unknown name, and a name that the mark contradicts', async () => {
    expect((await look('a\n1\n', { encoding: 'klingon' })).codes).toEqual(['FETTLE_INPUT_ENCODING'])
    expect((await look('\ufeffa\n1\n', { encoding: 'windows-1252' })).codes).toEqual(['FETTLE_INPUT_ENCODING'])
  })

  it('C9: warns of U+FFFD', async () => {
    const { errors, warnings } = await look('a,b\nCaf\ufffd,\ufffd\n')
    expect(errors).toEqual([])
    expect(warnings[0]).toMatchObject({ code: 'FETTLE_INPUT_SUSPECT', count: 2 })
  })

  it('C32: keeps control characters, emoji and combining marks unchanged', async () => {
    expect((await look('a,b\n\u202eevil\u0007,👩‍👧 e\u0301\n')).issues).toEqual([])
  })
})

describe('structure', () => {
  it('returns all facts of a valid file', async () => {
    const content = '\ufeffName;No\r\n"Acme; Ltd";01\r\n\r\nBolt;02\r\n'
    const { path, facts, issues } = await look(content)
    expect(issues).toEqual([])
    expect(facts).toEqual({
      path,
      bytes: Buffer.byteLength(content),
      mtimeMs: expect.any(Number),
      sha256: sha256(content),
      encoding: 'utf-8',
      bom: true,
      delimiter: ';',
      delimiterEvidence: '";" 1 in every one of 3 records; no other',
      quotes: 'strict',
      header: ['Name', 'No'],
      columns: 2,
      rows: 2,
      blankLines: 1,
      lineEnd: 'crlf',
    })
  })

  it.each([
    ['', 'it is empty'],
    ['\ufeff', 'only a byte-order mark'],
    ['\n\r\n\n', 'only blank lines'],
  ])('C3: %j has no rows', async (content, why) => {
    const { errors, facts } = await look(content)
    expect(errors).toMatchObject([{ code: 'FETTLE_INPUT_EMPTY', message: expect.stringContaining(why) }])
    expect(facts).toMatchObject({ rows: 0, columns: 0, header: [] })
  })

  it('C4: a header alone is a table of no rows', async () => {
    expect(await look('name,no\n')).toMatchObject({ issues: [], facts: { rows: 0, columns: 2 } })
  })

  it('C6: lists the counts when the named delimiter gives one column, or detection is ambiguous', async () => {
    const { errors } = await look('a,b,c\n1,2,3\n', { delimiter: ';' })
    expect(errors[0]).toMatchObject({
      code: 'FETTLE_INPUT_DELIMITER',
      message: expect.stringContaining('"," 2 in every one of 2 records; ";" none'),
    })
    expect((await look('a;b,c\n1;2,3\n')).codes).toEqual(['FETTLE_INPUT_DELIMITER'])
    expect((await look('name\nAcme\n', { delimiter: ';' })).issues).toEqual([])
    expect((await look('a§b\n', { delimiter: '§' })).codes).toEqual(['FETTLE_INPUT_DELIMITER'])
  })

  it('C7: honours a sep= line', async () => {
    const { facts, errors } = await look('sep=;\r\nName;No\r\nA, B;1\r\nC;2;3\r\n')
    expect(facts).toMatchObject({ delimiter: ';', delimiterEvidence: 'sep= line: ";"', header: ['Name', 'No'], rows: 2 })
    expect(errors[0]).toMatchObject({ code: 'FETTLE_INPUT_FIELDS', at: { line: 4 } })
  })

  it('C10, C11, C12: reports all places at once, with line and column', async () => {
    const { errors } = await look('n,c\n"a"b,1\nOOO "R",2\nx, "y"\n\0,4\n"open,5\n6,7\n')
    expect(errors.map(one => [one.code, one.at?.line, one.at?.column, one.rows[0]])).toEqual([
      ['FETTLE_INPUT_QUOTE', 2, 4, 1],
      ['FETTLE_INPUT_QUOTE', 3, 5, 2],
      ['FETTLE_INPUT_QUOTE', 4, 4, 3],
      ['FETTLE_INPUT_QUOTE', 4, 6, 3],
      ['FETTLE_INPUT_NUL', 5, 1, 4],
      ['FETTLE_INPUT_QUOTE', 6, null, 5],
    ])
    expect(errors[1]!.hint).toContain('input.quotes: relaxed')
    expect(errors[1]!.count).toBe(2)
    expect(errors[2]!.hint).toBe('Remove the space.')
    expect(errors.at(-1)!.message).toContain('never closed')
  })

  it('returns the header of a file whose last quote is never closed', async () => {
    const { facts, codes } = await look('name,country\nA,GB\n"B,GB\n')
    expect(codes).toEqual(['FETTLE_INPUT_QUOTE'])
    expect(facts?.header).toEqual(['name', 'country'])
  })

  it('names at most fifty places and then a count', async () => {
    const { errors } = await look(`n,c\n${'a"b,1\n'.repeat(90)}`)
    expect(errors).toHaveLength(11)
    expect(errors[10]).toMatchObject({ count: 80, message: expect.stringContaining('and 80 more places') })
    const inOneLine = await look(`n,c\n${'a "b" "c",1\n'.repeat(3)}`)
    expect(inOneLine.errors.reduce((sum, { count }) => sum + count, 0)).toBe(12)
  })

  it('C12, C13: relaxed accepts bare quotes and rejects merged rows', async () => {
    expect(await look('n,c\nOOO "Romashka",RU\n', { quotes: 'relaxed' })).toMatchObject({
      issues: [],
      facts: { rows: 1, quotes: 'relaxed' },
    })
    const merged = await look('n,c\nA,1\n"Acme,GB\nBolt "x" Ltd,FR\nC,3\n', { quotes: 'relaxed' })
    expect(merged.errors[0]).toMatchObject({
      code: 'FETTLE_INPUT_QUOTE',
      at: { line: 3 },
      message: expect.stringContaining('joins lines'),
    })
    const clean = 'n,c\n"Acme,GB\nBolt",FR\n'
    expect((await look(clean, { quotes: 'relaxed' })).codes).toEqual(['FETTLE_INPUT_QUOTE'])
    expect((await look(clean)).warnings[0]).toMatchObject({ code: 'FETTLE_INPUT_SUSPECT', at: { line: 2 } })
  })

  it('C14: names all ragged rows, of very many the first and the total', async () => {
    const { errors } = await look('a,b\n1,2\n1\n1,2,3\n1\n1\n1,2\n1,2\n1,2\n')
    expect(errors).toMatchObject([{ code: 'FETTLE_INPUT_FIELDS', count: 4, rows: [2, 3, 4], at: { line: 3 } }])
    expect(errors[0]!.message).toBe('2 cells expected (delimiter ","), but line 3 has 1, line 4 has 3, lines 5 to 6 have 1')
    const many = await look(`a,b\n${'1,2\n1,2\n1\n'.repeat(60)}`)
    expect(many.errors[0]!.message).toMatch(/but line 4 has 1, line 7 has 1, .*, line 151 has 1, … 60 rows in all$/)
  })

  it('C15: warns of a delimiter at the end of every row', async () => {
    const { errors, warnings } = await look('a,b,\n1,2,\n3,4,\n')
    expect(errors).toEqual([])
    expect(warnings.map(one => one.message)).toContainEqual(expect.stringContaining('the last column is empty throughout'))
  })

  it('C16: line ends and blank lines never change the number of rows', async () => {
    const rows = ['a,b', '1,2', '3,4']
    for (const [ends, lineEnd] of [
      [['\n', '\n', '\n'], 'lf'],
      [['\r\n', '\r\n', ''], 'crlf'],
      [['\r', '\r', '\r'], 'cr'],
      [['\r\n\r\n', '\n\n', '\r'], 'mixed'],
    ] as const) {
      const { facts, issues } = await look(rows.map((row, at) => row + ends[at]).join(''))
      expect(issues).toEqual([])
      expect(facts).toMatchObject({ rows: 2, lineEnd })
    }
  })

  it('C22: finds the header below a title', async () => {
    const { errors } = await look('Supplier list\n2026\n\nname,no,town\nA,1,X\nB,2,Y\nC,3,Z\n', { delimiter: ',' })
    expect(errors[0]).toMatchObject({
      code: 'FETTLE_INPUT_FIELDS',
      at: { line: 4 },
      hint: 'Set input.skip.head: 3 if the lines above are not headers, or fix the first row. Without a pipeline file, pass the number.',
      action: { command: 'clean', args: ['--skip-head', '3', 'FILE'] },
    })
  })

  it('C22: names the number of lines to skip where only the last ones have another number of cells', async () => {
    const hint = async (text: string, skip?: { head: number; tail: number }): Promise<string | null | undefined> =>
      (await look(text, { delimiter: ',', ...(skip === undefined ? {} : { skip }) })).errors[0]?.hint
    const skipping = (lines: number): string =>
      `Set input.skip.tail: ${lines} if they are not rows, or fix the lines named. Without a pipeline file, pass the number.`
    const rows = 'a,b\n1,2\n3,4\n'
    expect(await hint(`${rows}Acme\n`)).toBe(skipping(1))
    expect(await hint(`${rows}Acme\n\nend`)).toBe(skipping(3))
    expect(await hint(`${rows}${'x\n'.repeat(7)}`)).toBe(skipping(7))
    expect(await hint(`${rows}Acme\n\nend`, { head: 0, tail: 1 })).toBe(skipping(3))
    expect(await hint(`${rows}Acme\n5,6\n`)).toBe('Fix the lines named.')
    expect((await look(`${rows}Acme\n\nend`, { delimiter: ',', skip: { head: 0, tail: 3 } })).errors).toEqual([])
  })

  it('C23: limits records and columns', async () => {
    expect((await look(`a,b\n"${'x'.repeat(1_100_000)}",1\n`)).errors[0]).toMatchObject({
      code: 'FETTLE_INPUT_LIMIT',
      at: { line: 2 },
    })
    expect((await look(`a${',b'.repeat(1100)}\n`)).codes).toContain('FETTLE_INPUT_LIMIT')
  })
})

describe('the header', () => {
  it('C17: warns when it looks like data, and when data look like a header', async () => {
    expect((await look('Acme Ltd,01234567\nBolt Ltd,02345678\n')).warnings[0]!.message).toBe(
      'the header looks like data: column 2 is a number, "01234567"',
    )
    expect((await look('Name,2024\nA,1\n')).issues).toEqual([])
    const rows = 'Name,Reg No\nA,01234567\nB,12345678\nC,23456789\n'
    expect((await look(rows, { header: false })).warnings[0]!.message).toContain('looks like a header: column 2 has a number')
    expect((await look(rows, { header: false })).facts).toMatchObject({ header: null, rows: 4 })
  })

  it('C18, C19, C20: notes doubled, empty and look-alike headers, escaped', async () => {
    const { errors, warnings } = await look('Name,Name,,Town,town\u00a0\nA,B,C,D,E\n')
    expect(errors).toEqual([])
    expect(warnings.map(one => one.message)).toEqual([
      'the header of column 3 is empty',
      'the header "Name" occurs 2 times (columns 1, 2)',
      'headers differ only in case, spaces or invisible characters: "Town", "town\\u00a0" (columns 4, 5)',
    ])
  })

  it('C21: accepts __proto__ and constructor as names', async () => {
    expect(await look('__proto__,constructor\nA,B\n')).toMatchObject({
      issues: [],
      facts: { header: ['__proto__', 'constructor'] },
    })
  })
})

describe('the reading', () => {
  it('C27: notices a file that grows, is replaced, or is touched while it is read', async () => {
    const content = `a,b\n${'1,2\n'.repeat(900_000)}`
    const changes: ((path: string) => void)[] = [
      path => appendFileSync(path, '3,4\n'),
      path => {
        writeFileSync(`${path}.new`, content)
        renameSync(`${path}.new`, path)
      },
      path => {
        writeFileSync(path, content.replace('1,2', '9,9'))
        utimesSync(path, 1, 1)
      },
    ]
    for (const change of changes) {
      const path = file(content)
      let done = false
      const onProgress = (): void => {
        if (!done) change(path)
        done = true
      }
      const { facts, issues } = await inspect(options(path), { onProgress })
      expect([facts, issues[0]?.code]).toEqual([null, 'FETTLE_INPUT_CHANGED'])
    }
  })

  it('reports progress to the end and stops at a signal', async () => {
    const path = file(`a,b\n${'1,2\n'.repeat(600_000)}`)
    const seen: number[] = []
    await inspect(options(path), { onProgress: (bytes, total) => seen.push(bytes / total) })
    expect(seen.length).toBeGreaterThan(2)
    expect(seen.at(-1)).toBe(1)
    await expect(inspect(options(path), { signal: AbortSignal.abort(new Error('stop')) })).rejects.toThrow('stop')
  })

  it('resolves a relative path from the given root', async () => {
    const path = file('a,b\n1,2\n')
    mkdirSync(join(dirname(path), 'sub'))
    const { facts } = await inspect(options(basename(path)), { root: dirname(path) })
    expect(facts).toMatchObject({ path: 'input.csv', rows: 1 })
  })

  it('hashes the bytes on disk, also of a file in another encoding', async () => {
    const path = file(Buffer.from('näme;x\nä;1\n', 'latin1'))
    expect((await factsOf(path, { encoding: 'windows-1252' })).sha256).toBe(sha256(readFileSync(path)))
  })
})
