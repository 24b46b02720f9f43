/**
 * The types of columns, and their names as plans record them: those of Parquet, which databases have, too. A cell is text in any case;
 * the type decides how an output writes it.
 */

export type TimeUnit = 'ms' | 'us' | 'ns'

type PlainType = 'string' | 'uuid' | 'boolean' | 'float16' | 'float' | 'double' | 'date'

/** `name` is how plans and messages write it, such as `decimal(10,2)`. */
export type ColumnType =
  | { readonly is: PlainType; readonly name: string }
  /** Numbers where the cells are numbers, else text: of a workbook, whose columns have no type. */
  | { readonly is: 'mixed'; readonly name: 'mixed' }
  | { readonly is: 'integer'; readonly bits: number; readonly isSigned: boolean; readonly name: string }
  | { readonly is: 'decimal'; readonly scale: number; readonly precision: number; readonly name: string }
  | { readonly is: 'timestamp'; readonly unit: TimeUnit; readonly isUtc: boolean; readonly name: string }
  | { readonly is: 'time'; readonly unit: TimeUnit; readonly name: string }

export const TEXT: ColumnType = { is: 'string', name: 'string' }
export const MIXED: ColumnType = { is: 'mixed', name: 'mixed' }

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
