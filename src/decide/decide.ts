/**
 * Decides about rows by a decision table. A condition holds, does not hold, or cannot be judged because a value is missing or unreadable. A rule
 * with a condition that does not hold is passed over, regardless of its other values; a rule that would hold but for a value that cannot be
 * judged refers the row. So the order of the conditions in a rule changes nothing.
 */
import {
  appliesOn,
  type Bound,
  type Condition,
  comparedFields,
  type Decided,
  type DecisionTable,
  type Field,
  isConditionMap,
  namedFields,
  OTHERWISE,
} from './table.ts'
import { cellReader, type Read, valueReader } from './values.ts'

/** What a table decided about a row. */
export interface Decision {
  readonly decision: Decided
  /** The rule that holds or could not be judged; `otherwise` if no rule holds. */
  readonly rule: string
  /** The sentence of the rule with the values that it read. */
  readonly why: string
  /** The field whose value was needed and is missing or unreadable; null if the rules could be judged. */
  readonly missing: string | null
}

const NO = 0
const YES = 1
const UNKNOWN = 2
/** Whether a condition holds for the present row. */
type Judge = () => typeof NO | typeof YES | typeof UNKNOWN

interface CompiledRule {
  readonly name: string
  readonly decision: Decided
  readonly because: string
  readonly judges: readonly Judge[]
  /** The fields of each judge, by position. */
  readonly reads: readonly (readonly number[])[]
}

const UNREAD = 0
const READ = 1
const ABSENT = 2
const UNREADABLE = 3

/** A table on a day. It keeps the values of the row that it decides about, so that a cell is read once. */
export class Decider {
  /** The fields, in the order in which `decide` takes their cells. */
  readonly fields: readonly string[]
  readonly #otherwise: Decision
  readonly #rules: readonly CompiledRule[]
  readonly #kinds: readonly Field[]
  readonly #readers: readonly Read[]
  readonly #states: Uint8Array
  readonly #values: (string | number)[]
  #cells: readonly (string | undefined)[] = []

  /** `asOf`: the day of the decisions, such as 2026-01-31. The table must be without problems. */
  constructor(table: DecisionTable, asOf: string) {
    this.fields = namedFields(table)
    this.#kinds = this.fields.map(name => fieldOf(table, name))
    this.#readers = this.#kinds.map(field => cellReader(field, asOf))
    this.#states = new Uint8Array(this.fields.length)
    this.#values = this.fields.map(() => 0)
    this.#rules = table.rules.filter(rule => appliesOn(rule, asOf)).map(rule => this.#compileRule(rule))
    const { otherwise } = table
    const { decision, because = 'no rule holds' } = typeof otherwise === 'string' ? { decision: otherwise } : otherwise
    this.#otherwise = { decision, rule: OTHERWISE, why: because, missing: null }
  }

  /** The decision about a row, given by its cells in the order of `fields`; a column that does not exist is undefined. */
  decide(cells: readonly (string | undefined)[]): Decision {
    this.#cells = cells
    this.#states.fill(UNREAD)
    for (const rule of this.#rules) {
      let unknown = -1
      let holds = true
      for (let at = 0; at < rule.judges.length && holds; at++) {
        const judged = rule.judges[at]!()
        if (judged === NO) holds = false
        else if (judged === UNKNOWN && unknown < 0) unknown = at
      }
      if (!holds) continue
      if (unknown >= 0) return this.#refer(rule, rule.reads[unknown]!)
      return { decision: rule.decision, rule: rule.name, why: this.#explain(rule), missing: null }
    }
    return this.#otherwise
  }

  #read(field: number): number {
    const state = this.#states[field]!
    if (state !== UNREAD) return state
    const cell = this.#cells[field]
    const value = cell === undefined || cell.trim() === '' ? undefined : this.#readers[field]!(cell)
    if (value != null) this.#values[field] = value
    const found = value === undefined ? ABSENT : value === null ? UNREADABLE : READ
    this.#states[field] = found
    return found
  }

  #refer({ name }: CompiledRule, reads: readonly number[]): Decision {
    const field = reads.find(at => this.#read(at) !== READ)!
    const cell = this.#read(field) === ABSENT ? undefined : this.#cells[field]
    return referWithout(name, this.fields[field]!, this.#kinds[field]!, cell)
  }

  #explain({ because, reads }: CompiledRule): string {
    let found = ''
    const seen = new Set<number>()
    for (const fields of reads)
      for (const field of fields) {
        if (seen.has(field)) continue
        seen.add(field)
        found += `${found === '' ? '' : ', '}${this.fields[field]} ${this.#read(field) === ABSENT ? 'absent' : this.#show(field)}`
      }
    return `${because} (${found})`
  }

  #show(field: number): string {
    return showCell(this.#cells[field] ?? '')
  }

  #compileRule({ name, when, decision, because }: DecisionTable['rules'][number]): CompiledRule {
    const conditions = Object.entries(when)
    return {
      name,
      decision,
      because: because ?? conditions.map(([field, given]) => `${field} ${conditionInWords(given)}`).join(' and '),
      judges: conditions.map(([field, given]) => this.#compile(this.fields.indexOf(field), given)),
      reads: conditions.map(([field, given]) => [field, ...comparedFields(given)].map(read => this.fields.indexOf(read))),
    }
  }

  #compile(field: number, given: Condition): Judge {
    const toValue = valueReader(this.#kinds[field]!)
    const readValue = (value: string | number | boolean): string | number => toValue(String(value))!
    if (!isConditionMap(given)) return this.#compileSet(field, [given].flat().map(readValue))
    const judges: Judge[] = []
    if (given['='] !== undefined) judges.push(this.#compileSet(field, [readValue(given['='])]))
    if (given.in !== undefined) judges.push(this.#compileSet(field, given.in.map(readValue)))
    const bound = (limit: Bound): (() => number | null) => {
      if (typeof limit !== 'object') {
        const value = readValue(limit) as number
        return () => value
      }
      const other = this.fields.indexOf(limit.field)
      return () => (this.#read(other) === READ ? (this.#values[other] as number) : null)
    }
    const compare = (limit: Bound, holds: (value: number, limit: number) => boolean): void => {
      const read = bound(limit)
      judges.push(() => {
        if (this.#read(field) !== READ) return UNKNOWN
        const other = read()
        if (other === null) return UNKNOWN
        return holds(this.#values[field] as number, other) ? YES : NO
      })
    }
    if (given['<'] !== undefined) compare(given['<'], (value, limit) => value < limit)
    if (given['>'] !== undefined) compare(given['>'], (value, limit) => value > limit)
    if (given.between !== undefined) {
      compare(given.between[0]!, (value, limit) => value >= limit)
      compare(given.between[1]!, (value, limit) => value <= limit)
    }
    if (given.not !== undefined) {
      const inner = this.#compile(field, given.not)
      judges.push(() => {
        const judged = inner()
        return judged === UNKNOWN ? judged : judged === YES ? NO : YES
      })
    }
    const { present } = given
    if (present !== undefined) judges.push(() => ((this.#read(field) !== ABSENT) === present ? YES : NO))
    return judges.length === 1 ? judges[0]! : () => judgeAll(judges)
  }

  #compileSet(field: number, values: readonly (string | number)[]): Judge {
    const [only] = values
    const set = new Set(values)
    const has = values.length === 1 ? (value: string | number) => value === only : (value: string | number) => set.has(value)
    return () => (this.#read(field) !== READ ? UNKNOWN : has(this.#values[field]!) ? YES : NO)
  }
}

/** Refers a row for a value that is needed and missing or unreadable. */
export function referWithout(rule: string, missing: string, field: Field, cell: string | undefined): Decision {
  const problem = cell === undefined ? 'is missing' : `is not ${kindInWords(field)}: "${showCell(cell)}"`
  return { decision: 'refer', rule, why: `${missing} ${problem}`, missing }
}

function showCell(cell: string): string {
  const shown = cell.trim().replace(/\s+/g, ' ')
  return shown.length > 60 ? `${shown.slice(0, 60)}…` : shown
}

function judgeAll(judges: readonly Judge[]): ReturnType<Judge> {
  let all: ReturnType<Judge> = YES
  for (const judge of judges) {
    const judged = judge()
    if (judged === NO) return judged
    if (judged === UNKNOWN) all = judged
  }
  return all
}

/** How a field is read; one that is named in a rule only is text. */
export const fieldOf = ({ fields = {} }: Pick<DecisionTable, 'fields'>, name: string): Field =>
  Object.hasOwn(fields, name) ? fields[name]! : {}

export function kindInWords({ type = 'text', unit }: Field): string {
  if (type === 'number') return unit === undefined ? 'a number' : `a number in ${unit}`
  return type === 'text' ? 'a text' : 'a date'
}

/** `is one of A, B`, `> 5000`, `between 1 and 5` */
export function conditionInWords(given: Condition): string {
  if (!isConditionMap(given)) return Array.isArray(given) ? `is one of ${given.join(', ')}` : `is ${given}`
  const show = (limit: Bound): string => (typeof limit === 'object' ? limit.field : String(limit))
  const parts = Object.entries(given).map(([key, value]) => {
    if (key === '=') return `is ${value}`
    if (key === 'in') return `is one of ${(value as string[]).join(', ')}`
    if (key === 'between') return `is between ${(value as Bound[]).map(show).join(' and ')}`
    if (key === 'present') return value === true ? 'is present' : 'is absent'
    if (key === 'not') return `not: ${conditionInWords(value as Condition)}`
    return `${key} ${show(value as Bound)}`
  })
  return parts.join(' and ')
}
