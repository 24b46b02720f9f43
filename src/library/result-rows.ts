/** The rows of a finished run, one after the other, from its main output. */
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { FettleError } from '../errors.ts'
import { fileChunks, fileDigest, unreadable } from '../files/file-chunks.ts'
import { formatFacts, formatOfOutput, isGzipName, type OutputFormat } from '../formats/index.ts'
import { contentOf } from '../input/table/file-content.ts'
import { parseRows, parserOptions } from '../input/table/records.ts'
import { uniqueNames } from '../model/columns.ts'
import { isAddress } from '../pipeline/index.ts'
import type { Report } from '../report/index.ts'

/** A row of the result by its column names: the columns of the input and of `output.columns`. */
export type ResultRow = Readonly<Record<string, string>>

/** The report of a run, with its rows. */
export interface RunReport extends Report {
  /**
   * The rows of the main output in their order, read as they are consumed. Rejects with FETTLE_USAGE when the run has no output here
   * as CSV or JSON, and with FETTLE_INPUT_CHANGED when a later run has replaced it.
   */
  rows(): AsyncIterableIterator<ResultRow>
}

/** Rows of an output whose path is relative to `folder`. */
export async function* readResultRows({ results: [result] }: Report, folder: string): AsyncGenerator<ResultRow> {
  const output = result?.outputs.find(({ kind }) => kind === 'output')
  const chosen = result?.plan.output?.format as OutputFormat | undefined
  const format = output === undefined || chosen === undefined ? null : formatOfOutput(output.path, chosen)
  if (result === undefined || output === undefined || format === null || !isLocalText(output.path, format))
    throw new FettleError(
      'FETTLE_USAGE',
      'rows() reads the output of a finished run, and this run has none as a local file of CSV or JSON',
      { hint: 'Set output to a local path and output.format to csv or jsonl.' },
    )
  const path = resolve(folder, output.path)
  const digest = await fileDigest(path)
  if (digest !== output.sha256)
    throw new FettleError(
      'FETTLE_INPUT_CHANGED',
      `${output.path} ${digest === null ? 'is gone' : 'changed'} since the run wrote it`,
      { hint: 'Read the rows before the next run of the pipeline, or give each run its own output.' },
    )
  const content = fileChunks(path, cause => unreadable(output.path, cause))
  const text = contentOf(content, output.path, isGzipName(output.path) ? { as: 'gzip' } : null)
  if (format === 'jsonl' || format === 'json') yield* jsonRows(text)
  else yield* csvRows(text, format === 'tsv' ? '\t' : result.input.delimiter)
}

const isLocalText = (path: string, format: OutputFormat): boolean => !isAddress(path) && formatFacts(format).kind === 'text'

async function* csvRows(text: AsyncIterable<Buffer>, delimiter: string): AsyncGenerator<ResultRow> {
  let names: readonly string[] | null = null
  for await (const row of parseRows(text, { ...parserOptions(delimiter, 'strict'), bom: true })) {
    if (names === null) names = uniqueNames(row)
    else yield Object.fromEntries(names.map((name, at) => [name, row[at] ?? '']))
  }
}

/** JSON lines, and an array as fettle writes it: one object a line. Values become text, as the cells of a CSV are. */
async function* jsonRows(text: AsyncIterable<Buffer>): AsyncGenerator<ResultRow> {
  for await (const line of createInterface({ input: Readable.from(text), crlfDelay: Number.POSITIVE_INFINITY })) {
    if (!line.startsWith('{')) continue
    const row = JSON.parse(line.replace(/,$/, '')) as Record<string, string | number | boolean | null>
    yield Object.fromEntries(Object.entries(row).map(([name, value]) => [name, value === null ? '' : String(value)]))
  }
}
