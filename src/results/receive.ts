/**
 * Receives an enriched file: streamed to a `.partial` beside its final name, counted, hashed and packed on the way, renamed when
 * complete. The end of a connection proves nothing, so length, structure and number of rows must all agree.
 */

import { createHash } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { counted } from '../counted.ts'
import { FettleError } from '../errors.ts'
import { attempt, openExclusive, removeFile } from '../files/atomic-file.ts'
import { renameDurably } from '../files/durable.ts'
import { fileChunks, fileDigest, packed, unpacked } from '../files/file-chunks.ts'
import { RecordScanner } from '../input/scan/record-scanner.ts'
import { SAMPLE_BYTES, sniffDelimiter } from '../input/table/dialect.ts'
import { byteOrderMark } from '../input/text/encoding.ts'
import type { Download } from '../model/requests.ts'
import { FormProbe, FormProblem, readForm } from './file-form.ts'
import { cannotReadBack, isEnrichedFile, receivedPath } from './file-names.ts'

export interface ReceivedFile {
  readonly bytes: number
  /** Records without the header. */
  readonly rows: number
  readonly sha256: string
  readonly packedSha256: string
  /** As it came; the file that is kept is in UTF-8. `encoding` is in words; `evidence` shows an encoding that is not UTF-8. */
  readonly form: Readonly<Record<'encoding' | 'delimiter', string> & Record<'evidence' | 'packing', string | null>>
}

/** Whether the file at `path` is the one that was received. */
export const isAsReceived = async (path: string, { packedSha256 }: Pick<ReceivedFile, 'packedSha256'>): Promise<boolean> =>
  (await fileDigest(path)) === packedSha256

/** The parts whose received file is gone or was changed since. */
export async function lostParts(
  jobs: readonly { readonly part: number; readonly received: ReceivedFile | null }[],
  workDir: string,
): Promise<number[]> {
  const lost: number[] = []
  for (const { part, received } of jobs)
    if (received !== null && !(await isAsReceived(receivedPath(workDir, part), received))) lost.push(part)
  return lost
}

/** Receives the files of one run. A doubtful file that arrives the same way twice was not cut. */
export class Receiver {
  readonly #workDir: string
  readonly #cells: () => Promise<ReadonlySet<string>>
  readonly #doubtful = new Map<number, string>()

  /** `cells`: the parts of the cells of the list that are not ASCII, which show the encoding of a file. */
  constructor(workDir: string, cells: () => Promise<ReadonlySet<string>> = async () => new Set()) {
    this.#workDir = workDir
    this.#cells = cells
  }

  /**
   * Throws FETTLE_DOWNLOAD_CUT, FETTLE_FILE_FORM, FETTLE_LEDGER, FETTLE_OUTPUT_WRITE, and errors of the body; the `.partial`, which has the
   * bytes as they came, is kept then.
   */
  async receive(part: number, download: Download, rows: number): Promise<ReceivedFile> {
    const path = receivedPath(this.#workDir, part)
    const partial = `${path}.partial`
    const { counter, received } = await store(partial, download.body)
    const isSame = this.#doubtful.get(part) === received.sha256
    this.#doubtful.set(part, received.sha256)
    if (download.bytes !== null && received.bytes !== download.bytes) {
      const due = `${counted(download.bytes, 'byte')} and ${counted(rows, 'row')} were due`
      throw complaint(partial, cut(`is incomplete: ${formatCounts(received)}, ${due}`))
    }
    const fail = (cause: Error): Error => cannotReadBack(partial, cause)
    const raw = (): AsyncIterable<Buffer> => unpacked(fileChunks(partial, fail), fail)
    const { content, form } = await readForm(raw, counter.probe, { charset: download.charset ?? null, cells: this.#cells }).catch(
      error => {
        if (!(error instanceof FormProblem)) throw error
        const mayBeCut = error.mayBeCut && download.bytes === null && !isSame
        throw complaint(partial, { code: mayBeCut ? 'FETTLE_DOWNLOAD_CUT' : 'FETTLE_FILE_FORM', why: error.message })
      },
    )
    const isPlain = Object.keys(form).length === 0
    const readable = isPlain ? partial : `${path}.read.partial`
    const read = isPlain ? { counter, received } : await store(readable, content())
    const isAnnounced = download.bytes !== null || form.packing !== undefined
    const found = complaintAbout(read.counter, read.received, { rows, isSame, isAnnounced })
    if (found !== null) {
      if (!isPlain) await removeFile(readable)
      throw complaint(partial, found)
    }
    await attempt(path, () => renameDurably(readable, path))
    if (!isPlain) await removeFile(partial)
    const encoding = form.encoding ?? (form.isEncodedTwice ? 'utf-8, encoded twice' : 'utf-8')
    const { evidence = null, packing = null } = form
    return { ...read.received, form: { encoding, evidence, packing, delimiter: read.counter.delimiter } }
  }

  async remove(): Promise<void> {
    const names = await readdir(this.#workDir).catch((): string[] => [])
    const isReceived = (name: string): boolean => isEnrichedFile(name.replace(/(?:\.read)?\.partial$/, ''))
    for (const name of names.filter(isReceived)) await removeFile(join(this.#workDir, name)).catch(() => {})
  }
}

type StoredFile = Omit<ReceivedFile, 'form'>

/** Packs a stream into a file, counted and hashed. */
async function store(path: string, body: AsyncIterable<Uint8Array>) {
  const counter = new TableCounter()
  const hash = createHash('sha256')
  const handle = await attempt(path, () => openExclusive(path))
  try {
    for await (const piece of packed(counter.count(body))) {
      hash.update(piece)
      await attempt(path, () => handle.writeFile(piece))
    }
    await attempt(path, () => handle.sync())
  } finally {
    await attempt(path, () => handle.close())
  }
  return { counter, received: { ...counter.end(), packedSha256: hash.digest('hex') } }
}

const complaint = (partial: string, { code, why }: Complaint): FettleError => new FettleError(code, `${basename(partial)} ${why}`)

const formatCounts = (received: StoredFile): string =>
  `${counted(received.bytes, 'byte')} and ${counted(received.rows, 'row')} came`

/** `isSame`: the same bytes came before; `isAnnounced`: all bytes that were announced came. */
function complaintAbout(
  { scanner }: TableCounter,
  received: StoredFile,
  { rows, isSame, isAnnounced }: { readonly rows: number; readonly isSame: boolean; readonly isAnnounced: boolean },
): Complaint | null {
  const counts = formatCounts(received)
  // Bytes that come the same way twice were not cut on the way.
  const torn = (why: string): Complaint => (isSame ? { code: 'FETTLE_LEDGER', why } : cut(why))
  if (scanner.isQuoted) return torn(`ends inside a quoted cell: ${counts}, ${counted(rows, 'row')} due`)
  const isTorn = scanner.openEnded && (received.rows < rows || scanner.lastColumns < scanner.columns)
  if (isTorn) return torn(`ends inside a row: ${counts}, ${counted(rows, 'row')} due`)
  if (!isAnnounced && !isSame && (scanner.openEnded || received.rows < rows))
    return cut(`may be cut short, since its length was not announced: ${counts}, ${counted(rows, 'row')} due`)
  if (received.rows !== rows)
    return { code: 'FETTLE_LEDGER', why: `is complete but has other rows: ${counts}, ${counted(rows, 'row')} sent` }
  const odd = scanner.ragged[0]
  if (odd === undefined) return null
  return { code: 'FETTLE_LEDGER', why: `has ${odd.found} cells on line ${odd.line} and ${scanner.columns} in its header` }
}

interface Complaint {
  readonly code: 'FETTLE_DOWNLOAD_CUT' | 'FETTLE_FILE_FORM' | 'FETTLE_LEDGER'
  readonly why: string
}

const cut = (why: string): Complaint => ({ code: 'FETTLE_DOWNLOAD_CUT', why })

/** The delimiter of an enriched file, detected from its head; a comma when that is ambiguous. */
export function enrichedDelimiter(head: Buffer, isWhole: boolean): string {
  return sniffDelimiter(head.subarray(byteOrderMark(head)?.bytes ?? 0, SAMPLE_BYTES), isWhole).delimiter ?? ','
}

/** Counts the rows of a streamed table; buffers the first 64 KiB to detect the delimiter. */
class TableCounter {
  scanner = new RecordScanner(',', true)
  delimiter = ','
  readonly probe = new FormProbe()
  #bytes = 0
  #head: Buffer | null = Buffer.alloc(0)
  readonly #hash = createHash('sha256')

  async *count(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      this.#push(piece)
      yield piece
    }
  }

  #push(piece: Uint8Array): void {
    this.#bytes += piece.length
    this.probe.push(piece)
    this.#hash.update(piece)
    if (this.#head === null) {
      this.scanner.push(piece)
      return
    }
    this.#head = Buffer.concat([this.#head, piece])
    if (this.#head.length >= SAMPLE_BYTES) this.#start(this.#head, false)
  }

  end(): Omit<StoredFile, 'packedSha256'> {
    if (this.#head !== null) this.#start(this.#head, true)
    this.scanner.end()
    this.probe.end()
    return { bytes: this.#bytes, rows: Math.max(0, this.scanner.records - 1), sha256: this.#hash.digest('hex') }
  }

  #start(head: Buffer, isWhole: boolean): void {
    this.#head = null
    this.delimiter = enrichedDelimiter(head, isWhole)
    this.scanner = new RecordScanner(this.delimiter, true)
    this.scanner.push(head.subarray(byteOrderMark(head)?.bytes ?? 0))
  }
}
