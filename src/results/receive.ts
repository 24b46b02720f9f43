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
import { fileDigest } from '../files/file-chunks.ts'
import { isPacked, packed } from '../files/packed-file.ts'
import { RecordScanner } from '../input/scan/record-scanner.ts'
import { SAMPLE_BYTES, sniffDelimiter } from '../input/table/dialect.ts'
import { byteOrderMark } from '../input/text/encoding.ts'
import type { Download } from '../model/requests.ts'
import { enrichedPath, isEnrichedFile } from './file-names.ts'

export interface ReceivedFile {
  readonly bytes: number
  /** Records without the header. */
  readonly rows: number
  readonly sha256: string
  /** SHA-256 of the packed file. */
  readonly packedSha256: string
}

/** Whether the file at `path` is the one that was received, packed or not. */
export async function isAsReceived(path: string, { sha256, packedSha256 }: RecordedFile): Promise<boolean> {
  return (await fileDigest(path)) === (isPacked(path) ? packedSha256 : sha256)
}

type RecordedFile = Pick<ReceivedFile, 'sha256'> & { readonly packedSha256?: string | undefined }

/** Receives the files of one run. A doubtful file that arrives the same way twice is accepted: it was not cut. */
export class Receiver {
  readonly #workDir: string
  readonly #doubtful = new Map<number, string>()

  constructor(workDir: string) {
    this.#workDir = workDir
  }

  /** Throws FETTLE_DOWNLOAD_CUT, FETTLE_LEDGER, FETTLE_OUTPUT_WRITE, and errors of the body; the `.partial` is kept then. */
  async receive(part: number, download: Download, rows: number): Promise<ReceivedFile> {
    const path = enrichedPath(this.#workDir, part)
    const partial = `${path}.partial`
    const counter = new TableCounter()
    const hash = createHash('sha256')
    const handle = await attempt(partial, () => openExclusive(partial))
    try {
      for await (const piece of packed(counter.count(download.body))) {
        hash.update(piece)
        await attempt(partial, () => handle.writeFile(piece))
      }
      await attempt(partial, () => handle.sync())
    } finally {
      await attempt(partial, () => handle.close())
    }
    const received = { ...counter.end(), packedSha256: hash.digest('hex') }
    const complaint = this.#complaintAbout(part, counter, received, download.bytes, rows)
    if (complaint !== null) throw new FettleError(complaint.code, `${basename(partial)} ${complaint.why}`)
    await attempt(path, () => renameDurably(partial, path))
    return received
  }

  async remove(): Promise<void> {
    const names = await readdir(this.#workDir).catch((): string[] => [])
    for (const name of names.filter(isEnrichedFile)) await removeFile(join(this.#workDir, name)).catch(() => {})
  }

  #complaintAbout(
    part: number,
    { scanner }: TableCounter,
    received: ReceivedFile,
    announced: number | null,
    rows: number,
  ): Complaint | null {
    const counts = `${counted(received.bytes, 'byte')} and ${counted(received.rows, 'row')} came`
    if (announced !== null && received.bytes !== announced)
      return cut(`is incomplete: ${counts}, ${counted(announced, 'byte')} and ${counted(rows, 'row')} were due`)
    if (scanner.isQuoted) return cut(`ends inside a quoted cell: ${counts}, ${counted(rows, 'row')} due`)
    const isTorn = scanner.openEnded && (received.rows < rows || scanner.lastColumns < scanner.columns)
    if (isTorn) return cut(`ends inside a row: ${counts}, ${counted(rows, 'row')} due`)
    if (announced === null && (scanner.openEnded || received.rows < rows) && this.#doubtful.get(part) !== received.sha256) {
      this.#doubtful.set(part, received.sha256)
      return cut(`may be cut short, since its length was not announced: ${counts}, ${counted(rows, 'row')} due`)
    }
    if (received.rows !== rows)
      return { code: 'FETTLE_LEDGER', why: `is complete but has other rows: ${counts}, ${counted(rows, 'row')} sent` }
    const odd = scanner.ragged[0]
    if (odd === undefined) return null
    return { code: 'FETTLE_LEDGER', why: `has ${odd.found} cells on line ${odd.line} and ${scanner.columns} in its header` }
  }
}

interface Complaint {
  readonly code: 'FETTLE_DOWNLOAD_CUT' | 'FETTLE_LEDGER'
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
    this.#hash.update(piece)
    if (this.#head === null) {
      this.scanner.push(piece)
      return
    }
    this.#head = Buffer.concat([this.#head, piece])
    if (this.#head.length >= SAMPLE_BYTES) this.#start(this.#head, false)
  }

  end(): Omit<ReceivedFile, 'packedSha256'> {
    if (this.#head !== null) this.#start(this.#head, true)
    this.scanner.end()
    return { bytes: this.#bytes, rows: Math.max(0, this.scanner.records - 1), sha256: this.#hash.digest('hex') }
  }

  #start(head: Buffer, isWhole: boolean): void {
    this.#head = null
    this.scanner = new RecordScanner(enrichedDelimiter(head, isWhole), true)
    this.scanner.push(head.subarray(byteOrderMark(head)?.bytes ?? 0))
  }
}
