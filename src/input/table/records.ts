/**
 * The cells of an input, record by record: bytes become UTF-8, UTF-8 becomes rows. The one place that says how csv-parse is
 * set up, so that what is counted (scan.ts), sent and written again are the same records. It judges nothing.
 */
import { resolve } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { type Options, type Parser, parse } from 'csv-parse'
import { fileChunks, unreadable } from '../../files/file-chunks.ts'
import type { InputFacts, Plan } from '../../pipeline/model/types.ts'
import { makeDecoder } from '../text/encoding.ts'
import { contentOf } from './file-content.ts'
import { isSeekable, tablePlace } from './table-place.ts'
import { type Span, TableRange } from './table-range.ts'

/** csv-parse's options for a table. Arrays, not objects: duplicate headers would overwrite each other silently. */
export function parserOptions(delimiter: string, quotes: 'strict' | 'relaxed'): Options {
  return {
    delimiter,
    // Named, since the parser would otherwise take the first line end for the only one.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_quotes: quotes === 'relaxed',
    skip_empty_lines: true,
  }
}

/** Rows of a stream of UTF-8; errors of the stream arrive at the reader. */
export function parseRows(body: AsyncIterable<Uint8Array>, options: Options): AsyncIterable<string[]> {
  const parser: Parser = parse(options)
  pipeline(Readable.from(body, { objectMode: true, highWaterMark: 1 }), parser, () => {})
  return parser
}

/** The data rows of an input, without its header; a relative path starts from `root`. Throws FETTLE_INPUT_READ. */
export async function* readRows(facts: InputFacts, root = ''): AsyncGenerator<string[]> {
  let isHeader = facts.header !== null
  for await (const row of parseRows(tableText(facts, root), parserOptions(facts.delimiter, facts.quotes))) {
    if (isHeader) isHeader = false
    else yield row
  }
}

/** The rows that a plan is about: those of its shard, or all. Throws FETTLE_INPUT_READ. */
export function planRows({ input, shard }: Pick<Plan, 'input' | 'shard'>, root = ''): AsyncIterable<string[]> {
  if (shard === undefined) return readRows(input, root)
  const { from, to } = shard.span
  return parseRows(
    tableText(input, root, { from, to: to ?? Number.POSITIVE_INFINITY }),
    parserOptions(input.delimiter, input.quotes),
  )
}

/**
 * The table as UTF-8, without anything around it, or a span of it; a piece is valid until the next is asked for. What lies before
 * a span is passed over unread where the file allows it.
 */
export async function* tableText(facts: InputFacts, root = '', span?: Span): AsyncGenerator<Buffer> {
  const path = resolve(root, facts.path)
  const fail = (cause: Error) => unreadable(facts.path, cause)
  if (span === undefined) yield* wholeText(facts, fileChunks(path, fail))
  else if (isSeekable(facts)) {
    const table = await tablePlace(facts, root)
    yield* fileChunks(path, fail, { from: table.from + span.from, to: Math.min(table.to, table.from + span.to) })
  } else yield* spanOf(wholeText(facts, fileChunks(path, fail)), span)
}

async function* spanOf(text: AsyncIterable<Buffer>, { from, to }: Span): AsyncGenerator<Buffer> {
  let at = 0
  for await (const piece of text) {
    if (at + piece.length > from) yield piece.subarray(Math.max(0, from - at), Math.min(piece.length, to - at))
    at += piece.length
    if (at >= to) return
  }
}

async function* wholeText(facts: InputFacts, file: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const pieces = contentOf(file, facts.path, facts.packed ?? null)
  const decoder = facts.encoding === 'utf-8' ? null : makeDecoder(facts.encoding)
  const table = new TableRange(facts.skipped)
  for await (const piece of pieces) yield table.cut(decoder ? Buffer.from(decoder.decode(piece)) : piece)
  if (decoder) yield table.cut(Buffer.from(decoder.end()))
}
