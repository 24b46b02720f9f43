/** Rows that cannot be read, left out within a budget: the rest is as if they had never been there, and each of them is accounted for. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { csvText } from '../../../src/formats/text-formats.ts'
import { inspect, openSource } from '../../../src/input/index.ts'
import { locateRows } from '../../../src/input/table/record-offsets.ts'
import { planRows, readRejects, readRows } from '../../../src/input/table/records.ts'
import { knownSum, rowsToAccountFor } from '../../../src/journal/outcomes.ts'
import type { InputOptions, Plan, PlannedOutput } from '../../../src/pipeline/model/types.ts'
import { parseThreshold } from '../../../src/pipeline/source/durations.ts'
import { receivedPath } from '../../../src/results/file-names.ts'
import { openResults } from '../../../src/results/index.ts'
import { runs } from '../../support/runs.ts'
import { file, folder, inMemory, options, planOf, text } from './kit.ts'

const rejects = (max: string): Partial<InputOptions> => ({ rejects: { ...parseThreshold(`> ${max}`)!, text: max } })

async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const row of rows) found.push(row)
  return found
}

async function look(content: string | Buffer, max = '50%', rest: Partial<InputOptions> = {}) {
  const path = file(content)
  const { facts, issues, marks } = await inspect(options(path, { ...rejects(max), ...rest }))
  const errors = issues.filter(({ severity }) => severity === 'error')
  return { path, facts, marks, issues, errors, codes: errors.map(({ code }) => code) }
}

interface Broken {
  readonly raw: Buffer
  readonly reason: string
  readonly shown?: string
}

/** A row that is broken in itself, in a table of so many columns. */
function brokenRow(columns: number, delimiter: string, encoding: string): fc.Arbitrary<Broken> {
  const rest = delimiter.repeat(columns - 1)
  const row = (raw: string | Buffer, reason: string, shown?: string): Broken => ({ raw: Buffer.from(raw), reason, shown })
  const bad = encoding === 'utf-8' ? 0xe9 : 0x81
  return fc.constantFrom(
    row(`x${delimiter.repeat(columns - 2)}`, 'cells'),
    row(`x${rest}${delimiter}`, 'cells'),
    row('"12 High St\nLondon"', 'cells'),
    row(`Foo "Best" Ltd${rest}`, 'quotes'),
    row(`12" pipe${rest}`, 'quotes'),
    row(`"Foo" Ltd${rest}`, 'quotes'),
    row(`a${delimiter} "b"${delimiter.repeat(columns - 2)}`, 'quotes'),
    row(`nul\0${rest}`, 'nul'),
    row(
      Buffer.concat([Buffer.from('caf'), Buffer.from([bad]), Buffer.from(rest)]),
      'encoding',
      `caf${encoding === 'utf-8' ? '\\xE9' : '\ufffd'}${rest}`,
    ),
  )
}

const cell = fc.string({ unit: fc.constantFrom('a', 'B', ' ', ',', ';', '"', '\n', 'é', '='), maxLength: 6 })

interface Table {
  readonly delimiter: string
  readonly encoding: string
  readonly lineEnd: string
  readonly header: boolean
  readonly clean: Buffer
  readonly dirty: Buffer
  readonly broken: readonly (Broken & { readonly line: number })[]
}

const linesOf = (text: Buffer): number => text.toString('latin1').split(/\r\n|\n/).length

const tables: fc.Arbitrary<Table> = fc
  .record({
    columns: fc.integer({ min: 2, max: 5 }),
    delimiter: fc.constantFrom(',', ';', '\t'),
    encoding: fc.constantFrom('utf-8', 'windows-1252'),
    lineEnd: fc.constantFrom('\n', '\r\n'),
    header: fc.boolean(),
    isOpenEnded: fc.boolean(),
  })
  .chain(form => {
    const { columns, delimiter, encoding } = form
    const row = fc.array(cell, { minLength: columns - 1, maxLength: columns - 1 })
    const step = fc.oneof({ weight: 3, arbitrary: row }, brokenRow(columns, delimiter, encoding))
    return fc.record({ form: fc.constant(form), steps: fc.array(step, { maxLength: 12 }) })
  })
  .map(({ form: { columns, delimiter, encoding, lineEnd, header, isOpenEnded }, steps }) => {
    const encode = (cells: readonly string[]): Buffer => {
      const written = csvText([cells], { delimiter, lineEnd, columns })
      return encoding === 'utf-8' ? Buffer.from(written) : Buffer.from(written, 'latin1')
    }
    const first = encode(Array.from({ length: columns }, (_, at) => `h${at}`))
    const good = [first]
    const dirty = [first]
    const broken: Table['broken'][number][] = []
    // A row at the least that can be read, at the end of some tables.
    const last = Array.from({ length: columns - 1 }, () => 'z')
    for (const [at, step] of [...steps, last].entries()) {
      if (Array.isArray(step)) {
        const written = encode([`r${at}`, ...step])
        good.push(written)
        dirty.push(written)
        continue
      }
      const line = linesOf(Buffer.concat(dirty))
      broken.push({ ...step, line })
      dirty.push(Buffer.concat([step.raw, Buffer.from(lineEnd)]))
    }
    if (isOpenEnded) {
      const raw = Buffer.from('"Acme Lt')
      broken.push({ raw, reason: 'quotes', line: linesOf(Buffer.concat(dirty)) })
      dirty.push(raw)
    }
    return { delimiter, encoding, lineEnd, header, clean: Buffer.concat(good), dirty: Buffer.concat(dirty), broken }
  })

const OUTPUT: PlannedOutput = {
  path: 'out.csv',
  format: 'csv',
  columns: ['*', 'general.connectId', 'match.outcome'],
  unmatched: null,
  review: null,
}

/** Sends the list, answers every row, and writes the outputs. */
async function carryOut(plan: Plan) {
  const work = folder(inMemory())
  const root = folder(inMemory())
  const pieces: Uint8Array[] = []
  for await (const piece of (await openSource(plan, work).upload(0)).open()) pieces.push(Buffer.from(piece))
  const { delimiter, header } = plan.input
  const rows = parse(Buffer.concat(pieces), { delimiter, record_delimiter: ['\r\n', '\n', '\r'], bom: true }) as string[][]
  const names = header === null ? rows[0]!.map((_, at) => `column ${at + 1}`) : rows.shift()!
  const answered = rows.map((row, at) => [...row, at % 2 === 0 ? `id-${at}` : '', at % 2 === 0 ? 'matched' : 'unmatched'])
  const head = [...names, 'general.connectId', 'match.outcome']
  const enriched = csvText([head, ...answered], { delimiter: ',', lineEnd: '\n', columns: head.length })
  writeFileSync(receivedPath(work, 0), gzipSync(enriched))
  return { ...(await openResults(plan, work, { root }).publish()), root }
}

describe('rows that cannot be read', () => {
  it('leave the table that it is without them, and are listed and counted, each once', async () => {
    await fc.assert(
      fc.asyncProperty(tables, async ({ delimiter, encoding, header, clean, dirty, broken }) => {
        const how = { delimiter, encoding, header }
        const wanted = await look(clean, '0', how)
        const { facts, marks, errors, issues } = await look(dirty, '99.9%', how)
        expect(errors).toEqual([])
        const { rejected, ...rest } = facts!
        expect(rest).toMatchObject({ rows: wanted.facts!.rows, columns: wanted.facts!.columns, header: wanted.facts!.header })
        expect(rejected?.rows ?? 0).toBe(broken.length)
        expect(issues.filter(({ code }) => code === 'FETTLE_INPUT_REJECTS').map(({ count }) => count)).toEqual(
          broken.length === 0 ? [] : [broken.length],
        )
        expect(wanted.facts!.rejected).toBeUndefined()
        const rows = await all(readRows(wanted.facts!))
        expect(await all(readRows(facts!))).toEqual(rows)
        expect(await all(readRejects(facts!))).toMatchObject(
          broken.map(({ raw, reason, line, shown = raw.toString() }) => ({ reason, line, text: shown })),
        )
        const middle = Math.ceil(rows.length / 2)
        const span = await locateRows(facts!, marks, { from: middle, to: rows.length })
        const shard = { number: 2, of: 2, from: middle, asked: middle, span }
        if (middle < rows.length) expect(await all(planRows({ input: facts!, shard }))).toEqual(rows.slice(middle))
      }),
      { numRuns: runs(60, 500) },
    )
  })

  it('give the output of the table without them, and the sums of its report prove every row', async () => {
    await fc.assert(
      fc.asyncProperty(tables, async ({ delimiter, encoding, header, clean, dirty, broken }) => {
        const how = { delimiter, encoding, header }
        const [wanted, found] = [(await look(clean, '0', how)).facts!, (await look(dirty, '99.9%', how)).facts!]
        fc.pre(wanted.emptyRows === undefined)
        const without = await carryOut(planOf(wanted, { output: OUTPUT }))
        const plan = planOf(found, { output: { ...OUTPUT, rejects: 'rejects.csv' } })
        const done = await carryOut(plan)
        expect(text(join(done.root, 'out.csv'))).toBe(text(join(without.root, 'out.csv')))
        expect(done.outcomes.failed).toBe(broken.length)
        expect(knownSum(done.outcomes)).toBe(rowsToAccountFor(plan))
        expect(done.files.map(({ kind, rows }) => [kind, rows])).toEqual([
          ['output', wanted.rows],
          ['rejects', broken.length],
        ])
        const listed = parse(text(join(done.root, 'rejects.csv')), { bom: true, columns: true }) as { line: string }[]
        expect(listed.map(({ line }) => Number(line))).toEqual(broken.map(({ line }) => line))
      }),
      { numRuns: runs(20, 200) },
    )
  })

  it('are refused when they are more than the limit, with count, limit and the first of them, and all places as without the key', async () => {
    const content = 'a,b\n1,2\nx\n3,4\ny,z,w\n5,6\n'
    for (const max of ['1', '39%']) {
      const { codes, errors } = await look(content, max)
      expect(codes).toEqual(['FETTLE_INPUT_REJECTS', 'FETTLE_INPUT_FIELDS'])
      expect(errors[0]!.message).toMatch(
        /2 of 5 rows of .* cannot be read \(wrong number of cells: 2\), and input.rejects.max allows (1|39%): line 3 \(wrong number of cells: 1 instead of 2\), line 5 \(wrong number of cells: 3 instead of 2\)$/,
      )
    }
    for (const max of ['2', '40%']) expect((await look(content, max)).codes).toEqual([])
    expect((await look(content, '0')).codes).toContain('FETTLE_INPUT_REJECTS')
  })

  it('are refused when no other row is left: such a list is not an empty one', async () => {
    expect((await look('a,b\nx\ny\n', '100%')).codes).toContain('FETTLE_INPUT_REJECTS')
    expect((await look('a,b\nx\n,\n', '100%')).codes).toContain('FETTLE_INPUT_REJECTS')
  })

  it.each([
    ['an open quote takes the rows after it', 'a,b\n1,2\n"Foo,GB\nBar,US\n"Baz",DE\n5,6\n', 3],
    ['an open quote takes all that follows', 'a,b\n1,2\n"Foo,GB\nBar,US\n5,6\n', 3],
    ['an open quote ends where a cell could', 'a,b\n1,2\n"Foo,GB\nBar,US\n"\n5,6\n', 3],
    ['a quote after a space opens a cell of several lines', 'a,b,c\n1,2,3\nx, "12\n4,5,6\nLondon",y\n7,8,9\n', 3],
    ['a joined row has a line that is one', 'a,b,c\n1,2,3\n"Foo,x,y\nBar",z\n4,5,6\n', 3],
    ['the first row', 'a "x",b\n1,2\n', 1],
  ])('are not left out where their extent is not proved: %s', async (_, content, line) => {
    const { errors } = await look(content, '99%')
    expect(errors[0]).toMatchObject({
      code: 'FETTLE_INPUT_REJECTS',
      at: { line },
      message: expect.stringContaining('cannot be left out'),
    })
    expect(errors.length + (await inspect(options(file(content)))).issues.length).toBeGreaterThan(1)
  })

  it('of several files are counted and listed by file, and their rows follow each other', async () => {
    const dir = folder()
    writeFileSync(join(dir, '1.csv'), 'a,b\n1,2\nx\n3,4')
    writeFileSync(join(dir, '2.csv'), 'a,b\n"Acme "Ltd" x",2\n5,6\ny,y,y')
    const { facts, issues } = await inspect(options(join(dir, '*.csv'), rejects('3')))
    expect(issues.filter(({ severity }) => severity === 'error')).toEqual([])
    expect(facts).toMatchObject({ rows: 3, rejected: { rows: 3, reasons: { cells: 2, quotes: 1 } } })
    expect(await all(readRows(facts!))).toEqual([
      ['1', '2'],
      ['3', '4'],
      ['5', '6'],
    ])
    expect((await all(readRejects(facts!))).map(({ file, line }) => [file.slice(-5), line])).toEqual([
      ['1.csv', 3],
      ['2.csv', 2],
      ['2.csv', 4],
    ])
    const over = await inspect(options(join(dir, '*.csv'), rejects('2')))
    expect(over.issues[0]).toMatchObject({ code: 'FETTLE_INPUT_REJECTS', severity: 'error' })
  })

  it('are found after lines that are skipped, in packed lists, and in pieces cut anywhere', async () => {
    const body = Array.from({ length: 30_000 }, (_, at) => (at % 10_000 === 5 ? `x${at}` : `row ${at},"a, ""b""\nc"`)).join('\n')
    const content = gzipSync(`Title\n\na,b\n${body}\n`)
    const { facts, codes } = await look(content, '3', { skip: { head: 2, tail: 0 } })
    expect(codes).toEqual([])
    expect(facts).toMatchObject({ rows: 29_997, rejected: { rows: 3 }, blankLines: 0 })
    expect((await all(readRejects(facts!))).map(({ line, text }) => [line, text])).toEqual([
      [14, 'x5'],
      [20_013, 'x10005'],
      [40_012, 'x20005'],
    ])
    expect((await all(readRows(facts!))).length).toBe(29_997)
  })

  it('do not hide a row that is longer than any', async () => {
    const content = `a,b\n1,2\n"${'x,y\n'.repeat(400_000)}`
    expect((await look(content, '50%')).errors[0]).toMatchObject({ code: 'FETTLE_INPUT_REJECTS' })
  })
})
