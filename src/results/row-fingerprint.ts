/**
 * What a decision knows a row by: a digest of what is asked about it, whatever file it stands in and wherever in it. Pure.
 */
import { createHash } from 'node:crypto'
import type { Plan } from '../pipeline/model/types.ts'

/** The form of a fingerprint. It begins with a letter, so that no spreadsheet takes it for a number. */
export const FINGERPRINT = /^r[0-9a-f]{32}$/

/** Makes the fingerprint of a row that goes up: of its mapped cells by the names of their mappings; empty cells say nothing. */
export function fingerprinter({ mappings }: Pick<Plan, 'mappings'>): (sent: readonly string[]) => string {
  const asked = mappings.filter(({ value }) => value === undefined).toSorted((a, b) => (a.mapping < b.mapping ? -1 : 1))
  return sent => {
    const cells = asked.map(({ mapping, index }) => [mapping, (sent[index] ?? '').trim()]).filter(([, cell]) => cell !== '')
    return `r${createHash('sha256').update(JSON.stringify(cells)).digest('hex').slice(0, 32)}`
  }
}
