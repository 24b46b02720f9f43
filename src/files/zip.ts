/**
 * Writes and reads the records of a ZIP archive (PKWARE APPNOTE 6.3), up to 4 GiB. Records have a fixed time, so that the same content
 * gives the same bytes. yauzl and yazl would not be less code: the workbook reader unpacks from memory under its own limits, and the
 * writer streams one member of unknown size.
 */
import { crc32, inflateRawSync } from 'node:zlib'

export interface Member {
  readonly name: string
  readonly method: number
  readonly crc: number
  readonly packed: number
  readonly bytes: number
  readonly offset: number
}

const STORED = 0
export const DEFLATED = 8
const ENCRYPTED = 0x0001
const SIZES_FOLLOW = 0x0008
const UTF8 = 0x0800
/** 1 January 1980, midnight: the earliest date a record can have. */
const DATE = 0x0021
const VERSION = 20
const LOCAL = 0x04034b50
const DESCRIPTOR = 0x08074b50
const CENTRAL = 0x02014b50
const END = 0x06054b50
const END_BYTES = 22
/** Larger sizes need a ZIP64 record. */
const MAX_BYTES = 0xffff_fffe

/** A record: little-endian numbers, each as many bytes wide as its digit in `widths`, and a text. */
function record(widths: string, values: readonly number[], text = ''): Buffer {
  const sizes = [...widths].map(Number)
  const bytes = Buffer.alloc(sizes.reduce((sum, size) => sum + size))
  let at = 0
  for (const [index, size] of sizes.entries()) at = bytes.writeUIntLE(values[index]!, at, size)
  return Buffer.concat([bytes, Buffer.from(text)])
}

export function localHeader(name: string, method: number, sizes?: Member): Buffer {
  const flags = sizes === undefined ? SIZES_FOLLOW | UTF8 : UTF8
  const { crc, packed, bytes } = sizes ?? { crc: 0, packed: 0, bytes: 0 }
  const length = Buffer.byteLength(name)
  return record('42222244422', [LOCAL, VERSION, flags, method, 0, DATE, crc, packed, bytes, length, 0], name)
}

export const dataDescriptor = ({ crc, packed, bytes }: Member): Buffer => record('4444', [DESCRIPTOR, crc, packed, bytes])

export function centralDirectory(members: readonly Member[], offset: number): Buffer {
  const list = Buffer.concat(
    members.map(({ name, method, crc, packed, bytes, offset: at }) => {
      const flags = method === STORED ? UTF8 : SIZES_FOLLOW | UTF8
      const rest = [crc, packed, bytes, Buffer.byteLength(name), 0, 0, 0, 0, 0, at]
      return record('42222224442222244', [CENTRAL, VERSION, VERSION, flags, method, 0, DATE, ...rest], name)
    }),
  )
  const count = members.length
  return Buffer.concat([list, record('42222442', [END, 0, 0, count, count, list.length, offset, 0])])
}

/** The members that an archive lists; null when the bytes are not an archive, or are cut short. */
export function readDirectory(archive: Buffer): Member[] | null {
  const last = archive.length - END_BYTES
  // A comment of up to 64 KiB may follow the end record.
  for (let at = last; at >= Math.max(0, last - 0xffff); at--) {
    if (archive.readUInt32LE(at) !== END || archive.readUInt16LE(at + 20) !== last - at) continue
    return readEntries(archive, archive.readUInt32LE(at + 16), archive.readUInt16LE(at + 10), at)
  }
  return null
}

function readEntries(archive: Buffer, start: number, count: number, end: number): Member[] | null {
  const members: Member[] = []
  for (let at = start; members.length < count; ) {
    if (at + 46 > end || archive.readUInt32LE(at) !== CENTRAL) return null
    const [nameLength, extraLength, noteLength] = [28, 30, 32].map(place => archive.readUInt16LE(at + place))
    const [crc, packed, bytes, offset] = [16, 20, 24, 42].map(place => archive.readUInt32LE(at + place))
    const name = archive.toString('utf8', at + 46, at + 46 + nameLength!)
    const method = (archive.readUInt16LE(at + 8) & ENCRYPTED) === 0 ? archive.readUInt16LE(at + 10) : -1
    members.push({ name, method, crc: crc!, packed: packed!, bytes: bytes!, offset: offset! })
    at += 46 + nameLength! + extraLength! + noteLength!
  }
  return members
}

/** The bytes of a member, `most` at most. Throws an Error for one that is damaged, larger, or packed another way. */
export function unpack(archive: Buffer, { name, method, crc, packed, bytes, offset }: Member, most: number): Buffer {
  if (method !== STORED && method !== DEFLATED) throw new Error(`${name} is encrypted, or packed in an unknown way`)
  if (bytes > most || Math.max(bytes, packed, offset) > MAX_BYTES) throw new Error(`${name} is larger than ${most} bytes`)
  const isThere = offset + 30 <= archive.length && archive.readUInt32LE(offset) === LOCAL
  const start = isThere ? offset + 30 + archive.readUInt16LE(offset + 26) + archive.readUInt16LE(offset + 28) : 0
  if (!isThere || start + packed > archive.length) throw new Error(`${name} is not at its listed offset`)
  const data = archive.subarray(start, start + packed)
  // The size in the list is a claim: unpacking stops there.
  const unpacked = method === STORED ? data : inflateRawSync(data, { maxOutputLength: Math.max(bytes, 1) })
  if (unpacked.length !== bytes || crc32(unpacked) !== crc) throw new Error(`${name} is damaged`)
  return unpacked
}
