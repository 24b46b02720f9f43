/** A row of the input as a report may show it: its mapped cells, masked where the pipeline says so. It knows no outcome. */
import type { RowCandidate } from '../../pipeline/model/row-types.ts'
import type { Plan } from '../../pipeline/model/types.ts'
import type { Candidate } from '../candidates.ts'

/** Shows rows of a plan. */
export class ReportRowBuilder {
  readonly #plan: Plan

  constructor(plan: Plan) {
    this.#plan = plan
  }

  /** The row's own id, null where the pipeline names none. */
  key(cells: readonly string[]): string | null {
    const { key } = this.#plan
    if (key === null) return null
    const mappings = this.#plan.mappings.filter(one => one.index === key.index).map(one => one.mapping)
    return this.#masked([key.header, ...mappings]) ? '***' : (cells[key.index] ?? '')
  }

  /** Mapping name -> text. */
  cells(cells: readonly string[]): Record<string, string> {
    const shown = this.#plan.mappings.map(({ mapping, header, index }) => {
      const cell = cells[index] ?? ''
      return [mapping, cell !== '' && this.#masked([mapping, header]) ? '***' : cell] as const
    })
    return Object.fromEntries(shown)
  }

  /** A candidate under the same masks: that a masked cell is the same would tell it. */
  candidate({ id, name, score, why, parts, fields }: Candidate): RowCandidate {
    const shown = Object.entries(fields).map(([mapping, text]) => [mapping, this.#isMasked(mapping) ? '***' : text] as const)
    return { id, name, score, why, parts, fields: Object.fromEntries(shown) }
  }

  #isMasked(mapping: string): boolean {
    return this.#masked([mapping, ...this.#plan.mappings.filter(one => one.mapping === mapping).map(one => one.header)])
  }

  #masked(names: readonly (string | null)[]): boolean {
    return names.some(name => name !== null && this.#plan.report.mask.includes(name))
  }
}
