/** Packs an output by gzip (RFC 1952) batch by batch, in constant memory. The same rows give the same bytes. */
import { constants, crc32, deflateRawSync } from 'node:zlib'
import type { RowFormat } from './text-formats.ts'

/** Deflate, no flags, no time, no system: bytes that depend on nothing but the content. */
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])

export function gzipped({ head, render, end }: RowFormat): RowFormat<Buffer> {
  let crc = 0
  let bytes = 0
  /** Each batch ends on a byte, so that batches can follow each other. */
  const pack = (content: string | Buffer): Buffer => {
    const raw = Buffer.from(content)
    crc = crc32(raw, crc)
    bytes += raw.length
    return deflateRawSync(raw, { finishFlush: constants.Z_FULL_FLUSH })
  }
  const close = (): Buffer => {
    const trailer = Buffer.alloc(8)
    trailer.writeUInt32LE(crc, 0)
    trailer.writeUInt32LE(bytes % 2 ** 32, 4)
    return Buffer.concat([deflateRawSync(''), trailer])
  }
  return {
    head: Buffer.concat([HEADER, pack(head)]),
    render: rows => pack(render(rows)),
    end: () => Buffer.concat([pack(end?.() ?? ''), close()]),
  }
}
