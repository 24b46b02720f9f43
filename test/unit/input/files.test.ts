/** Several files as one list, and JSON lines as a table: the same rows, counts and places as one CSV. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isInList, listFiles } from '../../../src/files/paths.ts'
import { csvText } from '../../../src/formats/text-formats.ts'
import { inspect, openSource } from '../../../src/input/index.ts'
import { locateRowLines, locateRows } from '../../../src/input/table/record-offsets.ts'
import { readRows } from '../../../src/input/table/records.ts'
import { verifyPlanned } from '../../../src/input/table/verify-unchanged.ts'
import type { InputFacts } from '../../../src/pipeline/model/types.ts'
import { factsOf, file, folder, inMemory, options, planOf } from './kit.ts'

const rowsOf = async (facts: InputFacts): Promise<string[][]> => {
  const rows: string[][] = []
  for await (const row of readRows(facts)) rows.push(row)
  return rows
}

function write(root: string, files: Readonly<Record<string, string | Uint8Array>>): string {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true })
    writeFileSync(join(root, name), content)
  }
  return root
}

const watch = () => [
  { index: 0, of: ['profile', 'numbers', 'values', 'keys'] as const },
  { index: 1, of: ['profile'] as const },
]

const cell = fc.oneof(
  fc.constantFrom('', 'Acme', '0012', ' x ', 'a"b', 'a\nb', 'é', '1'),
  fc.string({ unit: 'grapheme', maxLength: 4 }),
)
const rows = fc.array(
  fc.tuple(fc.string({ unit: fc.constantFrom('a', '1', 'é'), minLength: 1 }), cell, cell).map(one => [...one]),
  {
    minLength: 1,
    maxLength: 12,
  },
)
/** How a file of the list is written. */
const form = fc.record({
  line: fc.constantFrom('\n', '\r\n'),
  isOpen: fc.boolean(),
  mark: fc.boolean(),
  gzip: fc.boolean(),
})

describe('several files', () => {
  const HEADER = ['id', 'name', 'note']
  const csv = (all: readonly string[][], lineEnd = '\n'): string =>
    csvText([HEADER, ...all], { delimiter: ',', lineEnd, columns: 3 }).replaceAll('\0', '')

  it('are one list: the rows, counts, spans and lines of one file, however each is written', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(rows, form), { minLength: 1, maxLength: 4 }), async parts => {
        const root = folder(inMemory())
        for (const [at, [own, how]] of parts.entries()) {
          const text = csv(own, how.line)
          const content = Buffer.from((how.mark ? '\ufeff' : '') + (how.isOpen ? text.replace(/\r?\n$/, '') : text))
          writeFileSync(join(root, `${at}.csv${how.gzip ? '.gz' : ''}`), how.gzip ? gzipSync(content) : content)
        }
        const all = parts.flatMap(([own]) => own)
        const single = await inspect(options(file(csv(all))), { watch })
        const found = await inspect(options(join(root, '*.csv*')), { watch })
        expect(found.issues.filter(({ severity }) => severity === 'error')).toEqual([])
        const facts = found.facts!
        const { rows, columns, header, emptyRows } = single.facts!
        expect(facts).toMatchObject({ rows, columns, header })
        expect(facts.emptyRows).toBe(emptyRows)
        expect(facts.files?.map(one => one.rows)).toEqual(parts.map(([own]) => own.length))
        const clean = (cells: typeof found.cells) =>
          cells.map(({ index, empty, distinct, examples, repeated, values }) => ({
            index,
            empty,
            distinct,
            examples,
            repeated,
            values,
          }))
        expect(clean(found.cells)).toEqual(clean(single.cells))
        const read = await rowsOf(facts)
        expect(read).toEqual(await rowsOf(single.facts!))
        // The rows of any shard are those between its bounds.
        for (const from of new Set([0, rows >> 1, rows - 1])) {
          const span = await locateRows(facts, found.marks, { from, to: rows })
          const plan = planOf(facts, {
            shard: { number: 1, of: 2, from, asked: from, span },
            rows: rows - from,
            sent: rows - from,
          })
          if (emptyRows !== undefined) continue
          const pieces: Buffer[] = []
          for await (const piece of (await openSource(plan, folder(inMemory())).upload(0)).open()) pieces.push(Buffer.from(piece))
          expect(parse(Buffer.concat(pieces), { record_delimiter: ['\r\n', '\n', '\r'] })).toEqual([HEADER, ...read.slice(from)])
        }
        const places = await locateRowLines(
          { input: facts },
          read.map((_, at) => at + 1),
        )
        expect(places.map(({ file }) => file)).toEqual(parts.flatMap(([own], at) => own.map(() => facts.files![at]!.path)))
        expect(places.every(({ line }) => line !== null && line > 1)).toBe(true)
      }),
      { numRuns: 15 },
    )
  })

  it('may be in different encodings, with lines around their tables, sheets left out', async () => {
    const root = write(folder(), {
      'a.csv': 'Title\nid,name\n1,Zoë\nTotal\n',
      'b.csv': Buffer.from('\ufeffTitle\nid,name\n2,Łódź\n3,x\nTotal', 'utf16le'),
    })
    const facts = await factsOf(root, { skip: { head: 1, tail: 1 } })
    expect(await rowsOf(facts)).toEqual([
      ['1', 'Zoë'],
      ['2', 'Łódź'],
      ['3', 'x'],
    ])
    expect(await locateRowLines({ input: facts }, [1, 3])).toEqual([
      { line: 3, file: join(root, 'a.csv') },
      { line: 4, file: join(root, 'b.csv') },
    ])
  })

  it('without headers are joined as they are', async () => {
    const root = write(folder(), { 'a.csv': '1,a', 'b.csv': '2,b\n' })
    expect(await rowsOf(await factsOf(root, { header: false }))).toEqual([
      ['1', 'a'],
      ['2', 'b'],
    ])
  })

  it('with other columns, or another delimiter, are refused with the difference, each at its file', async () => {
    const root = write(folder(), {
      'a.csv': 'id,name\n1,a\n',
      'b.csv': 'id,Name,x\n2,b,\n',
      'c.csv': 'name,id\nc,3\n',
      'd.csv': 'id;name\n4;d\n',
      'e.csv': 'id,name\n5,"e\n',
    })
    const { facts, issues } = await inspect(options(root))
    const errors = issues.filter(({ severity }) => severity === 'error')
    expect(
      errors.map(({ code, message, at }) => [code, message.replaceAll(root, '.'), at?.file.replace(root, '.'), at?.line]),
    ).toEqual([
      ['FETTLE_INPUT_HEADER', './b.csv and ./a.csv are not one list: it alone has "x"', './b.csv', 1],
      ['FETTLE_INPUT_HEADER', './c.csv and ./a.csv are not one list: column 1 is "name", there "id"', './c.csv', 1],
      ['FETTLE_INPUT_DELIMITER', './d.csv and ./a.csv are not one list: its delimiter is ";", there ","', './d.csv', 1],
      ['FETTLE_INPUT_QUOTE', 'the quote that opens here is never closed', './e.csv', 2],
    ])
    expect(facts).not.toBeNull()
  })

  it('are the planned ones: a changed or lost file is named', async () => {
    const root = write(folder(), { 'a.csv': 'id,name\n1,a\n', 'b.csv': 'id,name\n2,b\n' })
    const facts = await factsOf(root)
    await (await verifyPlanned(facts, {}))('read')
    writeFileSync(join(root, 'b.csv'), 'id,name\n2,c\n')
    await expect(verifyPlanned(facts, {})).rejects.toMatchObject({
      code: 'FETTLE_INPUT_CHANGED',
      message: expect.stringContaining('b.csv changed'),
    })
    expect((await factsOf(root)).sha256).not.toBe(facts.sha256)
  })
})

describe('a path with wildcards', () => {
  const FILES = { 'a1.csv': '', 'a2.csv': '', 'b.txt': '', '.hidden.csv': '', 'x/a3.csv': '', 'x/y/a4.csv': '', 'odd[1].csv': '' }

  it.each([
    ['*.csv', ['a1.csv', 'a2.csv', 'odd[1].csv']],
    ['a?.csv', ['a1.csv', 'a2.csv']],
    ['a[2-9].csv', ['a2.csv']],
    ['a[!2].csv', ['a1.csv']],
    ['{b,a1}.{csv,txt}', ['a1.csv', 'b.txt']],
    ['**/a*.csv', ['a1.csv', 'a2.csv', 'x/a3.csv', 'x/y/a4.csv']],
    ['x/**/*.csv', ['x/a3.csv', 'x/y/a4.csv']],
    ['*/a3.csv', ['x/a3.csv']],
    ['.*.csv', ['.hidden.csv']],
    ['x', 'contains a folder'],
    ['x/y', ['x/y/a4.csv']],
    ['no*', 'no file matches'],
    ['no/*', 'cannot read'],
    ['odd[1].csv', null],
    ['a1.csv', null],
  ])('%s', async (pattern, expected) => {
    const root = write(folder(), FILES)
    if (pattern !== 'x/y') symlinkSync('..', join(root, 'x/y/up'))
    const found = await listFiles(pattern, root)
    if (found !== null && 'code' in found) {
      expect(found.message).toContain(expected)
      return
    }
    expect(found).toEqual(expected)
    const all = Object.keys(FILES).filter(name => found !== null && isInList(join(root, pattern), join(root, name)))
    if (found !== null) expect(all.sort()).toEqual([...found].sort())
  })
})

describe('JSON lines', () => {
  it('are a table of all keys, of any values, also packed', async () => {
    const key = fc.oneof(
      fc.constantFrom('id', 'name', '__proto__', 'a,b'),
      // An object keeps keys that are whole numbers in front of all others.
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 3 }).filter(text => !/^\d+$/.test(text)),
    )
    const value = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.constantFrom({ a: 1 }, [1, 'x']),
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uniqueArray(fc.tuple(key, value), { minLength: 1, maxLength: 4, selector: ([name]) => name }), {
          minLength: 1,
          maxLength: 5,
        }),
        fc.boolean(),
        async (records, isPacked) => {
          const lines = records.map(
            (one, at) =>
              `{"at":${at},"also":true${one.map(([name, cell]) => `,${JSON.stringify(name)}:${JSON.stringify(cell)}`).join('')}}`,
          )
          const content = Buffer.from(`${lines.join('\r\n\n')}\n`)
          const { facts } = await inspect(options(file(isPacked ? gzipSync(content) : content, 'a.jsonl')))
          const names = [...new Set(['at', 'also', ...records.flatMap(one => one.map(([name]) => name))])]
          if (facts === null || facts.packed?.as !== 'jsonl') throw new Error('not read')
          expect(facts.packed.columns).toEqual(names)
          expect(facts.packed.numbers).toContain(0)
          expect(facts.packed.booleans).toContain(1)
          const text = (cell: unknown): string =>
            cell === null ? '' : typeof cell === 'object' ? JSON.stringify(cell) : String(cell)
          const expected = records.map((one, at) => {
            const cells = new Map<string, unknown>([['at', at], ['also', true], ...one])
            return names.map(name => text(cells.get(name) ?? null))
          })
          expect(await rowsOf(facts)).toEqual(expected)
          expect(
            await locateRowLines(
              { input: facts },
              records.map((_, at) => at + 1),
            ),
          ).toEqual(records.map((_, at) => ({ line: 1 + 2 * at })))
        },
      ),
      { numRuns: 60 },
    )
  })

  it.each([
    ['{"a":1}\n{"a":', 'line 2: is not JSON'],
    ['{"a":1}\n\n[1]\n', 'line 3: is not a record with keys'],
    ['{"a":1}\n{"a":12345678901234567890}\n', 'line 2: the number of "a" has more digits'],
    [Buffer.from('{"a":"x"}\n{"a":"\xe9"}\n', 'latin1'), 'line 2: is not UTF-8'],
    ['{\n  "a": 1\n}\n', 'is a JSON document: Write JSON lines'],
    ['[]', 'is a JSON document: Write JSON lines'],
  ])('%s is refused: %s', async (content, why) => {
    const { facts, issues } = await inspect(options(file(content, 'a.jsonl')))
    expect(facts).toBeNull()
    expect(`${issues[0]?.message}: ${issues[0]?.hint ?? ''}`).toContain(why)
  })
})
