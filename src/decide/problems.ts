/** Finds what is wrong with a decision table beyond its form: values that do not compare, rules that cannot hold, tests that fail. */
import { didYouMean } from '../nearest.ts'
import { conditionInWords, Decider, fieldOf, kindInWords } from './decide.ts'
import {
  type Bound,
  type Condition,
  columnsOf,
  comparedFields,
  type DecisionTable,
  type Field,
  isConditionMap,
  namedFields,
  OTHERWISE,
  type Rule,
  TABLE_PARTS,
} from './table.ts'
import { valueReader } from './values.ts'

/** A problem of a table, at the path of what has it. */
export interface TableProblem {
  readonly path: readonly (string | number)[]
  readonly message: string
  readonly hint?: string | undefined
  /** It is about the key, not its value. */
  readonly part?: 'key'
  /** Where the other rule is that it is about. */
  readonly other?: readonly (string | number)[]
  /** A note: the table can be used. */
  readonly severity?: 'info'
}

type Fields = Pick<DecisionTable, 'fields'>
type PlacedRule = readonly [rule: Rule, at: number]
type PlacedConditions = readonly [rule: Pick<Rule, 'when'>, at: number]

/** The problems of a table; `given` may have parts of a wrong form, which are left out. */
export function tableProblems(given: unknown): TableProblem[] {
  const fields = validFields(given)
  const rules = validRules(given)
  const broken = brokenRules(given)
  const problems = new Map(rules.map(placed => [placed, ruleProblems({ fields }, placed)]))
  return [
    ...Object.entries(fields).flatMap(([name, field]) =>
      fieldProblems(
        name,
        field,
        [...rules, ...broken].map(([{ when }]) => when),
      ),
    ),
    ...broken.flatMap(placed => whenProblems({ fields }, placed)),
    ...[...problems.values()].flat(),
    ...repeatedNames(rules),
    ...coveredRules(
      { fields },
      rules.filter(placed => problems.get(placed)!.length === 0),
    ),
  ]
}

const isMap = (given: unknown): given is Readonly<Record<string, unknown>> =>
  typeof given === 'object' && given !== null && !Array.isArray(given)

const readKey = (given: unknown, key: string): unknown => (isMap(given) && Object.hasOwn(given, key) ? given[key] : undefined)

function validFields(given: unknown): Readonly<Record<string, Field>> {
  const written = readKey(given, 'fields')
  if (!isMap(written)) return {}
  return Object.fromEntries(
    Object.entries(written).flatMap(([name, field]) => {
      const parsed = TABLE_PARTS.field.safeParse(field)
      return [[name, parsed.success ? parsed.data : {}]]
    }),
  )
}

const rulesIn = (given: unknown): readonly unknown[] => {
  const written = readKey(given, 'rules')
  return Array.isArray(written) ? written : []
}

const validRules = (given: unknown): PlacedRule[] =>
  rulesIn(given).flatMap((part, at): PlacedRule[] => {
    const parsed = TABLE_PARTS.rule.safeParse(part)
    return parsed.success ? [[parsed.data, at]] : []
  })

/** Rules of a wrong form, whose conditions can still be checked. */
const brokenRules = (given: unknown): PlacedConditions[] =>
  rulesIn(given).flatMap((part, at): PlacedConditions[] => {
    if (TABLE_PARTS.rule.safeParse(part).success) return []
    const when = TABLE_PARTS.rule.shape.when.safeParse(readKey(part, 'when'))
    return when.success ? [[{ when: when.data }, at]] : []
  })

const AGES = ['days', 'months', 'years']

/** Problems of the declaration of a field, at its name under `fields`. */
export function declarationProblems(name: string, { type = 'text', decimal, order, unit }: Field): TableProblem[] {
  const path = ['fields', name]
  const only = (key: string, types: string): TableProblem => ({
    path: [...path, key],
    part: 'key',
    message: `fields.${name}: ${key} is for ${types}, and the field is ${type}`,
  })
  const problems: TableProblem[] = []
  if (decimal !== undefined && type !== 'number') problems.push(only('decimal', 'type: number'))
  if (order !== undefined && type !== 'date' && type !== 'age') problems.push(only('order', 'type: date or age'))
  if (unit !== undefined && type !== 'number' && type !== 'age') problems.push(only('unit', 'type: number or age'))
  if (type === 'age' && !AGES.includes(unit ?? ''))
    problems.push({ path: [...path, 'unit'], message: `fields.${name}: an age needs unit: days, months or years` })
  return problems
}

function fieldProblems(name: string, field: Field, conditions: readonly Rule['when'][]): TableProblem[] {
  const path = ['fields', name]
  const problems = declarationProblems(name, field)
  const read = new Set(
    conditions.flatMap(when => Object.entries(when).flatMap(([key, given]) => [key, ...comparedFields(given)])),
  )
  if (!read.has(name)) problems.push({ path, part: 'key', message: `no rule reads the field "${name}"${didYouMean(name, read)}` })
  return problems
}

const whenProblems = (table: Fields, [{ when }, at]: PlacedConditions): TableProblem[] =>
  Object.entries(when).flatMap(([name, given]) =>
    conditionProblems(table, { name, field: fieldOf(table, name), path: ['rules', at, 'when', name] }, given),
  )

function ruleProblems(table: Fields, [rule, at]: PlacedRule): TableProblem[] {
  const path = ['rules', at]
  const problems = whenProblems(table, [rule, at])
  if (rule.name === OTHERWISE)
    problems.push({
      path: [...path, 'name'],
      message: `a rule cannot be called ${OTHERWISE}: decision.rule has it where no rule holds`,
    })
  if (rule.from !== undefined && rule.until !== undefined && rule.until < rule.from)
    problems.push({
      path: [...path, 'until'],
      message: `the rule "${rule.name}" never applies: ${rule.until} is before ${rule.from}`,
    })
  return problems
}

interface Compared {
  readonly name: string
  readonly field: Field
  readonly path: readonly (string | number)[]
}

function conditionProblems(table: Fields, compared: Compared, given: Condition): TableProblem[] {
  const { name, field, path } = compared
  const wrongValue = (written: string | number | boolean, at: readonly (string | number)[]): TableProblem[] => {
    if (valueReader(field)(String(written)) !== null) return []
    const form = field.type === 'date' ? 'Write a day such as 2026-01-31.' : 'Write digits with a decimal point, such as 1500.50.'
    const wanted = field.type === 'age' ? `an age in ${field.unit}` : kindInWords(field)
    return [{ path: at, message: `"${name}" is compared with "${written}", which is not ${wanted}`, hint: form }]
  }
  if (!isConditionMap(given)) {
    if (!Array.isArray(given)) return wrongValue(given as string, path)
    return given.flatMap((item, at) => wrongValue(item, [...path, at]))
  }
  const bounds: (readonly [key: string, limit: Bound | undefined, at: readonly (string | number)[]])[] = [
    ['<', given['<'], [...path, '<']],
    ['>', given['>'], [...path, '>']],
    ...(given.between ?? []).map((limit, at) => ['between', limit, [...path, 'between', at]] as const),
  ]
  const problems: TableProblem[] = []
  if (given['='] !== undefined) problems.push(...wrongValue(given['='], [...path, '=']))
  for (const [at, item] of (given.in ?? []).entries()) problems.push(...wrongValue(item, [...path, 'in', at]))
  const ordered = bounds.filter(([, limit]) => limit !== undefined)
  if (ordered.length > 0 && (field.type ?? 'text') === 'text') {
    const [key, , at] = ordered[0]!
    const hint = `Declare it: fields: { ${JSON.stringify(name)}: { type: number } }, or type: date.`
    return [...problems, { path: at, part: 'key', message: `"${name}" is text, and ${key} compares numbers or dates`, hint }]
  }
  for (const [, limit, at] of ordered)
    problems.push(...(typeof limit === 'object' ? otherField(table, compared, limit.field, at) : wrongValue(limit!, at)))
  if (given.not !== undefined) problems.push(...conditionProblems(table, { ...compared, path: [...path, 'not'] }, given.not))
  const range = rangeOf(field, given)
  if (problems.length === 0 && range !== null && isEmpty(range))
    problems.push({ path, message: `"${name}" ${conditionInWords(given)}: no value can be that` })
  return problems
}

function otherField(table: Fields, { name, field }: Compared, other: string, path: TableProblem['path']): TableProblem[] {
  const compared = fieldOf(table, other)
  if (compared.type === field.type && compared.unit?.toLowerCase() === field.unit?.toLowerCase()) return []
  const message = `"${name}" is ${kindInWords(field)}, and "${other}", which it is compared with, is ${kindInWords(compared)}`
  return [{ path, message, hint: `Give both the same type and unit under fields.` }]
}

function repeatedNames(rules: readonly PlacedRule[]): TableProblem[] {
  return rules.flatMap(([{ name }, at]): TableProblem[] => {
    const first = rules.find(rule => rule[0].name === name)!
    return first[1] === at
      ? []
      : [{ path: ['rules', at, 'name'], message: `two rules are called "${name}": decision.rule could mean either` }]
  })
}

/** Numbers or dates from `low` to `high`; `open`: the end itself is outside. */
interface Range {
  readonly low: number
  readonly high: number
  readonly lowOpen: boolean
  readonly highOpen: boolean
}

/** The values for which a condition holds, if it is made of bounds alone. */
function rangeOf(field: Field, given: Condition): Range | null {
  if ((field.type ?? 'text') === 'text' || !isConditionMap(given)) return null
  const { '<': below, '>': above, between, present, ...rest } = given
  const bounds = [below, above, ...(between ?? [])].filter(limit => limit !== undefined)
  if (bounds.length === 0 || Object.keys(rest).length > 0 || present === false || bounds.some(limit => typeof limit === 'object'))
    return null
  const read = (limit: Bound | undefined): number | null =>
    limit === undefined ? null : (valueReader(field)(String(limit)) as number | null)
  const [first, last] = between ?? []
  const [low, high] = [read(first) ?? -Infinity, read(last) ?? Infinity]
  const [lowOpen, highOpen] = [read(above) ?? -Infinity, read(below) ?? Infinity]
  return {
    low: Math.max(low, lowOpen),
    high: Math.min(high, highOpen),
    lowOpen: lowOpen >= low,
    highOpen: highOpen <= high,
  }
}

const isEmpty = ({ low, high, lowOpen, highOpen }: Range): boolean => low > high || (low === high && (lowOpen || highOpen))

const isWithin = (inner: Range, outer: Range): boolean =>
  (inner.low > outer.low || (inner.low === outer.low && (inner.lowOpen || !outer.lowOpen))) &&
  (inner.high < outer.high || (inner.high === outer.high && (inner.highOpen || !outer.highOpen)))

const shareValues = (a: Range, b: Range): boolean =>
  !isEmpty({
    low: Math.max(a.low, b.low),
    high: Math.min(a.high, b.high),
    lowOpen: (a.low >= b.low && a.lowOpen) || (b.low >= a.low && b.lowOpen),
    highOpen: (a.high <= b.high && a.highOpen) || (b.high <= a.high && b.highOpen),
  })

/** The values of a set, if a condition is one. */
function setOf(field: Field, given: Condition): ReadonlySet<string | number | null> | null {
  if (isConditionMap(given)) {
    const { '=': only, in: several = only === undefined ? undefined : [only], ...rest } = given
    return several === undefined || Object.keys(rest).length > 0 || (only !== undefined && given.in !== undefined)
      ? null
      : setOf(field, several)
  }
  return new Set([given].flat().map(value => valueReader(field)(String(value))))
}

/** Whether the first condition holds for all values for which the second one does. */
function covers(field: Field, first: Condition, second: Condition): boolean {
  if (JSON.stringify(first) === JSON.stringify(second)) return true
  const [range, inner] = [rangeOf(field, first), rangeOf(field, second)]
  if (range !== null && inner !== null) return isWithin(inner, range)
  const [set, subset] = [setOf(field, first), setOf(field, second)]
  return set !== null && subset !== null && [...subset].every(value => set.has(value))
}

/** Rules that no row reaches, since an earlier rule holds for all of their rows, and rules that lose a part of their rows to an earlier one. */
function coveredRules(table: Fields, rules: readonly PlacedRule[]): TableProblem[] {
  return rules.flatMap(([rule, at]): TableProblem[] => {
    for (const [earlier, before] of rules) {
      if (before >= at) return []
      const other = ['rules', before, 'name']
      if (isCovered(table, earlier, rule)) {
        const message = `the rule "${rule.name}" is never reached: "${earlier.name}" before it holds for all of its rows`
        return [{ path: ['rules', at, 'name'], message, hint: 'Remove it, or put it first.', other }]
      }
      const overlap = findOverlap(table, earlier, rule)
      if (overlap === null) continue
      const { fields, isOfRanges } = overlap
      const [path, takes] = [['rules', at, 'when', fields[0]!], `the rule "${earlier.name}" (${earlier.decision}) takes`]
      if (isOfRanges) {
        const message = `the ranges of "${fields[0]}" overlap: ${takes} rows of "${rule.name}" (${rule.decision})`
        const hint = 'Write ranges that do not share values, or one that contains the other, the narrower one first.'
        return [{ path, message, hint, other }]
      }
      const message = `the rules overlap in "${fields.join('", "')}": ${takes} a part of the rows of "${rule.name}" (${rule.decision})`
      return [{ path, message, hint: 'No action is needed if the first of them is to decide.', other, severity: 'info' }]
    }
    return []
  })
}

const LAST_DAY = '9999-12-31'

const applyTogether = (a: Rule, b: Rule): boolean =>
  [a, b].every(({ from = '' }) => from <= (a.until ?? LAST_DAY) && from <= (b.until ?? LAST_DAY))

function isCovered(table: Fields, earlier: Rule, later: Rule): boolean {
  const isWhole = (earlier.from ?? '') <= (later.from ?? '') && (earlier.until ?? LAST_DAY) >= (later.until ?? LAST_DAY)
  return (
    isWhole &&
    Object.entries(earlier.when).every(
      ([name, given]) => Object.hasOwn(later.when, name) && covers(fieldOf(table, name), given, later.when[name]!),
    )
  )
}

/** What two conditions on a field have in common; null where that is not known. */
function compareConditions(field: Field, first: Condition, second: Condition) {
  const [range, other] = [rangeOf(field, first), rangeOf(field, second)]
  if (range !== null && other !== null)
    return { isShared: shareValues(range, other), isWithin: isWithin(range, other), isOfRanges: true }
  const [set, values] = [setOf(field, first), setOf(field, second)]
  if (set === null || values === null) return null
  return { isShared: [...set].some(value => values.has(value)), isWithin: covers(field, second, first), isOfRanges: false }
}

/**
 * The fields in which an earlier rule takes a part of the rows of a later one with another decision. Null where the rules name different
 * fields, share no rows, or the earlier one is the narrower.
 */
function findOverlap(table: Fields, earlier: Rule, later: Rule) {
  const names = Object.keys(earlier.when)
  if (earlier.decision === later.decision || names.length !== Object.keys(later.when).length) return null
  if (!names.every(name => Object.hasOwn(later.when, name)) || !applyTogether(earlier, later)) return null
  const fields = names.filter(name => JSON.stringify(earlier.when[name]) !== JSON.stringify(later.when[name]))
  const compared = fields.map(name => compareConditions(fieldOf(table, name), earlier.when[name]!, later.when[name]!))
  if (compared.length === 0 || !compared.every(found => found?.isShared) || compared.every(found => found?.isWithin)) return null
  return { fields, isOfRanges: compared.length === 1 && compared[0]!.isOfRanges }
}

/** The columns that there are, and what has them. */
export interface KnownColumns {
  readonly known: readonly string[]
  readonly what: string
  /** What would make an unknown column known. */
  readonly hintFor?: (column: string) => string | undefined
}

/** Fields whose columns do not exist. */
export function columnProblems(table: DecisionTable, { known, what, hintFor }: KnownColumns): TableProblem[] {
  return namedFields(table).flatMap((name): TableProblem[] => {
    const columns = columnsOf(table, name)
    if (columns.some(column => known.includes(column))) return []
    const isDeclared = table.fields?.[name]?.from !== undefined
    const message = `"${columns.join('", "')}" is not a column of ${what}${didYouMean(columns[0]!, known)}`
    return pathsOf(table, name).map(path => ({
      path: isDeclared ? ['fields', name, 'from'] : path,
      part: isDeclared ? undefined : 'key',
      message,
      hint: hintFor?.(columns[0]!),
    })) as TableProblem[]
  })
}

/** The first place where a field is named. */
function pathsOf({ fields = {}, rules }: DecisionTable, name: string): TableProblem['path'][] {
  if (Object.hasOwn(fields, name)) return [['fields', name]]
  const at = rules.findIndex(({ when }) => Object.hasOwn(when, name))
  if (at >= 0) return [['rules', at, 'when', name]]
  const compared = rules.findIndex(({ when }) => Object.values(when).some(given => comparedFields(given).includes(name)))
  const [key] = Object.entries(rules[compared]!.when).find(([, given]) => comparedFields(given).includes(name))!
  return [['rules', compared, 'when', key]]
}

/** A test of a table, and what differs from its expectation; null: passed. */
export interface TestedCase {
  readonly name: string
  readonly at: number
  readonly failure: TableProblem | null
  readonly rule: string
}

/** Runs the tests of a table; those that name no day as of `today`. */
export function testTable(table: DecisionTable, today: string): TestedCase[] {
  const deciders = new Map<string, Decider>()
  return (table.tests ?? []).map(({ name, row, expect, asOf = today }, at) => {
    const decider = deciders.get(asOf) ?? new Decider(table, asOf)
    deciders.set(asOf, decider)
    const unknown = Object.keys(row).find(field => !decider.fields.includes(field))
    if (unknown !== undefined) {
      const message = `no rule reads the field "${unknown}"${didYouMean(unknown, decider.fields)}`
      return { name, at, rule: '', failure: { path: ['tests', at, 'row', unknown], part: 'key', message } }
    }
    const found = decider.decide(decider.fields.map(field => (Object.hasOwn(row, field) ? String(row[field]) : undefined)))
    const { decision, rule = found.rule } = typeof expect === 'string' ? { decision: expect } : expect
    const isRight = found.decision === decision && found.rule === rule
    const wanted = typeof expect === 'string' || expect.rule === undefined ? decision : `${decision} by ${expect.rule}`
    const message = `the test "${name}" fails: expected ${wanted}, found ${found.decision} by ${found.rule}: ${found.why}`
    return { name, at, rule: found.rule, failure: isRight ? null : { path: ['tests', at, 'expect'], message } }
  })
}
