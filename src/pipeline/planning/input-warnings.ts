/** Chooses the columns whose cells are counted, and warns about suspicious counts. */

import { IDENTIFIERS, type Mapping } from '../../contract/index.ts'
import { count, counted } from '../../counted.ts'
import { type Issue, issue, type Place } from '../../errors.ts'
import { formatFacts, type OutputFormat } from '../../formats/index.ts'
import { filledRows, isColumnMasked } from '../../model/list.ts'
import type { CellCounts, InputFacts, Plan, PlannedMapping, ValueWarning, WatchedColumn } from '../model/types.ts'
import { mappingLine } from '../propose/mapping-line.ts'
import { columnText } from '../schema/columns.ts'
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
    watch(mapping?.index, 'profile', ...chooseCounts(rule.mapping, rule.pad))
  }
  const { key } = pipeline.input
  if (key !== null) watch(resolveKey(key, facts, asked).column?.index, 'keys')
  if (pipeline.input.columns.expect !== 'open') for (let index = 0; index < columns; index++) watch(index, 'kinds')
  const ofAll = pipeline.output && formatFacts(pipeline.output.format).cellCheck
  if (ofAll !== null) for (let index = 0; index < columns; index++) watch(index, ofAll)
  return [...watched].map(([index, of]) => ({ index, of: [...of] }))
}

function chooseCounts(mapping: Mapping, pad: number | null): WatchedColumn['of'] {
  if (NUMBERS.includes(mapping) || mapping === 'phone' || pad !== null) return ['numbers']
  if (mapping === 'name') return ['names']
  return COUNTRIES.includes(mapping) ? ['values'] : []
}

export interface WarningContext {
  readonly cells: readonly CellCounts[]
  readonly isCountry: (text: string) => boolean
  /** Digits of a registration number of the country that a text names; null where they vary, or where it names none. */
  readonly numberLength: (country: string) => number | null
  /** The code of the country that a text names, '' for none. */
  readonly countryOf: (text: string) => string
  /** Codes of the countries with companies in the registers; null if unknown. */
  readonly held: readonly string[] | null
  readonly locate: (path: Path) => Place | null
}

type Judged = Pick<Plan, 'mappings' | 'key' | 'output' | 'input' | 'report'>

/** The list of a plan with what its cells hold. */
interface CountedList extends WarningContext {
  readonly plan: Judged
  /** Rows with a value. */
  readonly filled: number
  readonly findCounts: (index: number) => CellCounts | undefined
}

export function inputWarnings(plan: Judged, context: WarningContext): Issue[] {
  const findCounts = (index: number): CellCounts | undefined => context.cells.find(counts => counts.index === index)
  const list: CountedList = { ...context, plan, filled: filledRows(plan.input), findCounts }
  const digits = findCountryDigits(list)
  const keyCounts = plan.key === null ? undefined : findCounts(plan.key.index)
  return [
    ...plan.mappings.flatMap(mapping => listMappingIssues(list, mapping, digits)),
    ...listHeldIssues(list),
    ...listEmptyIssues(list),
    ...(keyCounts === undefined ? [] : listKeyIssues(keyCounts, context.locate(['input', 'key']))),
    ...(plan.output === null ? [] : listFormatIssues(plan.output.format, context)),
  ]
}

const CODES = 'Use ISO 3166 codes or names.'

/** Rows of countries that no register holds: a warning if they are more than half of the rows, else a note. */
function listHeldIssues({ plan, filled, findCounts, held, countryOf, locate }: CountedList): Issue[] {
  const mapping = plan.mappings.find(mapping => COUNTRIES.includes(mapping.mapping))
  if (held === null || mapping === undefined) return []
  const fixed = mapping.value === undefined ? [] : [{ text: mapping.value, count: filled }]
  const missing = new Map<string, number>()
  for (const { text, count } of findCounts(mapping.index)?.values ?? fixed) {
    const code = countryOf(text)
    if (code !== '' && !held.includes(code)) missing.set(code, (missing.get(code) ?? 0) + count)
  }
  const rows = [...missing.values()].reduce((sum, count) => sum + count, 0)
  if (rows === 0) return []
  const list = [...missing].sort((a, b) => b[1] - a[1]).map(([code, count]) => `${code} ${count}`)
  const first = `${list.slice(0, 8).join(', ')}${list.length > 8 ? ' …' : ''}`
  const of = held.length > 8 ? `${held.slice(0, 8).join(', ')} …` : held.join(', ')
  const message = `${count(rows)} of ${counted(filled, 'row')} are of countries that no register of this run holds (${first}); the registers hold ${of}`
  const severity = rows * 2 > filled ? 'warn' : 'info'
  return [issue('FETTLE_REGISTER_COUNTRY', message, { severity, at: locate(['mappings', mapping.mapping]), count: rows })]
}

const allRows = (filled: number): string => (filled === 1 ? 'the only row' : `all ${counted(filled, 'row')}`)

function warn(message: string, { count, rows }: ValueWarning, details: Partial<Issue>): Issue {
  const first = rows.length === 0 ? '' : ` (first in row ${rows.join(', ')})`
  return issue('FETTLE_INPUT_SUSPECT', message + first, { severity: 'warn', ...details, count, rows })
}

/** A fact that is normal in many lists. */
const note: typeof warn = (message, found, details) => warn(message, found, { ...details, severity: 'info' })

function listMappingIssues(list: CountedList, mapping: PlannedMapping, digits: number | null): Issue[] {
  const { plan, filled, isCountry } = list
  const at = list.locate(['mappings', mapping.mapping])
  if (mapping.value !== undefined) {
    if (!COUNTRIES.includes(mapping.mapping) || isCountry(mapping.value)) return []
    const message = `mappings.${mapping.mapping}: ${show(mapping.value)} is not a country`
    return [warn(message, { count: 1, rows: [] }, { at, hint: CODES })]
  }
  const counts = list.findCounts(mapping.index)
  if (counts === undefined) return []
  const column = mapping.header
  const name = `mappings.${mapping.mapping}: ${columnText(mapping)}`
  const line = mappingLine(mapping, plan.input.header)
  const shows = plan.report.rows !== 'none' && !isColumnMasked(plan, mapping.index)
  const issues: Issue[] = []
  const add = (message: string, found: ValueWarning, hint: string): void => {
    issues.push(warn(`${name} ${message}`, found, { at, hint, column }))
  }
  if (counts.exponents.count > 0) {
    const hint = 'Digits are lost: format the column as text where it comes from, and export it again.'
    add(`contains ${counted(counts.exponents.count, 'number')} in the form 4.41E+11`, counts.exponents, hint)
  }
  if (filled >= FEW && counts.empty.count === filled)
    add(`is empty in ${allRows(filled)}`, { ...counts.empty, rows: [] }, `Name the right column, or leave out the line ${line}`)
  // A list of companies of one country is normal.
  if (filled >= FEW && counts.empty.count === 0 && counts.distinct.count === 1 && !COUNTRIES.includes(mapping.mapping)) {
    const value = shows ? `: ${show(counts.examples[0] ?? '')}` : ''
    const hint = `It does not distinguish companies: name the right column, or leave out the line ${line}`
    add(`has the same value in ${allRows(filled)}${value}`, { count: filled, rows: [] }, hint)
  }
  if (counts.noNames.count > 0) {
    const hint = 'Empty these cells, or remove their rows: a company of the register may have such a name.'
    add(`has ${counted(counts.noNames.count, 'cell')} such as "N/A" or "unknown" in place of a name`, counts.noNames, hint)
  }
  if (mapping.pad !== null) issues.push(...listPadIssues(name, mapping.pad, counts, { at, column }))
  else if (NUMBERS.includes(mapping.mapping)) {
    const lost = findLostZeros(counts, mapping.mapping === 'orgNumber' ? digits : null)
    if (lost !== null) {
      const message = `contains ${counted(lost.count, 'number')} of fewer than ${lost.digits} digits and none that begins with 0: leading zeros may be lost`
      const hint = lost.isLength
        ? `Numbers of this country have ${lost.digits} digits. If zeros are lost, write ${at?.line == null ? 'in a pipeline file, ' : ''}under mappings: ${mappingLine({ ...mapping, pad: lost.digits }, plan.input.header)}`
        : 'Compare some with the source. If zeros are lost, set pad to the length that the register writes.'
      add(message, lost, hint)
    }
  }
  const unknown = COUNTRIES.includes(mapping.mapping) ? counts.values.filter(value => !isCountry(value.text)) : []
  if (unknown.length > 0) {
    const most = [...unknown].sort((a, b) => b.count - a.count)
    const shown = most.slice(0, 10).map(value => `${show(value.text)} (${counted(value.count, 'row')})`)
    const more = most.length > shown.length ? ` and ${most.length - shown.length} more values` : ''
    add(`contains values that are not countries${shows ? `: ${shown.join(', ')}${more}` : ''}`, addUp(unknown), CODES)
  }
  return issues
}

function listEmptyIssues({ plan, filled: rows, findCounts, locate }: CountedList): Issue[] {
  const found = plan.mappings.flatMap(({ mapping, index }) => {
    const empty = findCounts(index)?.empty
    return empty === undefined || rows < FEW || empty.count * 2 <= rows || empty.count === rows ? [] : [{ mapping, empty }]
  })
  if (found.length === 0) return []
  const list = found.map(
    ({ mapping, empty }) => `${mapping} in ${count(empty.count)} (${((empty.count / rows) * 100).toFixed(1)}%)`,
  )
  const message = `of ${counted(rows, 'row')} more than half have no value in a mapped column: ${list.join(', ')}`
  const details = { at: locate(['mappings']), hint: 'Ignore this if it is expected.' }
  return [note(message, addUp(found.map(({ empty }) => empty)), details)]
}

function listPadIssues(name: string, pad: number, counts: CellCounts, place: Pick<Issue, 'at' | 'column'>): Issue[] {
  const longer = addUp(counts.digits.slice(pad + 1))
  const left = addUp([longer, counts.notDigits])
  if (left.count === 0) return []
  const letters = counts.notDigits.count
  if (longer.count === 0) {
    const message = `${name}: pad leaves ${counted(letters, 'cell')} unchanged that ${letters === 1 ? 'contains' : 'contain'} other characters than digits`
    return [note(message, left, { ...place, hint: 'Ignore this if they are correct.' })]
  }
  const message = `${name}: pad leaves ${counted(left.count, 'cell')} unchanged: ${count(longer.count)} with more than ${pad} digits, ${count(letters)} with other characters than digits`
  return [warn(message, left, { ...place, hint: 'Compare them with the register, or change pad.' })]
}

const addUp = (warnings: readonly (ValueWarning | undefined)[]): ValueWarning => {
  const found = warnings.filter(warning => warning !== undefined)
  const rows = [...new Set(found.flatMap(finding => finding.rows))].sort((a, b) => a - b)
  return { count: found.reduce((sum, { count }) => sum + count, 0), rows: rows.slice(0, 3) }
}

/** The length of registration numbers in the one country of the list, null if the list has several or none. */
function findCountryDigits({ plan, findCounts, numberLength }: CountedList): number | null {
  const lengths = plan.mappings.flatMap(({ mapping, index, value }) => {
    if (!COUNTRIES.includes(mapping)) return []
    if (value !== undefined) return [numberLength(value)]
    const { values = [] } = findCounts(index) ?? {}
    const named = values.filter(({ text, count }) => numberLength(text) !== null || count * 20 > plan.input.rows)
    return named.map(({ text }) => numberLength(text))
  })
  return lengths.every(length => length === lengths[0]) ? (lengths[0] ?? null) : null
}

/**
 * Numbers shorter than they are in the country, or by up to two digits than most of the column where that is unknown; null
 * when one has the leading zero that such numbers would have. Numbers longer than the country's are of another kind.
 */
function findLostZeros({ digits, leadingZeros }: CellCounts, length: number | null) {
  const all = addUp(digits).count
  const usual = digits.findIndex(digit => digit !== undefined && digit.count * 2 > all)
  const isLength = length !== null && addUp(digits.slice(length + 1)).count * 20 <= all
  const expected = isLength ? length : usual
  if (leadingZeros > 0 || all < FEW || expected < 6) return null
  const shorter = addUp(digits.slice(isLength ? 1 : usual - 2, expected))
  return shorter.count === 0 ? null : { ...shorter, digits: expected, isLength }
}

function listKeyIssues({ empty, repeated }: CellCounts, at: Place | null): Issue[] {
  const hint = 'Reports name rows by it; name a column with a different value in each row.'
  const warnAbout = (what: string, found: ValueWarning): Issue[] =>
    found.count === 0 ? [] : [warn(`input.key ${what} in ${counted(found.count, 'row')}`, found, { at, hint })]
  return [...warnAbout('is empty', empty), ...warnAbout('repeats an earlier one', repeated)]
}

/** What the format of the output changes in cells, or cannot hold. */
function listFormatIssues(format: OutputFormat, { cells, locate }: WarningContext): Issue[] {
  const { cellCheck } = formatFacts(format)
  const at = locate(['output', 'format'])
  const found = addUp(cells.map(counts => (cellCheck === 'formulas' ? counts.formulas : counts.tooLong)))
  const { count, rows } = found
  if (cellCheck === null || count === 0) return []
  if (cellCheck === 'formulas') {
    const what = count === 1 ? 'is a formula' : 'are formulas'
    const message = `${counted(count, 'cell')} of the input ${what} for a spreadsheet; sent unchanged, put behind a ' in the output`
    return [note(message, found, { at, hint: 'Use format: csv for a file that no spreadsheet opens.' })]
  }
  const message = `output.format: ${format}: ${counted(count, 'cell')} of the input with more characters than an Excel cell holds (first in row ${rows.join(', ')})`
  return [issue('FETTLE_OUTPUT_LIMIT', message, { at, count, rows })]
}
