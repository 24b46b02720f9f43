/**
 * The types of Parquet columns, and the text of their values: digits for numbers (a decimal with all of its places), true and false,
 * 2026-01-31 for a date, 2026-01-31T08:15:00Z for a moment (without Z where the file has no time zone), an empty cell for null.
 */

import type { ColumnType, TimeUnit } from '../../model/columns.ts'

/** A column of the schema in a file's footer, as hyparquet reads it. */
export interface SchemaElement {
  readonly name: string
  readonly type?: string
  readonly type_length?: number
  readonly repetition_type?: string
  readonly num_children?: number
  readonly converted_type?: string
  readonly logical_type?: {
    readonly type: string
    readonly unit?: string
    readonly isAdjustedToUTC?: boolean
    readonly bitWidth?: number
    readonly isSigned?: boolean
  }
  readonly scale?: number
  readonly precision?: number
}

const UNITS: Readonly<Record<string, TimeUnit>> = { MILLIS: 'ms', MICROS: 'us', NANOS: 'ns' }
/** Names of the older notation that have a newer one. */
const CONVERTED: Readonly<Record<string, Pick<SchemaElement, 'logical_type'>>> = {
  TIMESTAMP_MILLIS: { logical_type: { type: 'TIMESTAMP', unit: 'MILLIS', isAdjustedToUTC: true } },
  TIMESTAMP_MICROS: { logical_type: { type: 'TIMESTAMP', unit: 'MICROS', isAdjustedToUTC: true } },
  TIME_MILLIS: { logical_type: { type: 'TIME', unit: 'MILLIS' } },
  TIME_MICROS: { logical_type: { type: 'TIME', unit: 'MICROS' } },
}

const plain = (is: 'string' | 'uuid' | 'boolean' | 'float16' | 'float' | 'double' | 'date'): ColumnType => ({ is, name: is })
const integer = (bits: number, isSigned: boolean): ColumnType => ({
  is: 'integer',
  bits,
  isSigned,
  name: `${isSigned ? '' : 'u'}int${bits}`,
})

/** The type of a column, or why it has no text. */
export function columnType(element: SchemaElement): ColumnType | { readonly refused: string } {
  const { converted_type: converted = '' } = element
  // Writers set both; the older notation does not know moments without a time zone.
  const logical = element.logical_type ?? CONVERTED[converted]?.logical_type
  const kind = logical?.type ?? ''
  if ((element.num_children ?? 0) > 0) return { refused: 'it is nested (a list, a map or a struct)' }
  if (element.repetition_type === 'REPEATED') return { refused: 'it is a list' }
  if (kind === 'DECIMAL' || converted === 'DECIMAL') {
    const [precision, scale] = [element.precision ?? 0, element.scale ?? 0]
    return { is: 'decimal', scale, precision, name: `decimal(${precision},${scale})` }
  }
  const unit = UNITS[logical?.unit ?? ''] ?? 'ms'
  if (kind === 'TIMESTAMP') {
    const isUtc = logical?.isAdjustedToUTC === true
    return { is: 'timestamp', unit, isUtc, name: `timestamp(${unit}${isUtc ? ',utc' : ''})` }
  }
  if (kind === 'TIME') return { is: 'time', unit, name: `time(${unit})` }
  if (kind === 'DATE' || converted === 'DATE') return plain('date')
  if (kind === 'UUID') return plain('uuid')
  if (kind === 'FLOAT16') return plain('float16')
  if (kind === 'INTEGER') return integer(logical?.bitWidth ?? 32, logical?.isSigned !== false)
  const [, sign, bits] = /^(U?)INT_(\d+)$/.exec(converted) ?? []
  if (bits !== undefined) return integer(Number(bits), sign === '')
  const isText = ['STRING', 'ENUM', 'JSON'].includes(kind) || ['UTF8', 'ENUM', 'JSON'].includes(converted)
  if (kind !== '' && !isText) return { refused: `its type ${kind.toLowerCase()} has no text` }
  if (converted !== '' && !isText) return { refused: `its type ${converted.toLowerCase()} has no text` }
  // Older writers leave out that bytes are text; bytes that are not are refused when they are read.
  if (element.type === 'BYTE_ARRAY' || isText) return plain('string')
  if (element.type === 'BOOLEAN') return plain('boolean')
  if (element.type === 'INT32') return integer(32, true)
  if (element.type === 'INT64') return integer(64, true)
  // Nanoseconds that writers cut to microseconds, of years that 64 bits of nanoseconds do not reach.
  if (element.type === 'INT96') return { is: 'timestamp', unit: 'ns', isUtc: false, name: 'timestamp(us)' }
  if (element.type === 'FLOAT') return plain('float')
  if (element.type === 'DOUBLE') return plain('double')
  return { refused: `its type ${(element.type ?? 'unknown').toLowerCase()} has no text` }
}

/** A value as hyparquet returns it without its logical type. */
type Raw = number | bigint | boolean | Uint8Array

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text of a value. Throws a TypeError for bytes that are not UTF-8, a RangeError for a moment that no calendar has. */
export function formatValue(type: ColumnType, raw: Raw | null | undefined): string {
  if (raw === null || raw === undefined) return ''
  switch (type.is) {
    case 'string':
      return utf8.decode(raw as Uint8Array)
    case 'uuid':
      return hex(raw as Uint8Array).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
    case 'boolean':
      return raw === true || raw === 1 ? 'true' : 'false'
    case 'integer':
      return type.isSigned ? String(raw) : String(BigInt.asUintN(Math.max(32, type.bits), BigInt(raw as number | bigint)))
    case 'float16':
      return String(half(raw as Uint8Array))
    case 'float':
      return shortFloat(raw as number)
    case 'double':
      return String(raw)
    case 'decimal':
      return pointed(raw instanceof Uint8Array ? signed(raw) : BigInt(raw as number | bigint), type.scale)
    case 'date':
      return dayText(Number(raw))
    case 'timestamp':
      return momentText(BigInt(raw as number | bigint), type.unit) + (type.isUtc ? 'Z' : '')
    case 'time':
      return clockText(BigInt(raw as number | bigint), type.unit)
  }
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

/** A number in two's complement, the highest byte first. */
const signed = (bytes: Uint8Array): bigint =>
  bytes.length === 0 ? 0n : BigInt.asIntN(bytes.length * 8, BigInt(`0x${hex(bytes)}`))

function pointed(digits: bigint, scale: number): string {
  if (scale <= 0) return String(digits * 10n ** BigInt(-scale))
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0')
  return `${digits < 0n ? '-' : ''}${text.slice(0, -scale)}.${text.slice(-scale)}`
}

/** The shortest text that is the same 32-bit number: 0.1, not 0.10000000149011612. */
function shortFloat(value: number): string {
  for (let digits = 6; digits < 10; digits++) {
    const text = value.toPrecision(digits)
    if (Math.fround(Number(text)) === value) return String(Number(text))
  }
  return String(value)
}

function half(bytes: Uint8Array): number {
  const bits = (bytes[1]! << 8) | bytes[0]!
  const sign = bits >> 15 === 1 ? -1 : 1
  const [exponent, fraction] = [(bits >> 10) & 0x1f, bits & 0x3ff]
  if (exponent === 0) return (sign * fraction) / 2 ** 24
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  return sign * 2 ** (exponent - 15) * (1 + fraction / 1024)
}

const DAY_MS = 86_400_000
/** Parts of a second in a unit, and how many digits they have. */
const PARTS: Readonly<Record<TimeUnit, readonly [parts: bigint, digits: number]>> = {
  ms: [1_000n, 3],
  us: [1_000_000n, 6],
  ns: [1_000_000_000n, 9],
}

const dayText = (days: number): string => new Date(days * DAY_MS).toISOString().replace(/T.*/, '')

/** Three, six or nine places, as many as are needed: the same moment has the same text in every unit. */
function fraction(parts: bigint, digits: number): string {
  if (parts === 0n) return ''
  let text = String(parts).padStart(digits, '0')
  while (text.endsWith('000')) text = text.slice(0, -3)
  return `.${text}`
}

function momentText(value: bigint, unit: TimeUnit): string {
  const [parts, digits] = PARTS[unit]
  // Rounded down, also before 1970.
  const rest = ((value % parts) + parts) % parts
  const seconds = (value - rest) / parts
  return new Date(Number(seconds) * 1000).toISOString().replace(/\.\d+Z$/, '') + fraction(rest, digits)
}

function clockText(value: bigint, unit: TimeUnit): string {
  const [parts, digits] = PARTS[unit]
  const seconds = Number(value / parts)
  const two = (part: number): string => String(part).padStart(2, '0')
  return `${two(Math.floor(seconds / 3600))}:${two(Math.floor(seconds / 60) % 60)}:${two(seconds % 60)}${fraction(value % parts, digits)}`
}
