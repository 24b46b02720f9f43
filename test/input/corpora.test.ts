/**
 * Files of public CSV test corpora, in a folder named by the variable CORPORA: each is counted exactly as csv-parse reads it, or
 * refused by name; none may have silently fewer rows. Without the variable nothing is run.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import { inspect } from '../../src/input/index.ts'
import type { InputFacts } from '../../src/pipeline/types.ts'
import { options } from './kit.ts'

const corpora = process.env.CORPORA
const files = (path: string): string[] =>
  statSync(path).isDirectory() ? readdirSync(path).flatMap(name => files(join(path, name))) : [path]

/** Rows as csv-parse reads them with the dialect found; ragged rows and stray quotes are counted, not refused. */
function rowsByParser(path: string, facts: InputFacts): number {
  const text = new TextDecoder(facts.encoding).decode(readFileSync(path)).replace(/^"?sep=."?\r?\n/i, '')
  const records: unknown[] = parse(text, {
    delimiter: facts.delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    skip_empty_lines: true,
    relax_quotes: facts.quotes === 'relaxed',
  })
  return Math.max(0, records.length - (facts.header ? 1 : 0))
}

/** The rows as the corpus itself says, where it does: csv-spectrum has a JSON file beside each table. */
function rowsByCorpus(path: string): number | null {
  const told = path.replace('/csvs/', '/json/').replace(/\.csv$/, '.json')
  return told !== path && existsSync(told) ? (JSON.parse(readFileSync(told, 'utf8')) as unknown[]).length : null
}

describe.skipIf(corpora === undefined)('every file of the corpora', () => {
  for (const quotes of ['strict', 'relaxed'] as const) {
    it(`is counted as it is read, or refused by name (quotes: ${quotes})`, async () => {
      const tally = { identical: 0, refused: {} as Record<string, number> }
      for (const path of files(corpora!)) {
        const { facts, issues } = await inspect(options(path, { quotes }))
        const error = issues.find(one => one.severity === 'error')
        if (error) tally.refused[error.code] = (tally.refused[error.code] ?? 0) + 1
        else {
          expect(facts!.rows, path).toBe(rowsByParser(path, facts!))
          expect(facts!.rows, path).toBe(rowsByCorpus(path) ?? facts!.rows)
          tally.identical++
        }
      }
      console.info(`corpora, quotes ${quotes}: ${JSON.stringify(tally)}`)
      expect(tally.identical).toBeGreaterThan(0)
    })
  }
})

it.runIf(corpora === undefined)('corpora: not run, since CORPORA names no folder', context => {
  console.info('corpora: not run (set CORPORA to a folder of CSV files)')
  context.skip('not run')
})
