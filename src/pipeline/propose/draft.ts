/**
 * Turns a proposal into a pipeline: as the value that `clean` runs, and as the commented file that `init` writes. The file may be
 * committed, so it holds no cell of the list.
 */

import type { Mapping } from '../../contract/index.ts'
import { counted, listSome } from '../../counted.ts'
import { defined } from '../../defined.ts'
import { filledRows } from '../../model/list.ts'
import type { InputFacts } from '../model/types.ts'
import type { PipelineInput } from '../schema/schema.ts'
import { literal } from '../source/interpolate.ts'
import { show } from '../source/quote.ts'
import { fold } from './claims.ts'
import { columnReference, flow } from './mapping-line.ts'
import { chosen, columnName, type Proposal, type Proposed } from './propose.ts'

export interface DraftOptions {
  readonly facts: InputFacts
  /** How the file must be read beyond what is found by looking: keys of `input`. */
  readonly reading: Readonly<Record<string, unknown>>
  readonly output: NonNullable<PipelineInput['output']>
  readonly prefix?: string
  /** Imported registers, which `register` then names; no line if absent or empty. */
  readonly registers?: readonly string[]
}

const EXTENSIONS = /(\.(csv|tsv|tab|txt|xlsx|parquet|jsonl|ndjson|json|gz))+$/i

/** What files about a list are called: the name of its file, the names of several, or the folder of all. */
export function listStem(path: string): string {
  const steps = path.split(/[/\\]/).filter(step => step !== '')
  if (!/[*?[{]/.test(path)) return (steps.at(-1) ?? '').replace(EXTENSIONS, '')
  const nameOf = (one: string): string => one.slice(Math.max(one.lastIndexOf('/'), one.lastIndexOf('\\')) + 1)
  const names = path.split(/[{},]+/).map(part =>
    nameOf(part)
      .replace(EXTENSIONS, '')
      .replace(/[*?[\]]+/g, ''),
  )
  const stem = names.filter(name => /[\p{L}\p{N}]/u.test(name)).join('-')
  const folder = steps.at(-2) ?? ''
  return (stem || (/[*?[{]/.test(folder) ? '' : folder) || 'list').slice(0, 80)
}

/** The name of a pipeline for a file: `Lieferanten 2026.csv` is `lieferanten-2026`. */
const nameFor = (path: string, prefix: string): string => {
  const plain = fold(listStem(path))
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return `${prefix}${plain === '' ? 'list' : plain}`.slice(0, 60).replace(/-$/, '')
}

/** Where decisions about a list are stored if nothing else is named: one file, shared by `clean` and the pipeline of the list. */
export const nameDecisionsFile = (pipeline: string): string => `decisions/${pipeline.replace(/^clean-/, '')}.csv`

export function draftOf(proposal: Proposal, { facts, reading, output, prefix = '' }: DraftOptions): PipelineInput {
  const { mappings, key } = chosen(proposal)
  const reference = ({ column: { header, index } }: Proposed) => columnReference(header, index, facts.header)
  const path = literal(facts.path)
  const extra = defined({ ...reading, key: key === null ? undefined : reference(key) })
  return {
    name: nameFor(facts.path, prefix),
    input: Object.keys(extra).length === 0 ? path : { path, ...extra },
    mappings: Object.fromEntries(mappings.map(([mapping, column]) => [mapping, reference(column)])) as Partial<
      Record<Mapping, string>
    >,
    output: typeof output === 'string' ? literal(output) : { ...output, ...literalPaths(output) },
  } as PipelineInput
}

const literalPaths = (output: object): object =>
  Object.fromEntries(Object.entries(output).flatMap(([key, value]) => (typeof value === 'string' ? [[key, literal(value)]] : [])))

/** An Excel file, or the sheets of one. */
export const isWorkbook = ({ packed, files }: InputFacts): boolean => (packed ?? files?.[0]?.packed)?.as === 'xlsx'

const certainty = ({ confidence, why }: Proposed): string => (confidence === 1 ? why : `${Math.floor(confidence * 100)}%: ${why}`)

function aligned(lines: readonly (readonly [line: string, comment: string])[]): string[] {
  const width = Math.min(44, Math.max(0, ...lines.map(([line]) => line.length)))
  return lines.map(([line, comment]) => (comment === '' ? line : `${line.padEnd(width)}  # ${inComment(comment)}`))
}

/** Foreign text cannot end a comment. */
const inComment = (text: string): string => text.replace(/[\p{Cc}\p{Zl}\p{Zp}\ufeff]+/gu, ' ')

/** `schema`: the path of the schema for the first line; null without that line. */
export function draftYaml(
  proposal: Proposal,
  options: DraftOptions,
  { schema, by }: { readonly schema: string | null; readonly by: string },
): string {
  const { facts, registers = [] } = options
  const { name, input, mappings, output } = draftOf(proposal, options)
  const long = typeof input === 'string' ? { path: input } : input
  const places = typeof output === 'string' ? { path: output } : (output ?? {})
  const keys = (map: object, notes: Readonly<Record<string, string>>) =>
    aligned(Object.entries(map).map(([key, value]) => [`  ${key}: ${flow(value)}`, notes[key] ?? ''] as const))
  const { mappings: mapped } = chosen(proposal)
  const whys = Object.fromEntries(mapped.map(([mapping, column]) => [mapping, certainty(column)]))
  const isExcel = isWorkbook(facts)
  const packed = isExcel || facts.packed === undefined ? '' : `, ${facts.packed.as}`
  const text = isExcel ? 'xlsx' : `${facts.encoding}${packed}, ${show(facts.delimiter)} between cells`
  return [
    ...(schema === null ? [] : [`# yaml-language-server: $schema=${schema}`]),
    inComment(
      `# Written by ${by} from ${show(facts.path)}: ${counted(facts.rows, 'row')}, ${counted(facts.columns, 'column')}, ${text}.`,
    ),
    '# Edit it as needed, then check it. docs/pipeline.md of the package lists every key.',
    `name: ${flow(name)}`,
    ...(registers.length === 0
      ? []
      : [`register: ${flow(registers.length === 1 ? registers[0] : registers)}  # what the embedded service matches against`]),
    '',
    'input:',
    ...keys(long, { path: 'relative to the working directory', sections: sectionNote(facts), key: keyNote(proposal) }),
    '  columns: { expect: known }   # refuse a list that lost, renamed or emptied a column of the last good run',
    '  # rows: { min: 1, max: 250000 }   # refuse truncated or oversized files',
    '',
    "mappings:  # the service's name: your header",
    ...keys(mappings, whys),
    ...openLines(proposal, facts),
    '',
    'output:',
    ...keys(places, {
      path: 'all rows, with the companies found',
      unmatched: 'rows without a match',
      review: 'rows to decide about, with the best candidate',
    }),
    '',
    `review: ${flow({ decisions: literal(nameDecisionsFile(name)) })}  # decisions of a review, applied on every run`,
    '',
    '# service: https://host/v1          # absent: FETTLE_URL if set, else the embedded one. User name and password: environment only',
    '# enrich: basic                     # basic | basicPlus | standard | {product, tags}',
    `# budget: { credits: ${filledRows(facts)} }`,
    '# checks: { matched: { warn: "< 70%" }, drift: { fail: "> 15%" } }',
    '# report: { mask: [phone, email] }   # columns that reports show as ***',
    '',
  ].join('\n')
}

const sectionNote = ({ sections }: InputFacts): string =>
  sections === undefined
    ? 'headings and totals inside the list; rows: send them'
    : `${counted(sections.length, 'row')} found that ${sections.length === 1 ? 'is a heading or total' : 'are headings or totals'}; rows: send them`

function keyNote(proposal: Proposal): string {
  const { key } = chosen(proposal)
  return `reports name rows by it${key === null || key.confidence === 1 ? '' : `; ${certainty(key)}`}`
}

function openLines({ columns }: Proposal, facts: InputFacts): string[] {
  const unsure = columns.filter(column => column.status === 'unsure' && column.target !== null && column.target !== 'key')
  const left = columns.filter(column => column.status === 'left').map(column => inComment(columnName(column.column)))
  return [
    ...(unsure.length === 0 ? [] : ['  # Uncertain; remove the # if it is right:']),
    ...aligned(
      unsure.map(column => {
        const { header, index } = column.column
        return [
          inComment(`  # ${column.target}: ${flow(columnReference(header, index, facts.header))}`),
          certainty(column),
        ] as const
      }),
    ),
    ...(left.length === 0 ? [] : [`  # Left out: ${listSome(left, 30)}`]),
  ]
}
