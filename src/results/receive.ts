/**
 * The enriched file on its way in: streamed to a `.partial` beside its final name, counted and hashed as it comes, renamed only
 * when it is whole. An ended connection proves nothing, so length, structure and rows must all agree.
 */

import { createHash } from 'node:crypto'
import { unlink } from 'node:fs/promises'
import { basename } from 'node:path'
import { FettleError } from '../errors.ts'
import { attempt, openExclusive } from '../files/atomic-file.ts'
import { renameDurably } from '../files/durable.ts'
import { RecordScanner } from '../input/scan/record-scanner.ts'
import { SAMPLE_BYTES, sniffDelimiter } from '../input/table/dialect.ts'
import { byteOrderMark } from '../input/text/encoding.ts'
import type { Download } from '../model/requests.ts'
import { enrichedPath } from './file-names.ts'

/** A file that is whole. */
export interface ReceivedFile {
  readonly bytes: number
  /** Records without the header. */
  readonly rows: number
  readonly sha256: string
}

/** Receives the files of one run. It remembers what came doubtful, since a file that comes the same way twice was not cut. */
export class Receiver {
  readonly #workDir: string
  readonly #doubtful = new Map<number, string>()

  constructor(workDir: string) {
    this.#workDir = workDir
  }

  /** Throws FETTLE_DOWNLOAD_CUT, FETTLE_LEDGER, FETTLE_OUTPUT_WRITE, and whatever the body throws; a `.partial` is kept then. */
  async receive(part: number, download: Download, rows: number): Promise<ReceivedFile> {
    const path = enrichedPath(this.#workDir, part)
    const partial = `${path}.partial`
    const counter = new TableCounter()
    const handle = await attempt(partial, () => openExclusive(partial))
    try {
      for await (const piece of download.body) {
        counter.push(piece)
        await attempt(partial, () => handle.writeFile(piece))
      }
      await attempt(partial, () => handle.sync())
    } finally {
      await attempt(partial, () => handle.close())
    }
    const received = counter.end()
    const complaint = this.#judge(part, counter, received, download.bytes, rows)
    if (complaint !== null) throw new FettleError(complaint.code, `${basename(partial)} ${complaint.why}`)
    await attempt(path, () => renameDurably(partial, path))
    return received
  }

  /** Removes the files that were received. */
  async remove(): Promise<void> {
    const isGone = (part: number) =>
      unlink(enrichedPath(this.#workDir, part)).then(
        () => true,
        () => false,
      )
    for (let part = 0; await isGone(part); ) part++
  }

  #judge(part: number, { scanner }: TableCounter, got: ReceivedFile, announced: number | null, rows: number): Complaint | null {
    const counts = `${got.bytes} bytes and ${got.rows} rows came`
    if (announced !== null && got.bytes !== announced)
      return cut(`is not whole: ${counts}, ${announced} bytes and ${rows} rows were due`)
    if (scanner.isQuoted) return cut(`ends inside a quoted cell: ${counts}, ${rows} rows were due`)
    const isTorn = scanner.openEnded && (got.rows < rows || scanner.lastColumns < scanner.columns)
    if (isTorn) return cut(`ends inside a row: ${counts}, ${rows} rows were due`)
    if (announced === null && (scanner.openEnded || got.rows < rows) && this.#doubtful.get(part) !== got.sha256) {
      this.#doubtful.set(part, got.sha256)
      return cut(`may be cut short, since its length was not announced: ${counts}, ${rows} rows were due`)
    }
    if (got.rows !== rows) return { code: 'FETTLE_LEDGER', why: `is whole but has other rows: ${counts}, ${rows} rows were sent` }
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

/** The delimiter of an enriched file: told from its head, a comma when that is not clear. */
export function enrichedDelimiter(head: Buffer, isWhole: boolean): string {
  return sniffDelimiter(head.subarray(byteOrderMark(head)?.bytes ?? 0, SAMPLE_BYTES), isWhole).delimiter ?? ','
}

/** Counts a table as it streams by; holds back the first 64 KiB until the delimiter is known. */
class TableCounter {
  scanner = new RecordScanner(',', true)
  #bytes = 0
  #head: Buffer | null = Buffer.alloc(0)
  readonly #hash = createHash('sha256')

  push(piece: Uint8Array): void {
    this.#bytes += piece.length
    this.#hash.update(piece)
    if (this.#head === null) {
      this.scanner.push(piece)
      return
    }
    this.#head = Buffer.concat([this.#head, piece])
    if (this.#head.length >= SAMPLE_BYTES) this.#start(this.#head, false)
  }

  end(): ReceivedFile {
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
