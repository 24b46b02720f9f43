/** The rows of a finished run, one after the other, from its main output. */
import { resolve } from 'node:path'
import { FettleError } from '../../errors.ts'
import { fileChunks, fileDigest, unreadable } from '../../files/file-chunks.ts'
import { readJsonLines } from '../../files/json-lines.ts'
import { uniqueNames } from '../../formats/text-formats.ts'
import { parseRows, parserOptions } from '../../input/table/records.ts'
import { isAddress } from '../../pipeline/index.ts'
import type { Report } from '../../report/index.ts'

/** A row of the result by its column names: the columns of the input and of `output.columns`. */
export type ResultRow = Readonly<Record<string, string>>

/** The report of a run, with its rows. */
export interface RunReport extends Report {
  /**
   * The rows of the main output in their order, read as they are consumed. Rejects with FETTLE_USAGE when the run has no output here
   * as CSV or JSON lines, and with FETTLE_INPUT_CHANGED when a later run has replaced it.
   */
  rows(): AsyncIterableIterator<ResultRow>
}

/** Rows of an output whose path is relative to `folder`. */
export async function* readResultRows({ results: [result] }: Report, folder: string): AsyncGenerator<ResultRow> {
  const output = result?.outputs.find(one => one.kind === 'output')
  const format = result?.plan.output?.format
  if (result === undefined || output === undefined || isAddress(output.path) || format === undefined || format === 'xlsx')
    throw new FettleError(
      'FETTLE_USAGE',
      'rows() reads the output of a finished run, and this run has none as a local CSV or JSON lines',
      {
        hint: 'Set output to a local path and output.format to csv or jsonl.',
      },
    )
  const path = resolve(folder, output.path)
  const digest = await fileDigest(path)
  if (digest !== output.sha256)
    throw new FettleError(
      'FETTLE_INPUT_CHANGED',
      `${output.path} ${digest === null ? 'is gone' : 'changed'} since the run wrote it`,
      {
        hint: 'Read the rows before the next run of the pipeline, or give each run its own output.',
      },
    )
  if (format === 'jsonl') return yield* readJsonLines<ResultRow>(path)
  const text = fileChunks(path, cause => unreadable(output.path, cause))
  let names: readonly string[] | null = null
  for await (const row of parseRows(text, { ...parserOptions(result.input.delimiter, 'strict'), bom: true })) {
    if (names === null) names = uniqueNames(row)
    else yield Object.fromEntries(names.map((name, at) => [name, row[at] ?? '']))
  }
}
