/** Inspects one file: its format, its content and every structural problem, in a single pass with constant memory. */

import { createHash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { resolve } from 'node:path'
import { counted } from '../../counted.ts'
import { FettleError, type Issue, issue, type Place } from '../../errors.ts'
import { isSettled, type OpenInput, openInput, rememberHash, type Version, versionAt } from '../../files/open-input.ts'
import type {
  CellCounts,
  InputFacts,
  InputOptions,
  Packing,
  SectionReader,
  Sections,
  SkippedLines,
  TableEdges,
  ValueWarning,
  WatchedColumn,
} from '../../pipeline/model/types.ts'
import type { SheetNaming } from '../excel/read-workbook.ts'
import { CellCounter, CellTap } from '../scan/column-profiler.ts'
import { MAX_COLUMNS, RecordScanner, type ScannedRecord } from '../scan/record-scanner.ts'
import { asWindows1252, type Decoder, makeDecoder, Utf8Check, undecodable } from '../text/encoding.ts'
import { Mojibake } from '../text/mojibake.ts'
import { countHeadBytes, firstRows, type ResolvedDialect, resolveDialect } from './dialect.ts'
import { TextEnd, tableEdges } from './edge-lines.ts'
import { type Content, headOf, openContent } from './file-content.ts'
import { Checkpoints, type RecordMark } from './record-offsets.ts'
import { RejectFilter, type Unproved } from './rejects.ts'
import { emptyRowsIn, emptyRowsIssue, headerIssues, scanIssues } from './scan-issues.ts'
import { decoded, TableRange, tailStart } from './table-range.ts'

export interface InspectExtra {
  /** The folder that a relative path starts from; the working directory when absent. */
  readonly root?: string
  readonly signal?: AbortSignal
  /** Milliseconds since 1970, on the clock of file times; without it, a run hashes the file again. */
  readonly now?: () => number
  readonly onProgress?: (bytes: number, total: number) => void
  /** Selects the columns to profile by the header (null: the file has none); `columns` is their number. */
  readonly watch?: (header: readonly string[] | null, columns: number) => readonly WatchedColumn[]
  /** Recognises lines around the table, for `skip: auto`. */
  readonly around?: (edges: TableEdges, hasHeader: boolean) => SkippedLines<number>
  /** Recognises headings and totals inside the list, for `sections: skip`. */
  readonly sections?: ((header: readonly string[] | null) => SectionReader) | undefined
  /** Rows that are headings or totals, which columns are counted without. */
  readonly omit?: ReadonlySet<number>
  /** Receives the line of each row that it has. */
  readonly lines?: Map<number, number>
}

/** The facts, null without a readable table, and every problem found. Errors reject the file, warnings do not. */
export interface Inspection {
  readonly facts: InputFacts | null
  readonly issues: Issue[]
  readonly cells: readonly CellCounts[]
  readonly marks: readonly RecordMark[]
  /** Of each file that could be read to its end. */
  readonly edges: readonly TableEdges[]
  /** What is inside the list besides rows, and the line of each; absent for nothing. */
  readonly sections?: Sections & { readonly lines: ReadonlyMap<number, number> }
}

/** `table`: what joins it to other files of a list; null without facts. */
export interface InspectedFile extends Inspection {
  readonly cells: readonly CellCounter[]
  readonly table: { readonly headBytes: number; readonly bytes: number; readonly endsLine: boolean } | null
}

/** The rows before the rows of a file, and the counters of its columns. */
interface FilesBefore {
  readonly rows: number
  readonly counters?: readonly CellCounter[]
  /** It is one of several sheets: a column names it. */
  readonly namesSheet?: boolean
}

export async function inspectFile(
  options: InputOptions,
  extra: InspectExtra,
  before: FilesBefore = { rows: 0 },
): Promise<InspectedFile> {
  const startedMs = extra.now?.() ?? null
  const opened = await openInput(options.path, extra.root)
  if ('code' in opened) return refused(opened)
  const { handle, version } = opened
  try {
    const open = async (naming?: SheetNaming, skip = options.skip) => {
      const content = await openContent(handle, options, naming)
      const head = await headOf(content.pieces())
      const tail = (encoding: string, lines: number) =>
        tailStart(content.pieces(), encoding, lines, options.rejects === undefined)
      // The text of a sheet and of records is made by fettle: settings for the text of a file do not apply.
      const asText: InputOptions = { ...options, skip, ...(content.packing && OWN_TEXT[content.packing.as]) }
      const settle = (lines: SkippedLines<number>) => resolveDialect(asText, lines, head, tail)
      return { content, asText, settled: await settleLines(asText, settle, content, extra) }
    }
    let table = await open()
    // The line of the header is known by now.
    if (before.namesSheet === true && !('code' in table.settled))
      table = await open(namingFor(table.settled, options), table.settled.skipped ?? NO_LINES)
    const { content, asText, settled } = table
    if ('code' in settled) {
      const isOfText = content.packing === null || content.packing.as === 'gzip'
      return refused(isOfText || settled.code !== 'FETTLE_INPUT_DELIMITER' ? settled : { ...settled, hint: WITHIN_CELLS })
    }
    const found = await readThrough(asText, settled, { ...opened, content, before }, extra)
    if (found.facts !== null && isSettled(version, startedMs)) rememberHash(version, found.facts.sha256)
    return { ...found, issues: [...content.issues, ...found.issues] }
  } catch (error) {
    if (FettleError.is(error)) return refused(issue(error.code, error.message, { at: error.at, hint: error.hint }))
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error
    return refused(unreadable(options.path, (error as Error).message))
  } finally {
    await handle.close()
  }
}

/** A header of the sheet's name that no column of the sheet has. */
function namingFor(settled: ResolvedDialect, { header: hasHeader }: InputOptions): SheetNaming {
  const taken = hasHeader ? (firstRows(settled)[0] ?? []) : []
  let header = 'Sheet'
  while (taken.includes(header)) header += ' (fettle)'
  return { header, line: hasHeader ? 1 + (settled.skipped?.head ?? 0) : 0 }
}

const WITHIN_CELLS = 'A cell is not split: split the column where the list comes from, in Excel with Data > Text to Columns.'
const NO_LINES: SkippedLines<number> = { head: 0, tail: 0 }
const OF_SHEETS = { encoding: 'utf-8', delimiter: ',', quotes: 'strict' } as const
const OF_RECORDS = { ...OF_SHEETS, header: true, skip: NO_LINES } as const
const OWN_TEXT: Readonly<Record<Packing['as'], Partial<InputOptions>>> = {
  gzip: {},
  xlsx: OF_SHEETS,
  jsonl: OF_RECORDS,
  parquet: OF_RECORDS,
}

const NOTHING = { facts: null, cells: [], marks: [], edges: [], table: null } as const

export const refused = (why: Issue): InspectedFile => ({ ...NOTHING, issues: [why] })

export function refuseChanged(path: string): InspectedFile {
  const at = { file: path, line: null, column: null }
  return refused(issue('FETTLE_INPUT_CHANGED', `${path} changed while being read`, { at, hint: 'Wait until it is written.' }))
}

/** The dialect without the lines that the options skip; `auto` finds them by the first and the last lines of the text. */
async function settleLines(
  { path, header, rejects, skip = NO_LINES }: InputOptions,
  settle: (skip: SkippedLines<number>) => Promise<ResolvedDialect | Issue>,
  content: Content,
  { around, signal }: InspectExtra,
): Promise<ResolvedDialect | Issue> {
  const named = { head: skip.head === 'auto' ? 0 : skip.head, tail: skip.tail === 'auto' ? 0 : skip.tail }
  const settled = await settle(named)
  if ('code' in settled || around === undefined || (skip.head !== 'auto' && skip.tail !== 'auto')) return settled
  const end = new TextEnd()
  const range = new TableRange(settled.skipped ?? undefined)
  try {
    for await (const text of decoded(content.pieces(), settled.encoding, rejects === undefined)) {
      signal?.throwIfAborted()
      end.add(range.cut(text))
    }
  } catch (error) {
    // The pass over the file reports bytes that the encoding does not have.
    if (error instanceof TypeError) return settled
    throw error
  }
  const texts = { file: path, above: settled.above, start: settled.sample, end, below: new TextEnd(), belowAt: 0 }
  const { head, tail } = around(tableEdges(texts, settled.delimiter), header)
  // A `sep=` line above is part of the dialect.
  const hasSeparator = settled.linesBefore > named.head
  const found = {
    head: skip.head === 'auto' && !hasSeparator ? head : named.head,
    tail: skip.tail === 'auto' ? tail : named.tail,
  }
  return found.head === named.head && found.tail === named.tail ? settled : settle(found)
}

async function readThrough(
  options: InputOptions,
  settled: ResolvedDialect,
  { handle, version, content, before }: OpenInput & { readonly content: Content; readonly before: FilesBefore },
  extra: InspectExtra,
): Promise<InspectedFile> {
  const { path } = options
  const table = firstRows(settled)
  const header = options.header ? (table[0] ?? []) : null
  const watched = extra.watch?.(header, table[0]?.length ?? 0) ?? []
  const counters =
    before.counters ??
    watched.filter(column => column.index < MAX_COLUMNS).map(column => new CellCounter(column, settled.delimiter))
  const pass = new Pass(settled, options, counters, { ...extra, rowsBefore: before.rows })
  try {
    for await (const piece of content.pieces(read => pass.read(read))) {
      extra.signal?.throwIfAborted()
      pass.push(piece)
      extra.onProgress?.(pass.bytesRead, version.bytes)
      if (pass.badAt !== null) break
    }
    pass.end()
  } catch (error) {
    if (error instanceof TypeError && settled.encoding !== 'utf-8')
      return refused(await undecodable(path, content.pieces(), settled.encoding, pass.bytes))
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error
    const where = `after byte ${pass.bytes}, record ${pass.scanner.records}`
    return refused(unreadable(path, `${(error as Error).message} (${where})`))
  }
  if (await hasChanged(resolve(extra.root ?? '', path), version, pass)) return refuseChanged(path)
  if (pass.rejects?.unproved != null) return refused(unprovedIssue(path, pass.rejects.unproved, settled.linesBefore))
  if (pass.badAt !== null)
    return refused(await notUtf8(path, content.packing === null ? handle : null, pass, settled.linesBefore))
  const emptyRows = emptyRowsIn(pass.scanner, options.header)
  const omitted = { ...emptyRows, rows: emptyRows.rows.map(row => row + before.rows) }
  for (const counter of counters) counter.omit(omitted)
  const belowAt = settled.linesBefore + pass.scanner.line
  const texts = { file: path, above: settled.above, start: settled.sample, end: pass.tableEnd, below: pass.below, belowAt }
  return {
    ...conclude(options, settled, { version, packing: content.packing }, { pass, emptyRows, table, omit: extra.omit, before }),
    cells: counters,
    marks: pass.marks.all,
    table: { headBytes: options.header ? countHeadBytes(settled) : 0, bytes: pass.tableBytes, endsLine: pass.endsLine },
    edges: [tableEdges({ ...texts, hasSheet: before.namesSheet === true }, settled.delimiter)],
  }
}

async function hasChanged(path: string, before: Version, pass: Pass): Promise<boolean> {
  const after = await versionAt(path).catch(() => null)
  return after?.id !== before.id || (pass.badAt === null && pass.bytesRead !== before.bytes)
}

function unreadable(path: string, why: string): Issue {
  return issue('FETTLE_INPUT_READ', `cannot read the input ${path}: ${why}`, { at: { file: path, line: null, column: null } })
}

/** `handle` is null for packed content, which cannot be read at an offset. */
async function notUtf8(path: string, handle: FileHandle | null, pass: Pass, linesBefore: number): Promise<Issue> {
  const offset = pass.badAt!
  const line = pass.scanner.line + linesBefore
  const at = { file: path, line, column: null }
  const refuse = (byte: string, hint: string): Issue =>
    issue('FETTLE_INPUT_ENCODING', `${path} is not UTF-8: ${byte}, line ${line}`, { at, hint })
  if (handle === null)
    return refuse(`byte at offset ${offset} of the unpacked data`, 'Name its encoding, such as input.encoding: windows-1252.')
  const from = Math.max(0, offset - 20)
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(40), 0, 40, from)
  const hex = `0x${buffer[offset - from]!.toString(16).padStart(2, '0')}`
  const text = JSON.stringify(lineAround(asWindows1252(buffer.subarray(0, bytesRead)), offset - from))
  const hint = `As windows-1252 the place reads ${text}; if that is right, set input.encoding: windows-1252.`
  return refuse(`byte ${hex} at offset ${offset}`, hint)
}

const lineAround = (text: string, at: number): string =>
  text.slice(0, at).replace(/^.*[\r\n]/s, '') + text.slice(at).replace(/[\r\n].*$/s, '')

interface FilePass {
  readonly pass: Pass
  readonly emptyRows: ValueWarning
  readonly table: readonly string[][]
  readonly omit: ReadonlySet<number> | undefined
  readonly before: FilesBefore
}

function conclude(
  options: InputOptions,
  settled: ResolvedDialect,
  { version, packing }: { readonly version: Version; readonly packing: Packing | null },
  { pass, emptyRows, table, omit, before }: FilePass,
): Pick<Inspection, 'facts' | 'issues'> {
  const { path, quotes, header: hasHeader } = options
  const [first = [], ...rows] = table
  const { scanner } = pass
  const isEmpty = scanner.records === 0 && !scanner.isQuoted
  const place: Place = { file: path, line: 1 + settled.linesBefore, column: null }
  const { encoding, bom, delimiter, linesBefore } = settled
  const notes = { file: path, hasHeader, quotes, delimiter, linesBefore, skip: settled.skipped ?? NO_LINES }
  const issues = scanIssues(scanner, notes)
  if (isEmpty) issues.push(issue('FETTLE_INPUT_EMPTY', `${path} has no rows: ${emptiness(pass.bytes, scanner)}`, { at: place }))
  if (pass.utf8.replacements > 0) {
    const message = `U+FFFD occurs ${counted(pass.utf8.replacements, 'time')} in ${path}: characters were lost before fettle read it`
    issues.push(issue('FETTLE_INPUT_SUSPECT', message, { severity: 'warn', at: place, count: pass.utf8.replacements }))
  }
  if (pass.mojibake.count > 0) issues.push(mojibakeIssue(options, settled, pass, place))
  if (!isEmpty) issues.push(...headerIssues(first, rows, hasHeader, place))
  const found = Math.max(0, scanner.records - (hasHeader ? 1 : 0))
  if (emptyRows.count > 0) issues.push(emptyRowsIssue(path, emptyRows, found, { ...place, line: null }))
  const sections = [...(omit ?? [])].filter(row => row > before.rows && row <= before.rows + found)
  const facts: InputFacts = {
    path,
    bytes: version.bytes,
    packed: packing === null ? undefined : { ...packing, bytes: pass.bytes },
    skipped: settled.skipped ?? undefined,
    linesBefore: linesBefore || undefined,
    mtimeMs: version.mtimeMs,
    sha256: pass.hash.digest('hex'),
    encoding,
    bom,
    delimiter,
    delimiterEvidence: settled.evidence,
    quotes,
    header: hasHeader ? first : null,
    columns: scanner.columns,
    rows: found,
    rejected: pass.rejects === null || pass.rejects.rows === 0 ? undefined : rejectedFacts(pass.rejects),
    emptyRows: emptyRows.count + sections.length || undefined,
    sections: sections.length === 0 ? undefined : sections,
    blankLines: pass.rejects?.blankLines ?? scanner.blankLines,
    lineEnd: lineEnd(scanner.lineEnds),
  }
  return { facts, issues }
}

const rejectedFacts = ({ rows, counts }: RejectFilter): NonNullable<InputFacts['rejected']> => ({ rows, reasons: { ...counts } })

function unprovedIssue(path: string, { line, why }: Unproved, linesBefore: number): Issue {
  const at = { file: path, line: line + linesBefore, column: null }
  const message = `${path}: the row in line ${at.line} cannot be left out: ${why}`
  return issue('FETTLE_INPUT_REJECTS', message, { at, hint: 'Correct this row in the list.' })
}

function mojibakeIssue({ path }: InputOptions, { encoding }: ResolvedDialect, pass: Pass, at: Place): Issue {
  const { mojibake, garbled } = pass
  const { count, example, places } = mojibake
  const rows = garbled.length === 0 ? '' : ` (first in row ${garbled.join(', ')})`
  const message = `${path}: ${places} mis-encoded, such as ${JSON.stringify(example)}${rows}`
  const hint = pass.isUtf8Too
    ? `The file may be UTF-8: leave out input.encoding: ${encoding}.`
    : 'Fix it in the source; it is sent unchanged.'
  return issue('FETTLE_INPUT_SUSPECT', message, { severity: 'warn', at, count, rows: garbled, hint })
}

function emptiness(bytes: number, scanner: RecordScanner): string {
  if (bytes === 0) return 'it is empty'
  return scanner.blankLines > 0 ? 'it has only blank lines' : 'it has only a byte-order mark'
}

function lineEnd({ lf, crlf, cr }: RecordScanner['lineEnds']): string {
  const kinds = [lf > 0 ? 'lf' : '', crlf > 0 ? 'crlf' : '', cr > 0 ? 'cr' : ''].filter(kind => kind !== '')
  return kinds.length > 1 ? 'mixed' : (kinds[0] ?? 'lf')
}

const FIRST_ROWS = 3

/** One pass over the text of a file: counts, checks and hashes it. */
class Pass {
  readonly scanner: RecordScanner
  readonly utf8 = new Utf8Check()
  readonly hash = createHash('sha256')
  readonly mojibake = new Mojibake()
  readonly marks = new Checkpoints()
  readonly tableEnd = new TextEnd()
  readonly below = new TextEnd()
  readonly garbled: number[] = []
  /** Leaves out rows that cannot be read; null: they refuse the list. */
  readonly rejects: RejectFilter | null
  /** Bytes of the file. */
  bytesRead = 0
  /** Bytes of its content. */
  bytes = 0
  /** Offset in the content of the first byte that is not UTF-8. */
  badAt: number | null = null
  /** In a named encoding: all bytes so far could be UTF-8 just as well. */
  isUtf8Too: boolean
  /** Bytes of the table as UTF-8, and whether they end in a line break. */
  tableBytes = 0
  endsLine = true
  readonly #asUtf8 = new Utf8Check()
  readonly #decoder: Decoder | null
  readonly #table: TableRange
  readonly #headers: number

  constructor(
    settled: ResolvedDialect,
    options: InputOptions,
    counters: readonly CellCounter[],
    { rowsBefore, omit, lines }: Pick<InspectExtra, 'omit' | 'lines'> & { readonly rowsBefore: number },
  ) {
    const { quotes, header, rejects } = options
    this.#headers = header ? 1 : 0
    const tap = counters.length === 0 ? null : new CellTap(counters, header, MAX_COLUMNS, { rowsBefore, omit })
    const first = rowsBefore - this.#headers
    const note = ({ record, line }: ScannedRecord): void => {
      if (lines?.has(first + record)) lines.set(first + record, line + settled.linesBefore)
    }
    this.scanner = new RecordScanner(settled.delimiter, quotes === 'relaxed', tap, lines === undefined ? null : note)
    this.rejects = rejects === undefined ? null : new RejectFilter({ ...settled, quotes })
    this.#decoder = settled.encoding === 'utf-8' ? null : makeDecoder(settled.encoding, rejects === undefined)
    this.#table = new TableRange(settled.skipped ?? undefined, after => this.below.add(after))
    this.isUtf8Too = this.#decoder !== null
  }

  read(piece: Buffer): void {
    this.hash.update(piece)
    this.bytesRead += piece.length
  }

  push(piece: Buffer): void {
    this.isUtf8Too &&= this.#asUtf8.push(piece) === null
    const text = this.#decoder ? Buffer.from(this.#decoder.decode(piece)) : piece
    const bad = this.rejects === null ? this.utf8.push(text) : null
    this.#take(this.#table.cut(text.subarray(0, bad === null ? text.length : Math.max(0, bad))))
    if (bad !== null) this.badAt = this.bytes + bad
    this.bytes += piece.length
  }

  /** A piece of the table, unchanged. */
  #take(text: Buffer): void {
    this.tableEnd.add(text)
    this.#scan(this.rejects === null ? text : this.rejects.push(text))
  }

  /** Stops the scanner at the first mojibake, where it has the number of the row. */
  #scan(text: Buffer): void {
    if (this.rejects !== null) this.utf8.push(text)
    this.tableBytes += text.length
    if (text.length > 0) this.endsLine = text.at(-1) === 0x0a || text.at(-1) === 0x0d
    let from = 0
    for (const at of this.mojibake.push(text)) {
      if (this.garbled.length === FIRST_ROWS) break
      this.scanner.push(text.subarray(from, at))
      from = at
      const row = this.scanner.records + 1 - this.#headers
      if (row > 0 && !this.garbled.includes(row)) this.garbled.push(row)
    }
    this.scanner.push(text.subarray(from))
    this.marks.note(this.scanner.records, this.scanner.consumed)
  }

  end(): void {
    if (this.badAt !== null) return
    if (this.#decoder) this.#take(this.#table.cut(Buffer.from(this.#decoder.end())))
    if (this.rejects !== null) this.#scan(this.rejects.end())
    if (this.utf8.end() > 0) this.badAt = this.bytes - this.utf8.end()
    else this.scanner.end()
  }
}
