import { parse } from 'csv-parse/sync'
import { stringify } from 'csv-stringify/sync'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MAX_COLUMNS, MAX_RECORD_BYTES, RecordScanner } from '../../../src/input/scan/record-scanner.ts'
import { BLOCK_BYTES } from '../../../src/input/scan/structural-index.ts'
import { runs } from '../../support/runs.ts'

function scan(text: string | Buffer, { delimiter = ',', relaxed = false, cuts = [] as number[] } = {}): RecordScanner {
  const bytes = Buffer.from(text)
  const scanner = new RecordScanner(delimiter, relaxed)
  let from = 0
  for (const cut of [...cuts, bytes.length].sort((a, b) => a - b)) {
    scanner.push(bytes.subarray(from, cut))
    from = Math.max(from, cut)
  }
  scanner.end()
  return scanner
}

/** All that a scanner found, comparable. */
const found = (scanner: RecordScanner) => ({ ...scanner, widths: [...scanner.widths], line: scanner.line })

const byte = fc.constantFrom('a', 'é', ',', '"', '\n', '\r', '\r\n', ' ', ';', '""', '",', '"\n')
const anyText = fc.array(byte, { maxLength: 40 }).map(parts => parts.join(''))
const lineEnds = ['\r\n', '\n', '\r']

describe('the record scanner', () => {
  it('counts the rows of any table that csv-stringify wrote', () => {
    const cell = fc.oneof(fc.string({ maxLength: 8 }), anyText, fc.constant(''))
    const table = fc
      .integer({ min: 1, max: 5 })
      .chain(width => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 12 }))
    fc.assert(
      fc.property(table, fc.constantFrom(...lineEnds), fc.constantFrom(',', ';', '\t', '|'), (rows, lineEnd, delimiter) => {
        fc.pre(rows.every(row => row.every(one => !one.includes('\0') && !one.startsWith('\ufeff'))))
        const csv = stringify(rows, { delimiter, record_delimiter: lineEnd, quote_record_delimiter: true, quoted_empty: true })
        const scanner = scan(csv, { delimiter })
        expect([scanner.records, scanner.columns, scanner.raggedCount]).toEqual([rows.length, rows[0]!.length, 0])
        expect(scanner.problems.filter(one => one.kind !== 'merged')).toEqual([])
      }),
      { numRuns: runs(250, 1000) },
    )
  })

  it('finds the same wherever the pieces are cut', () => {
    fc.assert(
      fc.property(anyText, fc.array(fc.nat(60), { maxLength: 6 }), fc.boolean(), (csv, cuts, relaxed) => {
        const length = Buffer.byteLength(csv)
        const inside = cuts.map(cut => cut % (length + 1))
        expect(found(scan(csv, { relaxed, cuts: inside }))).toEqual(found(scan(csv, { relaxed })))
      }),
      { numRuns: runs(1000, 5000) },
    )
  })

  it('finds the same across the border of two blocks', () => {
    fc.assert(
      fc.property(anyText, fc.nat(60), (csv, before) => {
        const head = `${'x'.repeat(BLOCK_BYTES - before)}\n`
        const cuts = Array.from({ length: 130 }, (_, n) => head.length - 65 + n).filter(
          cut => cut <= head.length + Buffer.byteLength(csv),
        )
        expect(found(scan(head + csv, { cuts }))).toEqual(found(scan(head + csv)))
      }),
      { numRuns: runs(100, 500) },
    )
  })

  it('finds the same with one byte per piece', () => {
    const csv = 'n,"a ""b""\r\nc"\r\n\r\n1,"x"y\r\nü,z"\r2,3,4\n"open\r\n'
    const whole = found(scan(csv))
    expect(found(scan(csv, { cuts: Array.from({ length: Buffer.byteLength(csv) }, (_, at) => at) }))).toEqual(whole)
    expect(whole.problems.map(one => [one.kind, one.line, one.column])).toEqual([
      ['afterQuote', 4, 6],
      ['bareQuote', 5, 4],
      ['unclosed', 7, null],
    ])
  })

  it('agrees with csv-parse about every text: the same records, or both refuse', () => {
    fc.assert(
      fc.property(anyText, csv => {
        const scanner = scan(csv)
        const refuses = scanner.problems.some(one => one.kind !== 'merged') || scanner.raggedCount > 0
        const parsed = attemptParse(csv, false)
        expect(parsed === null).toBe(refuses)
        if (parsed !== null) expect(scanner.records).toBe(parsed.length)
      }),
      { numRuns: runs(1000, 5000) },
    )
  })

  it('agrees with csv-parse when quotes are relaxed, and refuses where lines were merged', () => {
    fc.assert(
      fc.property(anyText, csv => {
        const scanner = scan(csv, { relaxed: true })
        const parsed = attemptParse(csv, true)
        expect(parsed === null).toBe(scanner.counts.has('unclosed') || scanner.raggedCount > 0)
        if (parsed !== null) expect(scanner.records).toBe(parsed.length)
      }),
      { numRuns: runs(1000, 5000) },
    )
  })

  it('does not count blank lines, nor miss a last line without line end', () => {
    const scanner = scan('a,b\n\n1,2\r\n\r\n\r3,4')
    expect([scanner.records, scanner.blankLines, scanner.openEnded]).toEqual([3, 3, true])
    expect(scanner.lineEnds).toEqual({ lf: 2, crlf: 2, cr: 1 })
  })

  it('names the line on which an unclosed quote opened', () => {
    expect(scan('a,b\n1,2\n3,"4\n5,6\n').problems).toEqual([{ kind: 'unclosed', line: 3, column: null, record: 3 }])
  })

  it('counts columns in characters, not bytes', () => {
    expect(scan('aé,b\nüü"x,1\n').problems[0]).toMatchObject({ kind: 'bareQuote', line: 2, column: 3 })
  })

  it('reports the first three ragged rows and their number', () => {
    const scanner = scan('a,b\n1\n1,2,3\n4,5\n6\n7\n')
    expect(scanner.ragged.map(one => [one.line, one.found])).toEqual([
      [2, 1],
      [3, 3],
      [5, 1],
    ])
    expect(scanner.raggedCount).toBe(4)
  })

  it('distinguishes a space before a quote from a quote inside a cell', () => {
    expect(scan('a, "b"\n').problems[0]!.kind).toBe('spaceBeforeQuote')
    expect(scan('a,OOO "Romashka"\n').problems[0]!.kind).toBe('bareQuote')
    expect(scan('a,OOO "Romashka"\n', { relaxed: true }).problems).toEqual([])
  })

  it('finds lines that a stray quote made one record', () => {
    expect(scan('n,c\n"Acme,GB\nBolt",FR\n').counts.get('merged')).toBe(1)
    expect(scan('n,c\n"Acme,GB\nBolt "x" Ltd,FR\n', { relaxed: true }).counts.get('merged')).toBe(1)
    expect(scan('n,c\n"1 High Street\nLondon",GB\n').problems).toEqual([])
  })

  it('limits records and columns, and notices an endless record before it ends', () => {
    const long = `a,b\n"${'x'.repeat(MAX_RECORD_BYTES)}",1\n`
    expect(scan(long).problems).toEqual([{ kind: 'bytes', line: 2, column: null, record: 2 }])
    expect(scan(long, { cuts: [500_000, 1_048_600] }).problems).toHaveLength(1)
    expect(scan(`a${','.repeat(MAX_COLUMNS)}\n`).problems[0]!.kind).toBe('columns')
    expect(scan(`a${','.repeat(MAX_COLUMNS - 1)}\n`).problems).toEqual([])
  })

  it('keeps ten places of a kind and counts them all', () => {
    const scanner = scan('x"\n'.repeat(100))
    expect([scanner.problems.length, scanner.counts.get('bareQuote')]).toEqual([10, 100])
  })
})

function attemptParse(csv: string, relaxed: boolean): unknown[] | null {
  try {
    return parse(Buffer.from(csv), { record_delimiter: lineEnds, relax_quotes: relaxed, skip_empty_lines: true })
  } catch {
    return null
  }
}
