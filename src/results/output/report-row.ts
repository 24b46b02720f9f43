/** Builds the rows of a report: key, mapped cells and candidates, masked as the plan requires. */

import { isColumnMasked, isMappingMasked, MASK } from '../../model/mask.ts'
import type { RowCandidate } from '../../model/results.ts'
import type { Plan } from '../../pipeline/model/types.ts'
import type { Candidate } from '../candidates.ts'

export class ReportRowBuilder {
  readonly #plan: Plan

  constructor(plan: Plan) {
    this.#plan = plan
  }

  key(inputRow: readonly string[]): string | null {
    const { key } = this.#plan
    if (key === null) return null
    return isColumnMasked(this.#plan, key.index) ? MASK : (inputRow[key.index] ?? '')
  }

  cells(inputRow: readonly string[]): Record<string, string> {
    const shown = this.#plan.mappings.map(({ mapping, index }) => {
      const cell = inputRow[index] ?? ''
      return [mapping, cell !== '' && isColumnMasked(this.#plan, index) ? MASK : cell] as const
    })
    return Object.fromEntries(shown)
  }

  candidate({ id, name, score, why, parts, fields }: Candidate): RowCandidate {
    const shown = Object.entries(fields).map(([mapping, text]) => {
      return [mapping, isMappingMasked(this.#plan, mapping) ? MASK : text] as const
    })
    return { id, name, score, why, parts, fields: Object.fromEntries(shown) }
  }
}
