/** Columns and mappings of a pipeline file, from their short forms to rules. */
import { z } from 'zod'
import { MAPPINGS, type Mapping } from '../../contract/index.ts'
import { flag, listOf, map, orNull, text, whole } from './forms.ts'

const header = text('a header of the input')
const index = () => whole(0, 1023).describe('Zero-based column, for a file without a header.')

export type ColumnReference =
  | { readonly header: string; readonly index: null }
  | { readonly header: null; readonly index: number }
export const columnReference = z
  .union([header, map({ index: index() })], { error: 'a header of the input, or {index: 0}' })
  .transform(
    (given): ColumnReference => (typeof given === 'string' ? { header: given, index: null } : { header: null, ...given }),
  )

const mapping = z.union(
  [
    header,
    map({
      from: z
        .union([header, listOf(header, 'a list of headers', 1, 20)], { error: 'a header of the input, or a list of headers' })
        .optional()
        .describe('The header, or several: the first that exists is taken.'),
      index: orNull(index()),
      value: orNull(text('a text', 500)).describe('The same text in every row, in place of a column.'),
      pad: orNull(whole(1, 32)).describe('Pad all-digit cells with zeros on the left to this many digits.'),
      trim: flag().prefault(false).describe('Leave out space around a cell, and make space in it one blank.'),
      optional: flag().prefault(false).describe('Leave the mapping out when no such header exists.'),
    }),
  ],
  { error: 'a header of the input, or {from, index, value, pad, trim, optional}' },
)
const COLUMN = { index: null, value: null, pad: null, trim: false, optional: false } as const

/** In the service's order of names. `from` is empty for an index and for a constant `value`, the same text in every row. */
function mappingRules(given: { readonly [M in Mapping]?: z.output<typeof mapping> }) {
  return MAPPINGS.flatMap(name => {
    const entry = given[name]
    if (entry === undefined) return []
    if (typeof entry === 'string') return [{ ...COLUMN, mapping: name, from: [entry] }]
    const { from = [] } = entry
    return [{ ...entry, mapping: name, from: typeof from === 'string' ? [from] : from }]
  })
}
/** One mapping: headers (the first that exists is taken), an index, or a constant text. */
export type MappingRule = ReturnType<typeof mappingRules>[number]

const mappingShape = Object.fromEntries(
  MAPPINGS.map(name => [name, mapping.optional().describe(`The column that holds ${name}.`)]),
) as unknown as Record<Mapping, z.ZodOptional<typeof mapping>>

export const mappings = map(mappingShape).describe("The service's mapping name: your header.").transform(mappingRules)
