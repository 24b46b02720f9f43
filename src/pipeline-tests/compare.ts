/** Compares the rows of a run with what a test expects; pure. */

import { counted } from '../counted.ts'
import { defined } from '../defined.ts'
import type { ResultRow } from '../library/result-rows.ts'
import { type Expectation, readExpectation } from '../pipeline/index.ts'

/** A row of the result, with its key and what fettle found. */
export interface TestedRow {
  readonly key: string
  readonly outcome: string
  readonly company: string
  readonly companyName: string
  readonly why: string
  readonly cells: ResultRow
}

type Expectations = Readonly<Record<string, string | Expectation>>

type Table = readonly (readonly string[])[]

/** What a test expects. */
export interface Expected {
  /** Of rows, by their keys; undefined where the test names none. */
  readonly expect: Expectations | undefined
  /** The file of the table; undefined where the test names none. */
  readonly output: string | undefined
  /** Null where there is no such file. */
  readonly table: Table | null
}

const NOTHING = 'it expects nothing: add expect or output'

/** One line for each difference. */
export const judge = (rows: readonly TestedRow[], { expect, output, table }: Expected): string[] => [
  ...(expect === undefined && output === undefined ? [NOTHING] : []),
  ...differences(rows, expect ?? {}),
  ...(table === null ? [] : tableDifferences(rows, table)),
  ...(output !== undefined && table === null ? [`there is no file ${output}`] : []),
]

/** The same with what these rows have instead; a part that they meet is the same object. */
export function accepted(rows: readonly TestedRow[], { expect, output, table }: Expected): Expected {
  const isMet = expect === undefined ? output !== undefined : differences(rows, expect).length === 0
  const isSame = output === undefined || (table !== null && tableDifferences(rows, table).length === 0)
  return { output, expect: isMet ? expect : expectationsFor(rows, expect), table: isSame ? table : tableFor(rows, table?.[0]) }
}

const quoted = (text: string): string => (text === '' ? 'nothing' : JSON.stringify(text))

const missingColumn = (name: string, { cells }: TestedRow): string =>
  `the output has no column ${quoted(name)}; it has ${Object.keys(cells).join(', ')}`

function differences(rows: readonly TestedRow[], expected: Expectations): string[] {
  return Object.entries(expected).flatMap(([key, written]) => {
    const found = rows.filter(row => row.key === key)
    if (found.length !== 1)
      return [`row ${key}: ${found.length === 0 ? 'there is no row with this key' : `${found.length} rows have this key`}`]
    return rowDifferences(found[0]!, readExpectation(written)).map(text => `row ${key}: ${text}`)
  })
}

function rowDifferences(row: TestedRow, { outcome, company, cells = {} }: Expectation): string[] {
  const lines: string[] = []
  if (outcome !== undefined && row.outcome !== outcome)
    lines.push(`expected ${outcome}, found ${row.outcome}${row.why === '' ? '' : ` (${row.why})`}`)
  const name = row.companyName === '' ? '' : `, ${row.companyName}`
  if (company !== undefined && row.company !== company)
    lines.push(`expected the company ${quoted(company)}, found ${quoted(row.company)}${name}`)
  for (const [name, value] of Object.entries(cells)) {
    const cell = Object.hasOwn(row.cells, name) ? row.cells[name] : undefined
    if (cell === undefined) lines.push(missingColumn(name, row))
    else if (cell !== value) lines.push(`${name}: expected ${quoted(value)}, found ${quoted(cell)}`)
  }
  return lines
}

/** The expectations of a test as they would hold for these rows: for the keys and facts that it names, or the outcome of every row. */
function expectationsFor(rows: readonly TestedRow[], expected: Expectations | undefined): Record<string, string | Expectation> {
  if (expected === undefined) return Object.fromEntries(rows.map(({ key, outcome }) => [key, outcome]))
  return Object.fromEntries(
    Object.entries(expected).flatMap(([key, written]): [string, string | Expectation][] => {
      const row = rows.find(candidate => candidate.key === key)
      if (row === undefined) return []
      if (typeof written === 'string') return [[key, row.outcome]]
      const cells = Object.fromEntries(
        Object.keys(written.cells ?? {}).flatMap(name => (Object.hasOwn(row.cells, name) ? [[name, row.cells[name] ?? '']] : [])),
      )
      const next = defined({
        outcome: written.outcome && (row.outcome as NonNullable<Expectation['outcome']>),
        company: written.company === undefined ? undefined : row.company,
        cells: Object.keys(cells).length > 0 ? cells : undefined,
      })
      return [[key, next]]
    }),
  )
}

/** A table of expected rows against the rows of the result, in order; only the columns of the table are compared. */
function tableDifferences(rows: readonly TestedRow[], [names = [], ...expected]: Table): string[] {
  if (rows.length !== expected.length) return [`expected ${counted(expected.length, 'row')}, found ${rows.length}`]
  const missing = names.filter(name => rows.length > 0 && !Object.hasOwn(rows[0]!.cells, name))
  if (missing.length > 0) return missing.map(name => missingColumn(name, rows[0]!))
  return rows.flatMap((row, at) =>
    names.flatMap((name, column) => {
      const [want, have] = [expected[at]?.[column] ?? '', row.cells[name] ?? '']
      return want === have ? [] : [`row ${row.key}: ${name}: expected ${quoted(want)}, found ${quoted(have)}`]
    }),
  )
}

/** With the columns of the table before, or all. */
function tableFor(rows: readonly TestedRow[], before: readonly string[] | undefined): Table {
  const names = before ?? Object.keys(rows[0]?.cells ?? {})
  return [names, ...rows.map(row => names.map(name => String(row.cells[name] ?? '')))]
}
