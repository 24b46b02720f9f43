/** Resolves headers of a pipeline to columns of the input. */
import { counted } from '../../counted.ts'
import { type Issue, issue, type Place } from '../../errors.ts'
import { nearest } from '../../nearest.ts'
import type { InputFacts, PlannedMapping, PlannedOutput } from '../model/types.ts'
import { RESULT_COLUMNS } from '../schema/columns.ts'
import type { ColumnReference, MappingRule } from '../schema/mapping-schema.ts'
import { hasHidden, looks, show, showList } from '../source/quote.ts'

type Table = Pick<InputFacts, 'header' | 'columns' | 'path'>

interface Asked {
  readonly name: string
  readonly at: Place | null
}

/** A column or the issues that prevent it; neither when an optional header is absent. */
interface Resolved {
  readonly column?: { readonly header: string | null; readonly index: number }
  readonly issues: readonly Issue[]
}

/** `mapping` is null when it has issues, or is optional and absent. A constant gets the column `behind`. */
export function resolveMapping(rule: MappingRule, facts: Table, asked: Asked, behind = facts.columns) {
  const { mapping, from, index, value, pad, trim, optional } = rule
  const none = { mapping: null, issues: [] as readonly Issue[] }
  const planned = (column: PlannedMapping) => ({ ...none, mapping: column })
  if (value !== null) return planned({ mapping, header: null, index: behind, pad: null, value })
  const { column, issues } = resolve({ from, index, optional }, facts, asked)
  return column === undefined ? { ...none, issues } : planned({ mapping, ...column, pad, trim: trim || undefined })
}

export function resolveKey(key: ColumnReference, facts: Table, asked: Asked): Resolved {
  return resolve({ from: key.header === null ? [] : [key.header], index: key.index, optional: false }, facts, asked)
}

/** The indices of columns of the list that an output names by their headers. */
export function resolveOwnColumns(
  output: PlannedOutput,
  facts: Table,
  { added, at }: { readonly added: readonly string[]; readonly at: (index: number) => Place | null },
): { readonly output: PlannedOutput; readonly issues: readonly Issue[] } {
  const found: [string, number][] = []
  const issues = output.columns.flatMap((name, index): Issue[] => {
    if (name === '*' || RESULT_COLUMNS.has(name) || added.includes(name)) return []
    const resolved = resolveKey({ header: name, index: null }, facts, { name: 'output.columns', at: at(index) })
    if (resolved.column !== undefined) found.push([name, resolved.column.index])
    return resolved.issues.map(given => ({
      ...given,
      hint: `${given.hint} Columns of the result are enrichment tags and match.* columns.`,
    }))
  })
  if (added.includes('decision') && !output.columns.includes('decision')) {
    const message = 'output.columns has no "decision": what is decided about the rows is in the report alone'
    issues.push(issue('FETTLE_PIPELINE_VALUE', message, { severity: 'info', at: at(0), hint: 'Add decision and decision.why.' }))
  }
  return { output: found.length === 0 ? output : { ...output, own: Object.fromEntries(found) }, issues }
}

/**
 * Leaves columns of an earlier result out of `*` where the output adds them again: a list that is an output of an earlier run would have them
 * twice. `used`: the columns that are mapped, or the key, which are the list's own.
 */
export function replaceEarlierResults(
  output: PlannedOutput,
  { header }: Table,
  used: readonly number[],
  at: Place | null,
): { readonly output: PlannedOutput; readonly issues: readonly Issue[] } {
  const { columns, own = {}, rename = {} } = output
  if (!columns.includes('*') || header === null) return { output, issues: [] }
  const added = columns.flatMap(name => (name === '*' || own[name] !== undefined ? [] : [rename[name] ?? name]))
  const replaced = [...header.keys()].filter(index => added.includes(header[index]!) && !used.includes(index))
  if (replaced.length === 0) return { output, issues: [] }
  const names = replaced.map(index => show(header[index]!)).join(', ')
  const message = `the list has columns of an earlier result: ${names}; the output has the new ones in their place`
  const hint = 'Rename them in the list if they are its own.'
  return { output: { ...output, replaced }, issues: [issue('FETTLE_INPUT_SUSPECT', message, { severity: 'warn', at, hint })] }
}

function resolve(
  { from, index, optional }: Pick<MappingRule, 'from' | 'index' | 'optional'>,
  facts: Table,
  asked: Asked,
): Resolved {
  if (index !== null) {
    if (index < facts.columns) return { column: { header: facts.header?.[index] ?? null, index }, issues: [] }
    if (optional) return { issues: [] }
    const message = `${asked.name}: column index ${index} is beyond the ${counted(facts.columns, 'column')} of ${facts.path}`
    return refuse(asked, message, `Valid are 0 to ${facts.columns - 1}; the first column is 0.`, null)
  }
  const header = facts.header ?? []
  const wanted = from.find(name => header.includes(name))
  if (wanted === undefined) return optional ? { issues: [] } : missingHeader(from, header, facts.path, asked)
  const places = header.flatMap((name, position) => (name === wanted ? [position] : []))
  if (places.length > 1) {
    const columns = places.map(position => position + 1).join(' and ')
    const hint = `Choose one: ${places.map(position => `{ index: ${position} }`).join(' or ')}.`
    return refuse(asked, `${asked.name}: the header ${show(wanted)} occurs in columns ${columns} of ${facts.path}`, hint, wanted)
  }
  return { column: { header: wanted, index: places[0]! }, issues: [] }
}

function refuse(asked: Asked, message: string, hint: string, column: string | null): Resolved {
  return { issues: [issue('FETTLE_INPUT_HEADER', message, { hint, at: asked.at, column })] }
}

function missingHeader(from: readonly string[], header: readonly string[], path: string, asked: Asked): Resolved {
  const names = from.length === 1 ? `no header ${show(from[0]!)}` : `none of the headers ${showList(from)}`
  const message = `${asked.name}: ${path} has ${names}`
  const hint = header.length === 0 ? 'It has no header at all.' : `Its headers: ${showList(header)}.`
  const alike = header.findIndex(name => from.some(wanted => looks(name) === looks(wanted)))
  if (alike >= 0) {
    const hidden = hasHidden(header[alike]!) ? ', with invisible characters' : ''
    const question = `did you mean ${show(header[alike]!)} (column ${alike + 1}${hidden})?`
    return refuse(asked, `${message}; ${question}`, hint, from[0] ?? null)
  }
  const close = from.map(wanted => nearest(wanted, header)).find(name => name !== null)
  const constant =
    close == null && /\.country(Code)?$/.test(asked.name) && from.length === 1
      ? `For one country in every row write ${asked.name.replace('mappings.', '')}: { value: ${from[0]} }. `
      : ''
  return refuse(asked, close == null ? message : `${message}; did you mean ${show(close)}?`, constant + hint, from[0] ?? null)
}
