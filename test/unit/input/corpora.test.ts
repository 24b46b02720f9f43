/**
 * Files of public CSV test corpora, in a folder named by the variable CORPORA: each has exactly the rows that csv-parse, Python's
 * csv module and the corpus itself read in it, cell by cell, or is refused by name. Without the variable nothing is run.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import { inspect } from '../../../src/input/index.ts'
import { readRows } from '../../../src/input/table/records.ts'
import type { InputFacts, InputOptions } from '../../../src/pipeline/model/types.ts'
import { options } from './kit.ts'
import { CORPORA, filesBelow } from './mutants.ts'

type Rows = readonly (readonly string[])[]

/** The rows that fettle reads, header included. */
async function rowsByFettle(facts: InputFacts): Promise<Rows> {
  const rows: (readonly string[])[] = facts.header === null ? [] : [facts.header]
  for await (const row of readRows(facts)) rows.push(row)
  return rows
}

/** As csv-parse reads the whole file at once; windows-1252 is left to Python, since Node 20 decodes it as Latin-1. */
function rowsByParser({ path, encoding, delimiter, quotes }: InputFacts): Rows | null {
  if (encoding === 'windows-1252') return null
  const bytes = readFileSync(path)
  const content = bytes[0] === 0x1f ? gunzipSync(bytes) : bytes
  return parse(new TextDecoder(encoding).decode(content).replace(/^"?sep=."?\r?\n/i, ''), {
    delimiter,
    record_delimiter: ['\r\n', '\n', '\r'],
    skip_empty_lines: true,
    relax_quotes: quotes === 'relaxed',
  }) as string[][]
}

/** As Python reads the files; null for each where there is no Python, or where it refuses the file. */
function rowsByPython(files: readonly InputFacts[]): (Rows | null)[] {
  const script = fileURLToPath(new URL('read_rows.py', import.meta.url))
  const input = files.map(({ path, encoding, delimiter }) => JSON.stringify({ path, encoding, delimiter })).join('\n')
  const { stdout, status } = spawnSync('python3', [script], { input, encoding: 'utf8', maxBuffer: 2 ** 30 })
  if (status === null) return files.map(() => null)
  expect(status).toBe(0)
  return stdout
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as Rows | null)
}

/** The rows as the corpus itself says, where it does: csv-spectrum has a JSON file beside each table. */
function rowsByCorpus({ path, header, encoding }: InputFacts): Rows | null {
  const told = path.replace('/csvs/', '/json/').replace(/\.csv$/, '.json')
  if (told === path || !existsSync(told) || header === null || encoding !== 'utf-8') return null
  const objects = JSON.parse(readFileSync(told, 'utf8')) as unknown
  // One of them is no list, and has another telephone number than its table.
  if (!Array.isArray(objects)) return null
  return [header, ...objects.map((one: Record<string, string>) => header.map(name => one[name]!))]
}

/** Ways to read a file; the last is what the refusal of a file that is not UTF-8 advises. */
const MODES: readonly (readonly [name: string, Partial<InputOptions>])[] = [
  ['by default', {}],
  ['quotes: relaxed', { quotes: 'relaxed' }],
  ['encoding: windows-1252', { encoding: 'windows-1252' }],
]

describe.skipIf(CORPORA === undefined)('every file of the corpora', () => {
  it.each(MODES)('has the same rows for all readers, or is refused by name: %s', { timeout: 120_000 }, async (name, mode) => {
    const taken: InputFacts[] = []
    const refused: Record<string, number> = {}
    for (const path of filesBelow(CORPORA!)) {
      const { facts, issues } = await inspect(options(path, mode))
      const error = issues.find(one => one.severity === 'error')
      if (error) refused[error.code] = (refused[error.code] ?? 0) + 1
      else taken.push(facts!)
    }
    const agreeing = { 'csv-parse': 0, Python: 0, corpus: 0 }
    const byPython = mode.quotes === 'relaxed' ? [] : rowsByPython(taken)
    for (const [at, facts] of taken.entries()) {
      const rows = await rowsByFettle(facts)
      expect(rows.length - (facts.header === null ? 0 : 1), facts.path).toBe(facts.rows)
      const others = { 'csv-parse': rowsByParser(facts), Python: byPython[at] ?? null, corpus: rowsByCorpus(facts) }
      for (const [reader, read] of Object.entries(others) as [keyof typeof agreeing, Rows | null][]) {
        if (read === null) continue
        expect(rows, `${facts.path}, read by ${reader}`).toEqual(read)
        agreeing[reader]++
      }
    }
    console.info(
      `corpora, ${name}: ${JSON.stringify({ files: filesBelow(CORPORA!).length, identical: taken.length, agreeing, refused })}`,
    )
    expect(taken.length).toBeGreaterThan(0)
  })
})

it.runIf(CORPORA === undefined)('corpora: not run, since CORPORA names no folder', context => {
  console.info('corpora: not run (set CORPORA to a folder of CSV files)')
  context.skip('not run')
})
