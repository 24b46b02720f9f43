/**
 * Rows as a Parquet file, written by row group in bounded memory: columns of the list keep their types, an empty cell is null. The same
 * rows give the same bytes. The packages are optional.
 */

import { FettleError } from '../errors.ts'
import { type ColumnType, TEXT, type TimeUnit, uniqueNames } from '../model/columns.ts'
import { installCommand } from '../package-file.ts'
import { OUTPUT_FORMATS } from './index.ts'
import type { RowFormat, UnfitCells } from './text-formats.ts'

type Physical = 'BOOLEAN' | 'INT32' | 'INT64' | 'FLOAT' | 'DOUBLE' | 'BYTE_ARRAY' | 'FIXED_LEN_BYTE_ARRAY'

/** What hyparquet-writer writes as the schema of a column. */
export interface ColumnSchema {
  readonly type: Physical
  readonly type_length?: number
  readonly converted_type?: 'UTF8' | 'DECIMAL' | 'DATE' | `${'INT' | 'UINT'}_${number}`
  readonly scale?: number
  readonly precision?: number
  readonly logical_type?: object
}

const UNITS: Readonly<Record<TimeUnit, string>> = { ms: 'MILLIS', us: 'MICROS', ns: 'NANOS' }

/** Decimal digits that a signed number of 32 and of 64 bits holds. */
const DIGITS_32 = 9
const DIGITS_64 = 18

function makeSchema(type: ColumnType): ColumnSchema {
  switch (type.is) {
    case 'string':
      return { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } }
    case 'uuid':
      return { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, logical_type: { type: 'UUID' } }
    case 'boolean':
      return { type: 'BOOLEAN' }
    case 'float16':
      return { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 2, logical_type: { type: 'FLOAT16' } }
    case 'float':
      return { type: 'FLOAT' }
    case 'double':
      return { type: 'DOUBLE' }
    case 'date':
      return { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } }
    case 'integer': {
      const { bits, isSigned } = type
      // No logical type: the package writes its width as another number than readers expect.
      return { type: bits === 64 ? 'INT64' : 'INT32', converted_type: `${isSigned ? 'INT' : 'UINT'}_${bits}` }
    }
    case 'decimal': {
      const { precision, scale } = type
      const logical = {
        converted_type: 'DECIMAL',
        precision,
        scale,
        logical_type: { type: 'DECIMAL', precision, scale },
      } as const
      if (precision <= DIGITS_32) return { type: 'INT32', ...logical }
      if (precision <= DIGITS_64) return { type: 'INT64', ...logical }
      return { type: 'FIXED_LEN_BYTE_ARRAY', type_length: Math.ceil((precision * Math.log2(10) + 1) / 8), ...logical }
    }
    case 'timestamp':
      return { type: 'INT64', logical_type: { type: 'TIMESTAMP', unit: UNITS[type.unit], isAdjustedToUTC: type.isUtc } }
    case 'time': {
      const logical_type = { type: 'TIME', unit: UNITS[type.unit], isAdjustedToUTC: false }
      return { type: type.unit === 'ms' ? 'INT32' : 'INT64', logical_type }
    }
  }
}

/** Bounds of these would be compared in another order than readers compare them in. */
const hasBounds = (type: ColumnType): boolean =>
  !['decimal', 'float16', 'uuid'].includes(type.is) && (type.is !== 'integer' || type.isSigned)

type Value = string | number | bigint | boolean

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['false', false],
  ['Y', true],
  ['N', false],
])
const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i
const NAMED_NUMBERS: readonly string[] = ['NaN', 'Infinity', '-Infinity']
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const DAY_MS = 86_400_000
const SECOND: Readonly<Record<TimeUnit, bigint>> = { ms: 1_000n, us: 1_000_000n, ns: 1_000_000_000n }

/** The value of a cell, null for an empty one, and undefined for one that the type cannot hold. */
export function cellValue(type: ColumnType, cell: string): Value | null | undefined {
  if (cell === '') return null
  switch (type.is) {
    case 'string':
      return cell
    case 'uuid':
      return UUID.test(cell) ? cell : undefined
    case 'boolean':
      return BOOLEANS.get(cell)
    case 'float16':
    case 'float':
    case 'double':
      return NUMBER.test(cell) || NAMED_NUMBERS.includes(cell) ? Number(cell) : undefined
    case 'date':
      return parseDay(cell)
    case 'integer':
      return parseInteger(type, cell)
    case 'decimal':
      return parseDecimal(type, cell)
    case 'timestamp':
      return parseMoment(type, cell)
    case 'time':
      return parseClock(type.unit, cell)
  }
}

function parseInteger({ bits, isSigned }: Extract<ColumnType, { is: 'integer' }>, cell: string): number | bigint | undefined {
  if (!/^-?\d{1,20}$/.test(cell)) return undefined
  const value = BigInt(cell)
  if ((isSigned ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value)) !== value) return undefined
  return bits === 64 ? value : Number(value)
}

function parseDecimal({ precision, scale }: Extract<ColumnType, { is: 'decimal' }>, cell: string): bigint | undefined {
  const [, sign, whole = '', places = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(cell) ?? []
  if (sign === undefined || places.length > Math.max(0, scale)) return undefined
  const digits = scale < 0 ? whole.slice(0, scale) || '0' : whole + places.padEnd(scale, '0')
  return digits.replace(/^0+/, '').length > precision ? undefined : BigInt(`${sign}${digits}`)
}

/** Days since 1970 of `2026-01-31`, also of years of six digits with a sign. */
function parseDay(cell: string): number | undefined {
  if (!/^(?:\d{4}|[+-]\d{6})-\d\d-\d\d$/.test(cell)) return undefined
  const at = Date.parse(`${cell}T00:00:00Z`)
  return Number.isNaN(at) || !new Date(at).toISOString().startsWith(cell) ? undefined : at / DAY_MS
}

/** `2026-01-31T08:15:00.250Z`, with as many places as there are; without `Z` in a column that has no time zone. */
function parseMoment({ unit, isUtc }: Extract<ColumnType, { is: 'timestamp' }>, cell: string): bigint | undefined {
  const [, day, clock, zone] = /^(\S+?)T(\S+?)(Z?)$/.exec(cell) ?? []
  const days = day === undefined ? undefined : parseDay(day)
  const parts = clock === undefined ? undefined : clockParts(unit, clock)
  if (days === undefined || parts === undefined || (zone === 'Z') !== isUtc) return undefined
  const value = BigInt(days) * 86_400n * SECOND[unit] + parts
  return BigInt.asIntN(64, value) === value ? value : undefined
}

function parseClock(unit: TimeUnit, cell: string): number | bigint | undefined {
  const parts = clockParts(unit, cell)
  return unit === 'ms' && parts !== undefined ? Number(parts) : parts
}

/** Parts of a second since midnight. */
function clockParts(unit: TimeUnit, clock: string): bigint | undefined {
  const [, hours, minutes, seconds, fraction = ''] = /^([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,9}))?$/.exec(clock) ?? []
  const places = String(SECOND[unit]).length - 1
  if (hours === undefined || /[1-9]/.test(fraction.slice(places))) return undefined
  const whole = BigInt(Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds))
  return whole * SECOND[unit] + BigInt(fraction.slice(0, places).padEnd(places, '0'))
}

/** A row group ends at one of both, since it is in memory until it is written. */
const GROUP_ROWS = 32_768
const GROUP_CHARACTERS = 8 * 1024 * 1024
/** Numbers of rows that a warning names. */
const FIRST = 3

type Package = typeof import('hyparquet-writer')

/** Throws FETTLE_SETTINGS with the command that installs it. */
export async function loadParquetWriter(): Promise<Package> {
  try {
    return await import('hyparquet-writer')
  } catch (cause) {
    throw new FettleError('FETTLE_SETTINGS', 'an output is a Parquet file, and the packages that write it are not installed', {
      hint: `Install them beside fettle: ${installCommand(...OUTPUT_FORMATS.parquet.packages)}`,
      cause,
    })
  }
}

interface ParquetTable {
  readonly names: readonly string[]
  readonly types?: readonly ColumnType[]
}

export async function parquetFormat({ names, types = [] }: ParquetTable): Promise<RowFormat<Buffer>> {
  const { ByteWriter, ParquetWriter } = await loadParquetWriter()
  const columns = uniqueNames(names).map((name, at) => new Column(name, types[at] ?? TEXT))
  const bytes = new ByteWriter(1024 * 1024)
  const root = { name: 'schema', num_children: columns.length }
  const schema = [root, ...columns.map(({ name, type }) => ({ name, repetition_type: 'OPTIONAL', ...makeSchema(type) }))]
  const writer = new ParquetWriter({ writer: bytes, schema: schema as never, createdBy: 'fettle' })
  let rows = 0
  let characters = 0
  /** The buffer is used again; offsets in the file go on. */
  const take = (): Buffer => {
    const written = Buffer.from(bytes.getBytes())
    bytes.index = 0
    return written
  }
  const writeGroup = (): void => {
    if (rows === 0) return
    const columnData = columns.map(({ name, type, take }) => ({ name, data: take() as never, statistics: hasBounds(type) }))
    writer.write({ columnData, rowGroupSize: rows })
    rows = characters = 0
  }
  return {
    head: take(),
    render(batch) {
      for (const row of batch) {
        for (const [at, column] of columns.entries()) {
          const cell = row[at] ?? ''
          column.add(cell)
          characters += cell.length
        }
        if (++rows >= GROUP_ROWS || characters >= GROUP_CHARACTERS) writeGroup()
      }
      return take()
    },
    end() {
      writeGroup()
      writer.finish()
      return take()
    },
    unfit: () => columns.flatMap(({ unfit }) => (unfit.count === 0 ? [] : [unfit])),
  }
}

class Column {
  readonly name: string
  readonly type: ColumnType
  readonly unfit: { -readonly [key in keyof UnfitCells]: UnfitCells[key] }
  #row = 0
  #values: unknown[] = []

  constructor(name: string, type: ColumnType) {
    this.name = name
    this.type = type
    this.unfit = { column: name, type: type.name, count: 0, rows: [] }
  }

  add(cell: string): void {
    this.#row++
    const value = cellValue(this.type, cell)
    if (value === undefined && this.unfit.count++ < FIRST) this.unfit.rows = [...this.unfit.rows, this.#row]
    this.#values.push(value ?? null)
  }

  readonly take = (): unknown[] => {
    const values = this.#values
    this.#values = []
    return values
  }
}
