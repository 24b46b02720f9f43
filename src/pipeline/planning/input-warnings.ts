/** Chooses the columns whose cells are counted, and warns about suspicious counts. */

import { IDENTIFIERS, type Mapping } from '../../contract/index.ts'
import { count, counted } from '../../counted.ts'
import { type Issue, issue, type Place } from '../../errors.ts'
import { formatFacts, type OutputFormat } from '../../formats/index.ts'
import { filledRows, isColumnMasked } from '../../model/list.ts'
import type { CellCounts, InputFacts, Plan, PlannedMapping, ValueWarning, WatchedColumn } from '../model/types.ts'
import { mappingLine } from '../propose/mapping-line.ts'
import type { Pipeline } from '../schema/pipeline.ts'
import { show } from '../source/quote.ts'
import type { Path } from '../source/tree.ts'
import { resolveKey, resolveMapping } from './headers.ts'

const NUMBERS: readonly string[] = IDENTIFIERS
const COUNTRIES: readonly string[] = ['country', 'countryCode']
/** Columns with fewer cells are not judged as a whole. */
const FEW = 5

export function watchedColumns(pipeline: Pipeline, header: readonly string[] | null, columns: number): WatchedColumn[] {
  const facts: Pick<InputFacts, 'header' | 'columns' | 'path'> = { header, columns, path: pipeline.input.path }
  const asked = { name: '', at: null }
  const watched = new Map<number, Set<WatchedColumn['of'][number]>>()
  const watch = (index: number | undefined, ...what: WatchedColumn['of']): void => {
    if (index === undefined || index >= columns) return
    watched.set(index, new Set([...(watched.get(index) ?? []), ...what]))
  }
  for (const rule of pipeline.mappings) {
    const { mapping } = resolveMapping(rule, facts, asked)
    watch(mapping?.index, 'profile', ...countedOf(rule.mapping, rule.pad))
  }
  const { key } = pipeline.input
  if (key !== null) watch(resolveKey(key, facts, asked).column?.index, 'keys')
  const ofAll = pipeline.output && formatFacts(pipeline.output.format).cellCheck
  if (ofAll !== null) for (let index = 0; index < columns; index++) watch(index, ofAll)
  return [...watched].map(([index, of]) => ({ index, of: [...of] }))
}

function countedOf(mapping: Mapping, pad: number | null): WatchedColumn['of'] {
  if (NUMBERS.includes(mapping) || mapping === 'phone' || pad !== null) return ['numbers']
  return COUNTRIES.includes(mapping) ? ['values'] : []
}

export interface WarningContext {
  readonly cells: readonly CellCounts[]
  readonly isCountry: (text: string) => boolean
  /** Digits of a registration number of the country that a text names; null where they vary, or where it names none. */
  readonly numberLength: (country: string) => number | null
  /** The code of the country that a text names, '' for none. */
  readonly countryOf: (text: string) => string
  /** Codes of the countries of which the registers hold companies; null if unknown. */
  readonly held: readonly string[] | null
  readonly locate: (path: Path) => Place | null
}

type Judged = Pick<Plan, 'mappings' | 'key' | 'output' | 'input' | 'report'>

export function inputWarnings(plan: Judged, context: WarningContext): Issue[] {
  const countsOf = (index: number): CellCounts | undefined => context.cells.find(one => one.index === index)
  const digits = countryDigits(plan, countsOf, context)
  const ofMappings = plan.mappings.flatMap(mapping => {
    const counts = countsOf(mapping.index)
    const at = context.locate(['mappings', mapping.mapping])
    if (mapping.value !== undefined) return fixedIssues(mapping.mapping, mapping.value, at, context)
    return counts === undefined ? [] : mappingIssues(plan, mapping, counts, at, { isCountry: context.isCountry, digits })
  })
  const { key } = plan
  const ofKey = key === null ? undefined : countsOf(key.index)
  return [
    ...ofMappings,
    ...heldIssues(plan, countsOf, context),
    ...emptyIssues(plan, countsOf, context.locate(['mappings'])),
    ...(ofKey === undefined ? [] : keyIssues(ofKey, context.locate(['input', 'key']))),
    ...(plan.output === null ? [] : formatIssues(plan.output.format, context)),
  ]
}

const CODES = 'Use ISO 3166 codes or names.'

const fixedIssues = (mapping: Mapping, value: string, at: Place | null, { isCountry }: WarningContext): Issue[] =>
  !COUNTRIES.includes(mapping) || isCountry(value)
    ? []
    : [warn(`mappings.${mapping}: ${show(value)} is not a country`, { count: 1, rows: [] }, at, CODES)]

/** Rows of countries that no register holds: a warning if they are more than half of the rows, else a note. */
function heldIssues(
  plan: Judged,
  countsOf: (index: number) => CellCounts | undefined,
  { held, countryOf, locate }: WarningContext,
): Issue[] {
  const mapping = plan.mappings.find(one => COUNTRIES.includes(one.mapping))
  if (held === null || mapping === undefined) return []
  const fixed = mapping.value === undefined ? [] : [{ text: mapping.value, count: filledRows(plan.input) }]
  const missing = new Map<string, number>()
  for (const { text, count } of countsOf(mapping.index)?.values ?? fixed) {
    const code = countryOf(text)
    if (code !== '' && !held.includes(code)) missing.set(code, (missing.get(code) ?? 0) + count)
  }
  const rows = [...missing.values()].reduce((sum, count) => sum + count, 0)
  if (rows === 0) return []
  const list = [...missing].sort((a, b) => b[1] - a[1]).map(([code, count]) => `${code} ${count}`)
  const first = `${list.slice(0, 8).join(', ')}${list.length > 8 ? ' …' : ''}`
  const of = held.length > 8 ? `${held.slice(0, 8).join(', ')} …` : held.join(', ')
  const message = `${count(rows)} of ${counted(filledRows(plan.input), 'row')} are of countries that no register of this run holds (${first}); the registers hold ${of}`
  const severity = rows * 2 > filledRows(plan.input) ? 'warn' : 'info'
  return [issue('FETTLE_REGISTER_COUNTRY', message, { severity, at: locate(['mappings', mapping.mapping]), count: rows })]
}

const allRows = ({ input }: Pick<Plan, 'input'>): string => {
  const rows = filledRows(input)
  return rows === 1 ? 'the only row' : `all ${counted(rows, 'row')}`
}

const warn = (
  message: string,
  { count, rows }: ValueWarning,
  at: Place | null,
  hint: string,
  column: string | null = null,
): Issue =>
  issue('FETTLE_INPUT_SUSPECT', `${message}${rows.length === 0 ? '' : ` (first in row ${rows.join(', ')})`}`, {
    severity: 'warn',
    at,
    hint,
    column,
    count,
    rows,
  })

/** A fact that is normal in many lists. */
const note = (...of: Parameters<typeof warn>): Issue => ({ ...warn(...of), severity: 'info' })

function mappingIssues(
  plan: Judged,
  mapping: PlannedMapping,
  counts: CellCounts,
  at: Place | null,
  { isCountry, digits }: Pick<WarningContext, 'isCountry'> & { readonly digits: number | null },
): Issue[] {
  const column = mapping.header
  const name = `mappings.${mapping.mapping}: ${column === null ? `column ${mapping.index + 1}` : show(column)}`
  const line = mappingLine(mapping, plan.input.header)
  const shows = plan.report.rows !== 'none' && !isColumnMasked(plan, mapping.index)
  const issues: Issue[] = []
  const add = (message: string, found: ValueWarning, hint: string): void => {
    issues.push(warn(`${name} ${message}`, found, at, hint, column))
  }
  if (counts.exponents.count > 0) {
    const hint = 'Digits are lost: format the column as text where it comes from, and export it again.'
    add(`contains ${counted(counts.exponents.count, 'number')} in the form 4.41E+11`, counts.exponents, hint)
  }
  if (isEmpty(counts, plan))
    add(`is empty in ${allRows(plan)}`, { ...counts.empty, rows: [] }, `Name the right column, or leave out the line ${line}`)
  if (isConstant(mapping, counts, plan)) {
    const value = shows ? `: ${show(counts.examples[0] ?? '')}` : ''
    const hint = `It does not distinguish companies: name the right column, or leave out the line ${line}`
    add(`has the same value in ${allRows(plan)}${value}`, { count: filledRows(plan.input), rows: [] }, hint)
  }
  if (mapping.pad !== null) issues.push(...padIssues(name, mapping.pad, counts, at, column))
  else if (NUMBERS.includes(mapping.mapping)) {
    const lost = lostZeros(counts, mapping.mapping === 'orgNumber' ? digits : null)
    if (lost !== null) {
      const message = `contains ${counted(lost.count, 'number')} of fewer than ${lost.digits} digits and none that begins with 0: leading zeros may be lost`
      const hint = lost.isLength
        ? `Numbers of this country have ${lost.digits} digits. If zeros are lost, write ${at?.line == null ? 'in a pipeline file, ' : ''}under mappings: ${mappingLine({ ...mapping, pad: lost.digits }, plan.input.header)}`
        : 'Compare some with the source. If zeros are lost, set pad to the length that the register writes.'
      add(message, lost, hint)
    }
  }
  const unknown = COUNTRIES.includes(mapping.mapping) ? counts.values.filter(one => !isCountry(one.text)) : []
  if (unknown.length > 0) {
    const most = [...unknown].sort((a, b) => b.count - a.count)
    const list = most.slice(0, 10).map(one => `${show(one.text)} (${counted(one.count, 'row')})`)
    const more = most.length > list.length ? ` and ${most.length - list.length} more values` : ''
    const count = unknown.reduce((sum, one) => sum + one.count, 0)
    const first = unknown.flatMap(one => one.rows).sort((a, b) => a - b)
    add(
      `contains values that are not countries${shows ? `: ${list.join(', ')}${more}` : ''}`,
      { count, rows: first.slice(0, 3) },
      CODES,
    )
  }
  return issues
}

const isEmpty = ({ empty }: CellCounts, { input }: Judged): boolean =>
  filledRows(input) >= FEW && empty.count === filledRows(input)

/** One value in every row; a list of companies of one country is normal. */
const isConstant = ({ mapping }: PlannedMapping, { empty, distinct }: CellCounts, { input }: Judged): boolean =>
  filledRows(input) >= FEW && empty.count === 0 && distinct.count === 1 && !COUNTRIES.includes(mapping)

function emptyIssues(
  { mappings, input }: Pick<Plan, 'mappings' | 'input'>,
  countsOf: (index: number) => CellCounts | undefined,
  at: Place | null,
): Issue[] {
  const rows = filledRows(input)
  const found = mappings.flatMap(({ mapping, index }) => {
    const empty = countsOf(index)?.empty
    return empty === undefined || rows < FEW || empty.count * 2 <= rows || empty.count === rows ? [] : [{ mapping, empty }]
  })
  if (found.length === 0) return []
  const list = found.map(
    ({ mapping, empty }) => `${mapping} in ${count(empty.count)} (${((empty.count / rows) * 100).toFixed(1)}%)`,
  )
  const message = `of ${counted(rows, 'row')} more than half have no value in a mapped column: ${list.join(', ')}`
  return [note(message, sumOf(found.map(one => one.empty)), at, 'Ignore this if it is expected.')]
}

function padIssues(name: string, pad: number, counts: CellCounts, at: Place | null, column: string | null): Issue[] {
  const longer = sumOf(counts.digits.slice(pad + 1))
  const left = sumOf([longer, counts.notDigits])
  if (left.count === 0) return []
  const letters = counts.notDigits.count
  if (longer.count === 0) {
    const message = `${name}: pad leaves ${counted(letters, 'cell')} unchanged that ${letters === 1 ? 'contains' : 'contain'} other characters than digits`
    return [note(message, left, at, 'Ignore this if they are correct.', column)]
  }
  const message = `${name}: pad leaves ${counted(left.count, 'cell')} unchanged: ${count(longer.count)} with more than ${pad} digits, ${count(letters)} with other characters than digits`
  return [warn(message, left, at, 'Compare them with the register, or change pad.', column)]
}

const sumOf = (warnings: readonly (ValueWarning | undefined)[]): ValueWarning => {
  const found = warnings.filter(one => one !== undefined)
  const rows = [...new Set(found.flatMap(one => one.rows))].sort((a, b) => a - b)
  return { count: found.reduce((sum, one) => sum + one.count, 0), rows: rows.slice(0, 3) }
}

/** The length of registration numbers in the one country of the list, null if the list has several or none. */
function countryDigits(
  { mappings, input: { rows } }: Judged,
  countsOf: (index: number) => CellCounts | undefined,
  { numberLength }: WarningContext,
): number | null {
  const lengths = mappings.flatMap(({ mapping, index, value }) => {
    if (!COUNTRIES.includes(mapping)) return []
    if (value !== undefined) return [numberLength(value)]
    const { values = [] } = countsOf(index) ?? {}
    const named = values.filter(({ text, count }) => numberLength(text) !== null || count * 20 > rows)
    return named.map(({ text }) => numberLength(text))
  })
  return lengths.every(one => one === lengths[0]) ? (lengths[0] ?? null) : null
}

/**
 * Numbers shorter than they are in the country, or by up to two digits than most of the column where that is unknown; null
 * when one has the leading zero that such numbers would have. Numbers longer than the country's are of another kind.
 */
function lostZeros(
  { digits, leadingZeros }: CellCounts,
  length: number | null,
): (ValueWarning & { readonly digits: number; readonly isLength: boolean }) | null {
  const all = sumOf(digits).count
  const usual = digits.findIndex(one => one !== undefined && one.count * 2 > all)
  const isLength = length !== null && sumOf(digits.slice(length + 1)).count * 20 <= all
  const expected = isLength ? length : usual
  if (leadingZeros > 0 || all < FEW || expected < 6) return null
  const shorter = sumOf(digits.slice(isLength ? 1 : usual - 2, expected))
  return shorter.count === 0 ? null : { ...shorter, digits: expected, isLength }
}

function keyIssues({ empty, repeated }: CellCounts, at: Place | null): Issue[] {
  const hint = 'Reports name rows by it; name a column with a different value in each row.'
  return [
    ...(empty.count === 0 ? [] : [warn(`input.key is empty in ${counted(empty.count, 'row')}`, empty, at, hint)]),
    ...(repeated.count === 0
      ? []
      : [warn(`input.key repeats an earlier one in ${counted(repeated.count, 'row')}`, repeated, at, hint)]),
  ]
}

/** What the format of the output changes in cells, or cannot hold. */
function formatIssues(format: OutputFormat, { cells, locate }: WarningContext): Issue[] {
  const { cellCheck } = formatFacts(format)
  const at = locate(['output', 'format'])
  if (cellCheck === 'formulas') return formulaIssues(cells, at)
  return cellCheck === 'lengths' ? lengthIssues(cells, format, at) : []
}

function formulaIssues(cells: readonly CellCounts[], at: Place | null): Issue[] {
  const found = sumOf(cells.map(one => one.formulas))
  if (found.count === 0) return []
  const what = found.count === 1 ? 'is a formula' : 'are formulas'
  const message = `${counted(found.count, 'cell')} of the input ${what} for a spreadsheet; sent unchanged, put behind a ' in the output`
  return [note(message, found, at, 'Use format: csv for a file that no spreadsheet opens.')]
}

function lengthIssues(cells: readonly CellCounts[], format: OutputFormat, at: Place | null): Issue[] {
  const { count, rows } = sumOf(cells.map(one => one.tooLong))
  if (count === 0) return []
  const message = `output.format: ${format}: ${counted(count, 'cell')} of the input with more characters than an Excel cell holds (first in row ${rows.join(', ')})`
  return [issue('FETTLE_OUTPUT_LIMIT', message, { at, count, rows })]
}
