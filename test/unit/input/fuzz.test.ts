/**
 * Random bytes and mutated files against csv-parse, which reads them by itself: whatever fettle does not refuse has the same
 * rows in both. FETTLE_FUZZ=N tries N times as many.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { inspect } from '../../../src/input/index.ts'
import { RecordScanner } from '../../../src/input/scan/record-scanner.ts'
import { readRows } from '../../../src/input/table/records.ts'
import { runs } from '../../support/runs.ts'
import { FUZZ_TIMEOUT, fuzz } from './fuzz.ts'
import { folder, options } from './kit.ts'
import { anyBytes } from './mutants.ts'

type Quotes = 'strict' | 'relaxed'

/** As csv-parse reads some bytes, null where it refuses them. */
function parsed(bytes: Buffer | string, delimiter: string, quotes: Quotes): string[][] | null {
  try {
    return parse(bytes, {
      delimiter,
      record_delimiter: ['\r\n', '\n', '\r'],
      skip_empty_lines: true,
      relax_quotes: quotes === 'relaxed',
    }) as string[][]
  } catch {
    return null
  }
}

/** How often which of the two said no. */
class Verdicts {
  readonly #counts: Record<string, number> = {}

  add(isOurs: boolean, isTheirs: boolean): void {
    const verdict =
      isOurs && isTheirs ? 'same rows' : isTheirs ? 'refused by us alone' : isOurs ? 'taken by us alone' : 'refused by both'
    this.#counts[verdict] = (this.#counts[verdict] ?? 0) + 1
  }

  /** Some of each must have been tried, or nothing was. */
  check(name: string): void {
    console.info(`fuzz, ${name}: ${JSON.stringify(this.#counts)}`)
    expect(this.#counts['same rows']).toBeGreaterThan(0)
    expect(this.#counts['refused by both']).toBeGreaterThan(0)
    expect(this.#counts['taken by us alone'] ?? 0).toBe(0)
  }
}

const quotes = fc.constantFrom<Quotes>('strict', 'relaxed')
const delimiters = fc.constantFrom(',', ';', '\t', '|')
const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 })

it('the scanner counts what csv-parse reads, or objects, wherever the pieces are cut', { timeout: FUZZ_TIMEOUT }, () => {
  const verdicts = new Verdicts()
  fc.assert(
    fc.property(anyBytes, delimiters, quotes, cuts, (bytes, delimiter, mode, places) => {
      const scanner = new RecordScanner(delimiter, mode === 'relaxed')
      let from = 0
      for (const cut of [...places.map(share => Math.round(share * bytes.length)), bytes.length].sort((a, b) => a - b)) {
        scanner.push(bytes.subarray(from, cut))
        from = Math.max(from, cut)
      }
      scanner.end()
      const objections = scanner.problems.filter(one => one.kind !== 'merged' || mode === 'relaxed').length + scanner.raggedCount
      const rows = parsed(bytes, delimiter, mode)
      verdicts.add(objections === 0, rows !== null)
      if (objections === 0) expect([scanner.records, scanner.columns]).toEqual([rows?.length, rows?.[0]?.length ?? 0])
    }),
    fuzz(runs(400, 1500)),
  )
  verdicts.check('scanner')
})

it('a file is refused by name, or has exactly the rows that csv-parse reads in it', { timeout: FUZZ_TIMEOUT }, async () => {
  const verdicts = new Verdicts()
  const path = join(folder(), 'input.csv')
  await fc.assert(
    fc.asyncProperty(anyBytes, quotes, fc.boolean(), async (bytes, mode, header) => {
      writeFileSync(path, bytes)
      const { facts, issues } = await inspect(options(path, { quotes: mode, header }))
      const errors = issues.filter(one => one.severity === 'error')
      const isTaken = facts !== null && errors.length === 0
      for (const one of errors) expect(one.code).toMatch(/^FETTLE_INPUT_/)
      const text = new TextDecoder(facts?.encoding ?? 'utf-8').decode(bytes).replace(/^"?sep=."?(\r\n|\n|\r)/i, '')
      const rows = parsed(text, facts?.delimiter ?? ',', mode)
      verdicts.add(isTaken, rows !== null)
      if (!isTaken) return
      const read = header ? [[...facts.header!]] : []
      for await (const row of readRows(facts)) read.push(row)
      expect(read).toEqual(rows)
      expect(facts.rows).toBe(read.length - (header ? 1 : 0))
    }),
    fuzz(runs(150, 500)),
  )
  verdicts.check('files')
})
