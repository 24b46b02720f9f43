/**
 * Reads the cells of an input record by record. The only place that configures csv-parse, so that the records counted, sent and
 * written are the same.
 */
import { resolve } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { type Options, type Parser, parse } from 'csv-parse'
import { fileChunks, unreadable } from '../../files/file-chunks.ts'
import type { InputFacts, InputFile, Plan } from '../../pipeline/model/types.ts'
import { parquetText } from '../parquet/read-parquet.ts'
import { makeDecoder } from '../text/encoding.ts'
import { isParsedAside, parseAside } from '../thread/parse-aside.ts'
import { contentOf } from './file-content.ts'
import { type Reject, RejectFilter } from './rejects.ts'
import { isSeekable, type Span, TableRange, tablePlace } from './table-range.ts'

/** csv-parse's options for a table. Arrays, not objects: duplicate headers would overwrite each other silently. */
export function parserOptions(delimiter: string, quotes: 'strict' | 'relaxed'): Options {
  return {
    delimiter,
    // Explicit: the parser would otherwise accept only the kind of the first line end.
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_quotes: quotes === 'relaxed',
    skip_empty_lines: true,
  }
}

/** The same, for a table that may be damaged. */
export const lenientOptions = (delimiter: string): Options => ({
  ...parserOptions(delimiter, 'relaxed'),
  relax_column_count: true,
})

/** Rows of a stream of UTF-8; errors of the stream arrive at the reader. */
export function parseRows(body: AsyncIterable<Uint8Array>, options: Options): AsyncIterable<string[]> {
  const parser: Parser = parse(options)
  pipeline(Readable.from(body, { objectMode: true, highWaterMark: 1 }), parser, () => {})
  return parser
}

/** Whether the rows of a long table are parsed in another thread, which is faster and takes 30 MB, or where they are used. */
type Where = 'aside' | 'here'

/** Rows of a table of `bytes` bytes. */
export const parseTable = (
  body: AsyncIterable<Uint8Array>,
  options: Options,
  bytes: number,
  where: Where = 'aside',
): AsyncIterable<string[]> =>
  where === 'aside' && isParsedAside(bytes) ? parseAside(smallPieces(body), options) : parseRows(smallPieces(body), options)

/** Larger pieces are not faster, and their rows wait so long for their turn that they become old garbage. */
const PIECE_BYTES = 65_536

async function* smallPieces(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of body)
    for (let from = 0; from < piece.length; from += PIECE_BYTES) yield piece.subarray(from, from + PIECE_BYTES)
}

/** The data rows of an input, without its header; a relative path starts from `root`. Throws FETTLE_INPUT_READ. */
export async function* readRows(facts: InputFacts, root = '', where: Where = 'aside'): AsyncGenerator<string[]> {
  let isHeader = facts.header !== null
  const options = parserOptions(facts.delimiter, facts.quotes)
  for await (const row of parseTable(tableText(facts, root), options, facts.bytes, where)) {
    if (isHeader) isHeader = false
    else yield row
  }
}

export function planRows({ input, shard }: Pick<Plan, 'input' | 'shard'>, root = '', where?: Where): AsyncIterable<string[]> {
  if (shard === undefined) return readRows(input, root, where)
  const { from, to } = shard.span
  const text = tableText(input, root, { from, to: to ?? Number.POSITIVE_INFINITY })
  return parseRows(text, parserOptions(input.delimiter, input.quotes))
}

/**
 * The table as UTF-8, without skipped lines and marks, or a span of it; a piece is valid until the next one is read. Bytes before
 * a span are not read where the file is seekable.
 */
export async function* tableText(facts: InputFacts, root = '', span?: Span): AsyncGenerator<Buffer> {
  const path = resolve(root, facts.path)
  const fail = (cause: Error) => unreadable(facts.path, cause)
  if (facts.files !== undefined) yield* span === undefined ? joinedText(facts, root) : cutSpan(joinedText(facts, root), span)
  else if (span === undefined) yield* wholeText(facts, path)
  else if (isSeekable(facts)) {
    const table = await tablePlace(facts, root)
    yield* fileChunks(path, fail, { from: table.from + span.from, to: Math.min(table.to, table.from + span.to) })
  } else yield* cutSpan(wholeText(facts, path), span)
}

/** The rows of an input that cannot be read, in order. Throws FETTLE_INPUT_READ. */
export async function* readRejects(facts: InputFacts, root = ''): AsyncGenerator<Reject & { readonly file: string }> {
  for (const own of facts.files?.map(file => selectFile(facts, file)) ?? [facts]) {
    if (own.rejected === undefined) continue
    const found: Reject[] = []
    for await (const _ of cleanText(own, rawText(own, resolve(root, own.path)), reject => found.push(reject)))
      for (const { line, ...reject } of found.splice(0)) yield { ...reject, line: line + (own.linesBefore ?? 0), file: own.path }
  }
}

/** One of the files of an input, as an input. */
export const selectFile = ({ files, rejected, ...facts }: InputFacts, file: InputFile): InputFacts => ({ ...facts, ...file })

/** The tables of all files, one after the other, with the header of the first. */
async function* joinedText(facts: InputFacts, root: string): AsyncGenerator<Buffer> {
  for (const [at, file] of facts.files!.entries()) {
    let left = at === 0 || facts.header === null ? 0 : file.headBytes
    let last = LINE_FEED[0]
    for await (const piece of tableText(selectFile(facts, file), root)) {
      const rest = piece.subarray(left)
      left -= piece.length - rest.length
      last = rest.at(-1) ?? last
      if (rest.length > 0) yield rest
    }
    // A last line without an end would be joined to the first one of the next file.
    if (last !== 0x0a && last !== 0x0d) yield LINE_FEED
  }
}

const LINE_FEED = Buffer.from('\n')

async function* cutSpan(text: AsyncIterable<Buffer>, { from, to }: Span): AsyncGenerator<Buffer> {
  let at = 0
  for await (const piece of text) {
    if (at + piece.length > from) yield piece.subarray(Math.max(0, from - at), Math.min(piece.length, to - at))
    at += piece.length
    if (at >= to) return
  }
}

const wholeText = (facts: InputFacts, path: string): AsyncGenerator<Buffer> =>
  facts.rejected === undefined ? rawText(facts, path) : cleanText(facts, rawText(facts, path))

/** The text without rows that cannot be read. */
async function* cleanText(
  facts: InputFacts,
  text: AsyncIterable<Buffer>,
  onReject?: (reject: Reject) => void,
): AsyncGenerator<Buffer> {
  const filter = new RejectFilter(facts, onReject)
  for await (const piece of text) yield filter.push(piece)
  yield filter.end()
}

async function* rawText(facts: InputFacts, path: string): AsyncGenerator<Buffer> {
  const { packed = null } = facts
  const file = () => fileChunks(path, (cause: Error) => unreadable(facts.path, cause))
  const pieces = packed?.as === 'parquet' ? parquetText(path, facts.path) : contentOf(file(), facts.path, packed)
  const decoder = facts.encoding === 'utf-8' ? null : makeDecoder(facts.encoding, facts.rejected === undefined)
  const table = new TableRange(facts.skipped)
  for await (const piece of pieces) yield table.cut(decoder ? Buffer.from(decoder.decode(piece)) : piece)
  if (decoder) yield table.cut(Buffer.from(decoder.end()))
}
