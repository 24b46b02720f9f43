/**
 * Recognises the form in which a service delivers an enriched file, by its bytes, the charset of its Content-Type and the cells of the
 * list: gzip, encoding, text that was encoded twice, a `sep=` line, an end-of-file mark. What can be read without loss becomes CSV in
 * UTF-8; any other form is refused by its name, and is never taken for a file that was cut.
 */
import { canonicalEncoding } from '../encodings.ts'
import { unpacked } from '../files/file-chunks.ts'
import { SAMPLE_BYTES, sniffDelimiter } from '../input/table/dialect.ts'
import { sepLine } from '../input/table/table-range.ts'
import { asByteOfWindows1252, byteOrderMark, makeDecoder, Utf8Check } from '../input/text/encoding.ts'
import { foreignKind, unmarkedUtf16 } from '../input/text/file-signature.ts'
import { Mojibake } from '../input/text/mojibake.ts'

/** What was done to read a file, in order; all absent for CSV in UTF-8. */
export interface FileForm {
  packing?: 'gzip'
  /** Canonical name; absent for UTF-8. */
  encoding?: string
  /** By what the encoding was recognised. */
  evidence?: 'byte-order mark' | 'content' | 'Content-Type' | 'cells of the list'
  isEncodedTwice?: true
  hasSepLine?: true
  hasEndMark?: true
}

/** A form that cannot be read without loss. */
export class FormProblem extends Error {
  /** A file that was cut would look the same. */
  readonly mayBeCut: boolean

  constructor(why: string, mayBeCut = false) {
    super(why)
    this.mayBeCut = mayBeCut
  }
}

/** Looks at the bytes of a file as they pass. */
export class FormProbe {
  head: Buffer = Buffer.alloc(0)
  readonly mojibake = new Mojibake()
  isUtf8 = true
  /** Whether the file ends within a character. */
  isCut = false
  #size = 0
  #last = 0
  readonly #check = new Utf8Check()

  push(piece: Uint8Array): void {
    if (piece.length === 0) return
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.length)
    if (this.head.length < SAMPLE_BYTES) this.head = Buffer.concat([this.head, bytes.subarray(0, SAMPLE_BYTES)])
    this.#size += bytes.length
    this.#last = bytes.at(-1)!
    if (!this.isUtf8) return
    this.isUtf8 = this.#check.push(bytes) === null
    this.mojibake.push(bytes)
  }

  end(): void {
    this.isCut = this.isUtf8 && this.#check.end() > 0
    if (this.isCut) this.isUtf8 = false
  }

  /** Whether `head` is the whole file. */
  get isWhole(): boolean {
    return this.head.length === this.#size
  }

  get hasEndMark(): boolean {
    return this.#last === END_MARK
  }

  /** Characters that were lost before the file was written. */
  get replacements(): number {
    return this.#check.replacements
  }
}

/** Ctrl+Z: the end of a text file in CP/M and DOS. */
const END_MARK = 0x1a

export type Content = () => AsyncIterable<Buffer>

/** `cells`: the parts of the cells of the list that are not ASCII. */
type Known = { readonly charset: string | null; readonly cells: () => Promise<ReadonlySet<string>> }

/**
 * The content as CSV in UTF-8, and what was done to get it; `probe` has seen the whole of it. Throws FormProblem, and what the content
 * throws.
 */
export async function readForm(content: Content, probe: FormProbe, known: Known) {
  const form: FileForm = {}
  for (let seen = probe; ; seen = await runProbe(content)) {
    const next = await nextStep(content, seen, form, known)
    if (next === null) return { content, form }
    content = next
  }
}

/** The content with one more form undone, null when nothing is left to undo. */
async function nextStep(content: Content, probe: FormProbe, form: FileForm, known: Known): Promise<Content | null> {
  const { head } = probe
  if (head[0] === 0x1f && head[1] === 0x8b && form.packing === undefined) {
    form.packing = 'gzip'
    return () => unpacked(content(), cause => new FormProblem(`cannot be unpacked: ${cause.message}`, true))
  }
  const foreign = foreignKind(head)
  if (foreign !== null) throw new FormProblem(`is ${foreign.kind}`)
  if (form.encoding === undefined) {
    const encoding = await findEncoding(content, probe, form, known)
    if (encoding !== 'utf-8') {
      form.encoding = encoding
      return () => decoded(content(), encoding)
    }
  }
  if (probe.replacements > 0 && !(await hasCellWith(known, '\ufffd')))
    throw new FormProblem(
      `holds U+FFFD in ${probe.replacements} places, which represents a character that was lost at the service`,
    )
  if (probe.mojibake.count > 0 && form.isEncodedTwice === undefined && (await isEncodedTwice(content, known))) {
    form.isEncodedTwice = true
    return () => decodedOnce(content())
  }
  const sep = sepLine(head.subarray(byteOrderMark(head)?.bytes ?? 0))
  if (sep !== null) {
    const bytes = sep.bytes + (byteOrderMark(head)?.bytes ?? 0)
    const rest = head.subarray(bytes)
    const found = sniffDelimiter(rest.subarray(0, SAMPLE_BYTES), probe.isWhole).delimiter ?? ','
    if (found !== sep.delimiter)
      throw new FormProblem(`has the line sep=${sep.delimiter}, and its rows are separated by ${JSON.stringify(found)}`)
    form.hasSepLine = true
    return () => withoutStart(content(), bytes)
  }
  if (!probe.hasEndMark) return null
  form.hasEndMark = true
  return () => withoutEndMark(content())
}

/** Labels that a server gives to any text: no evidence. */
const ANY_TEXT = /^(?:us-?ascii|ascii|ansi_x3.*)$/i

async function findEncoding(content: Content, probe: FormProbe, form: FileForm, known: Known): Promise<string> {
  const mark = byteOrderMark(probe.head)
  const named = known.charset === null || ANY_TEXT.test(known.charset) ? null : canonicalEncoding(known.charset)
  if (mark !== null && mark.encoding !== 'utf-8') {
    form.evidence = 'byte-order mark'
    return mark.encoding
  }
  const unmarked = unmarkedUtf16(probe.head)
  if (unmarked !== null) {
    form.evidence = 'content'
    return unmarked
  }
  if (probe.isUtf8 && !(named?.startsWith('utf-16') && probe.head.includes(0))) return 'utf-8'
  if (probe.isCut) throw new FormProblem('ends within a character of UTF-8', true)
  if (mark !== null) throw new FormProblem('has the byte-order mark of UTF-8 and other bytes')
  if (named !== null && named !== 'utf-8') {
    form.evidence = 'Content-Type'
    return named
  }
  if (await repeatsCells(decoded(content(), 'windows-1252'), known)) {
    form.evidence = 'cells of the list'
    return 'windows-1252'
  }
  const what =
    named === 'utf-8' ? 'is not in UTF-8, which its Content-Type names' : 'is not in UTF-8, and nothing shows what it is in'
  throw new FormProblem(what)
}

async function runProbe(content: Content): Promise<FormProbe> {
  const probe = new FormProbe()
  for await (const piece of content()) probe.push(piece)
  probe.end()
  return probe
}

async function* decoded(content: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<Buffer> {
  const decoder = makeDecoder(encoding)
  const fail = (error: unknown, mayBeCut = false): Error =>
    error instanceof TypeError ? new FormProblem(`is not in ${encoding}, as which it is read`, mayBeCut) : (error as Error)
  for await (const piece of content) yield Buffer.from(run(() => decoder.decode(piece), fail))
  const failAtEnd = (error: unknown): Error => fail(error, true)
  const rest = run(() => decoder.end(), failAtEnd)
  if (rest !== '') yield Buffer.from(rest)
}

function run<T>(read: () => T, fail: (error: unknown) => Error): T {
  try {
    return read()
  } catch (error) {
    throw fail(error)
  }
}

/** UTF-8 that was read as windows-1252 or Latin-1 and encoded again, as the UTF-8 that it was. */
async function* decodedOnce(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const decoder = makeDecoder('utf-8')
  for await (const piece of content) {
    const text = decoder.decode(piece)
    const bytes = Buffer.allocUnsafe(text.length)
    for (let at = 0; at < text.length; at++) {
      const byte = asByteOfWindows1252(text.charCodeAt(at))
      if (byte === null) throw new FormProblem('has characters without a byte')
      bytes[at] = byte
    }
    yield bytes
  }
}

/** All of it: in a file that was encoded once, a lone letter beyond ASCII does not read as UTF-8. */
async function isEncodedTwice(content: Content, known: Known): Promise<boolean> {
  if (await repeatsCells(content(), known)) return false
  try {
    return (await runProbe(() => decodedOnce(content()))).isUtf8
  } catch (error) {
    if (error instanceof FormProblem) return false
    throw error
  }
}

const SEPARATORS = /[\r\n",;\t|]/

/** The parts of cells that are not ASCII, as they stand between separators in a file. */
export const specialParts = (cell: string): string[] =>
  cell
    .split(SEPARATORS)
    .map(part => part.trim())
    .filter(part => /[^\x00-\x7f]/.test(part))

/** Whether a text in UTF-8 repeats a cell of the list that is not ASCII. */
async function repeatsCells(text: AsyncIterable<Buffer>, { cells }: Known): Promise<boolean> {
  const known = await cells()
  if (known.size === 0) return false
  const decoder = makeDecoder('utf-8')
  try {
    for await (const piece of text) if (specialParts(decoder.decode(piece)).some(part => known.has(part))) return true
  } catch (error) {
    if (!(error instanceof FormProblem)) throw error
  }
  return false
}

const hasCellWith = async ({ cells }: Known, character: string): Promise<boolean> =>
  [...(await cells())].some(part => part.includes(character))

async function* withoutStart(content: AsyncIterable<Buffer>, bytes: number): AsyncGenerator<Buffer> {
  let left = bytes
  for await (const piece of content) {
    if (left < piece.length) yield piece.subarray(left)
    left = Math.max(0, left - piece.length)
  }
}

async function* withoutEndMark(content: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isHeld = false
  for await (const piece of content) {
    if (piece.length === 0) continue
    if (isHeld) yield Buffer.of(END_MARK)
    isHeld = piece.at(-1) === END_MARK
    yield isHeld ? piece.subarray(0, -1) : piece
  }
}
