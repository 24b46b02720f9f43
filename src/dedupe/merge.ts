/** Merges the rows of a group to one row, by a rule for each column. */
import type { TableColumns } from '../prepare/table-register.ts'

export const MERGE_RULES = ['first-filled', 'longest', 'most', 'all'] as const

export type MergeRule = (typeof MERGE_RULES)[number]

/** Of columns, by their place; `rest` is the rule of the others. */
export interface MergeRules {
  readonly rest: MergeRule
  readonly columns: ReadonlyMap<number, MergeRule>
}

/** Between several values in one cell. */
const SEPARATOR = ' | '

/** An address is of one row: parts of two addresses are none. */
const ADDRESS = ['address1', 'address2', 'town', 'postcode'] as const

export interface MergedRow {
  readonly cells: readonly string[]
  /** By column, the values that the merged row does not have. */
  readonly dropped: ReadonlyMap<number, readonly string[]>
}

export class Merger {
  readonly #rules: MergeRules
  readonly #address: readonly number[]
  /** Groups in which values of a column were dropped, by column. */
  readonly conflicts = new Map<number, number>()

  constructor(rules: MergeRules, columns: TableColumns) {
    this.#rules = rules
    const places = ADDRESS.flatMap(field => columns[field] ?? [])
    const isOpen = rules.rest === 'first-filled' && !places.some(at => rules.columns.has(at))
    this.#address = isOpen ? places : []
  }

  /** `rows`: the kept row first, then those that would be kept without it. */
  merge(rows: readonly (readonly string[])[]): MergedRow {
    if (rows.length === 1) return { cells: rows[0]!, dropped: new Map() }
    const width = Math.max(...rows.map(row => row.length))
    const addressed = this.#findAddressed(rows)
    const dropped = new Map<number, readonly string[]>()
    const cells = Array.from({ length: width }, (_, at) => {
      const counts = new Map<string, number>()
      for (const row of rows) {
        const cell = (row[at] ?? '').trim()
        if (cell !== '') counts.set(cell, (counts.get(cell) ?? 0) + 1)
      }
      const rule = this.#rules.columns.get(at) ?? this.#rules.rest
      const cell = this.#address.includes(at) ? (addressed[at] ?? '').trim() : chooseCell(rule, counts)
      const others = rule === 'all' ? [] : [...counts.keys()].filter(other => other !== cell)
      if (others.length > 0) {
        dropped.set(at, others)
        this.conflicts.set(at, (this.conflicts.get(at) ?? 0) + 1)
      }
      return cell
    })
    return { cells, dropped }
  }

  /** The first row with the most cells of an address. */
  #findAddressed(rows: readonly (readonly string[])[]): readonly string[] {
    const count = (row: readonly string[]): number => this.#address.filter(at => (row[at] ?? '').trim() !== '').length
    return rows.reduce((best, row) => (count(row) > count(best) ? row : best))
  }
}

/** `counts`: the different values, in the order of their rows; the first of equal ones is taken. */
function chooseCell(rule: MergeRule, counts: ReadonlyMap<string, number>): string {
  const values = [...counts.keys()]
  if (rule === 'all') return values.join(SEPARATOR)
  if (rule === 'first-filled') return values[0] ?? ''
  const weigh = (value: string): number => (rule === 'longest' ? value.length : counts.get(value)!)
  return values.reduce((best, value) => (weigh(value) > weigh(best) ? value : best), values[0] ?? '')
}

/** `Phone: 020 1 | 020 2; Name: Acme` */
export const describeDropped = ({ dropped }: MergedRow, names: readonly string[]): string =>
  [...dropped].map(([at, values]) => `${names[at]}: ${values.join(SEPARATOR)}`).join('; ')
