/** Columns: their types, named as plans record them, and their names, also of a table without a header and in the files of an output. */

export type TimeUnit = 'ms' | 'us' | 'ns'

type PlainType = 'string' | 'uuid' | 'boolean' | 'float16' | 'float' | 'double' | 'date'

/** `name` is how plans and messages write it, such as `decimal(10,2)`. */
export type ColumnType =
  | { readonly is: PlainType; readonly name: string }
  | { readonly is: 'integer'; readonly bits: number; readonly isSigned: boolean; readonly name: string }
  | { readonly is: 'decimal'; readonly scale: number; readonly precision: number; readonly name: string }
  | { readonly is: 'timestamp'; readonly unit: TimeUnit; readonly isUtc: boolean; readonly name: string }
  | { readonly is: 'time'; readonly unit: TimeUnit; readonly name: string }

export const TEXT: ColumnType = { is: 'string', name: 'string' }

/** A column of a workbook, from 0: what its cells are that are not text, how they are shown, and its width in characters; absent for none. */
export interface SheetColumn {
  readonly index: number
  readonly is?: 'number' | 'date' | 'boolean'
  /** The code of the number format, or the number of a built-in one (ECMA-376 part 1, 18.8.30). */
  readonly format?: string | number
  readonly width?: number
}

const PLAIN: readonly string[] = ['uuid', 'boolean', 'float16', 'float', 'double', 'date'] satisfies PlainType[]

/** The type of a recorded name; text for one that this version does not know. */
export function columnTypeOf(name: string): ColumnType {
  if (PLAIN.includes(name)) return { is: name as PlainType, name }
  const [, word = '', args = ''] = /^([a-z]+?)\d*(?:\((.*)\))?$/.exec(name) ?? []
  const [first = '', second = ''] = args.split(',')
  if (word === 'int' || word === 'uint')
    return { is: 'integer', bits: Number(/\d+/.exec(name)?.[0] ?? 64), isSigned: word === 'int', name }
  // Without a precision it is of a database, and other formats have no such type.
  if (word === 'decimal')
    return args === '' ? { is: 'string', name } : { is: 'decimal', precision: Number(first), scale: Number(second), name }
  if (word === 'timestamp') return { is: 'timestamp', unit: first as TimeUnit, isUtc: second === 'utc', name }
  if (word === 'time') return { is: 'time', unit: first as TimeUnit, name }
  return TEXT
}

const ALL_COLUMNS = '*'

/** Which columns an output has, and how they are named in its files. */
export interface OutputColumns {
  /** `*` means the input's columns that are neither in `own` nor in `replaced`, in order; the rest are enrichment tags or match.* columns. */
  readonly columns: readonly string[]
  /** Columns of the input that `columns` names, and their indices in it; absent for none. */
  readonly own?: Readonly<Record<string, number>>
  /** Indices of columns of the input that an earlier result added and this output adds again; absent for none. */
  readonly replaced?: readonly number[]
  /** Names for some of the columns; absent for none. */
  readonly rename?: Readonly<Record<string, string>>
  /** `snake`: every other column is named in lower case with underscores. */
  readonly names?: 'snake'
}

/** An output's columns in their order: `index` is the place of a column of the input, which has `count` columns; null for a column of the result. */
export function listColumns(
  { columns, own = {}, replaced = [] }: OutputColumns,
  count: number,
): { readonly name: string; readonly index: number | null }[] {
  const named = new Set([...Object.values(own), ...replaced])
  const rest = Array.from({ length: count }, (_, index) => index).filter(index => !named.has(index))
  return columns.flatMap((name): { name: string; index: number | null }[] =>
    name === ALL_COLUMNS ? rest.map(index => ({ name, index })) : [{ name, index: own[name] ?? null }],
  )
}

/** The names of an output's columns; the input has the `headers`. Without `rename` and `names` they may repeat. */
export function outputNames(output: OutputColumns, headers: readonly string[]): string[] {
  const { rename = {}, names } = output
  const all = listColumns(output, headers.length).map(({ name, index }): { name: string; as?: string | undefined } => ({
    name: index === null ? name : headers[index]!,
    as: name === ALL_COLUMNS ? undefined : rename[name],
  }))
  const given = new Set(all.flatMap(({ as }) => as ?? []))
  if (names === undefined) return all.map(({ name, as }) => as ?? name)
  const free = uniqueNames(
    all.flatMap(({ name, as }, at) => (as === undefined ? [snakeCase(name, at)] : [])),
    given,
  )
  return all.map(({ as }) => as ?? free.shift()!)
}

/** Letters of Latin alphabets that do not decompose. */
const LETTERS: Readonly<Record<string, string>> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', þ: 'th' }

/** `general.connectId` -> `general_connect_id`, `Company Name` -> `company_name`; a name without Latin letters and digits becomes its position. */
export function snakeCase(name: string, at: number): string {
  const words = name
    .replace(/[ßÆæŒœØøŁłĐđÞþ]/g, letter => LETTERS[letter.toLowerCase()]!)
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
  return words === '' ? `column_${at + 1}` : words.replace(/^(?=\d)/, '_')
}

/** Names made different: the second `Name` is `Name_2`, an empty one is called after its column as in contract §5.4. */
export function uniqueNames(names: readonly string[], taken: Iterable<string> = []): string[] {
  const used = new Set<string>(taken)
  return names.map((name, index) => {
    const base = name === '' ? columnName(index) : name
    let unique = base
    for (let n = 2; used.has(unique); n++) unique = `${base}_${n}`
    used.add(unique)
    return unique
  })
}

/** What `dedupe` adds to a row: its group of rows that are one company, their number, whether it is the one to keep, and a group that may be the same. */
export const GROUP_COLUMNS = ['dup.group', 'dup.size', 'dup.keep', 'dup.perhaps'] as const

/** The name of a column without one: `COLUMN A`, `COLUMN B` … `COLUMN AA` (contract §5.4). */
export const columnName = (index: number): string => `COLUMN ${columnLetters(index)}`

/** How a spreadsheet numbers its columns: A, B … Z, AA. */
export const columnLetters = (index: number): string =>
  (index < 26 ? '' : columnLetters(Math.floor(index / 26) - 1)) + String.fromCharCode(65 + (index % 26))
