/**
 * What was written in any dialect is read as it was: delimiters, ways of quoting, line ends and encodings in all combinations,
 * with every character that could be taken for another one's part.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readRows } from '../../../src/input/table/records.ts'
import { runs } from '../../support/runs.ts'
import { ENCODERS } from './encoders.ts'
import { FUZZ_TIMEOUT, fuzz } from './fuzz.ts'
import { factsOf, file, folder } from './kit.ts'

interface Dialect {
  readonly delimiter: string
  readonly lineEnd: string
  /** Which cells are quoted beside those that have to be. */
  readonly quoted: 'none' | 'all' | 'odd'
  readonly isEnded: boolean
  readonly hasMark: boolean
}

const dialects = fc.record<Dialect>({
  delimiter: fc.constantFrom(',', ';', '\t', '|', ':', '\x1f', 'x'),
  lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
  quoted: fc.constantFrom('none', 'all', 'odd'),
  isEnded: fc.boolean(),
  hasMark: fc.boolean(),
})

function write(rows: readonly (readonly string[])[], { delimiter, lineEnd, quoted, isEnded }: Dialect): string {
  const cell = (text: string, column: number): string => {
    const isQuoted =
      quoted === 'all' || (quoted === 'odd' && column % 2 === 1) || /["\r\n]/.test(text) || text.includes(delimiter)
    return isQuoted ? `"${text.replaceAll('"', '""')}"` : text
  }
  return rows.map(row => row.map(cell).join(delimiter)).join(lineEnd) + (isEnded ? lineEnd : '')
}

/** Tables of two columns or more: a lone one cannot have an empty cell that is no blank line. */
const tables = (characters: readonly string[]): fc.Arbitrary<string[][]> => {
  const letter = fc.oneof(fc.constantFrom(...characters), fc.constantFrom(...'aZ0 ,;|:x"\'\\\t\n\r\x1f'.split('')))
  const cell = fc.array(letter, { maxLength: 8 }).map(all => all.join(''))
  return fc
    .integer({ min: 2, max: 5 })
    .chain(width => fc.array(fc.array(cell, { minLength: width, maxLength: width }), { minLength: 1, maxLength: 6 }))
}

/** Header and rows as they are read from the file, whose number of rows is told too. */
async function readBack(path: string, encoding: string, delimiter: string): Promise<{ rows: string[][]; told: number }> {
  const facts = await factsOf(path, { encoding, delimiter })
  const rows = [[...facts.header!]]
  for await (const row of readRows(facts)) rows.push(row)
  return { rows, told: facts.rows }
}

describe.each(Object.keys(ENCODERS))('a table in %s', encoding => {
  const { encode, characters } = ENCODERS[encoding]!
  const isMarkable = encoding.startsWith('utf')

  it('is read as it was written', { timeout: FUZZ_TIMEOUT }, async () => {
    const path = join(folder(), 'input.csv')
    await fc.assert(
      fc.asyncProperty(tables(characters), dialects, async (data, dialect) => {
        const rows = [data[0]!.map((_, column) => `Head ${column + 1}`), ...data]
        const mark = isMarkable && dialect.hasMark ? '\ufeff' : ''
        writeFileSync(path, encode(mark + write(rows, dialect)))
        const { rows: read, told } = await readBack(path, encoding, dialect.delimiter)
        expect(read).toEqual(rows)
        expect(told).toBe(data.length)
      }),
      fuzz(runs(50, 150)),
    )
  })

  it('is read as it was written where its characters lie across two pieces', async () => {
    const cell = characters.slice(0, 300).join('').replaceAll('\ufeff', '')
    // A character of one byte lies in one piece, wherever that ends.
    const widest = Math.max(...characters.slice(0, 300).map(one => encode(one).length))
    for (let shift = 0; shift < Math.min(4, widest); shift++) {
      const row = encode(`${'x'.repeat(shift)};${cell}\r\n`)
      const count = Math.ceil(1_100_000 / row.length)
      const path = file(Buffer.concat([encode('Name;Town\r\n'), ...Array.from({ length: count }, () => row)]))
      const { rows, told } = await readBack(path, encoding, ';')
      expect(told).toBe(count)
      expect(rows.slice(1).filter(one => one.length !== 2 || one[1] !== cell)).toEqual([])
    }
  })
})
