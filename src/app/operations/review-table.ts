/**
 * A review as a table: a line for each row and each company it may be, with an empty cell to decide in. What was filled in is read
 * back as a decisions file. Pure.
 */
import { inWords } from '../../model/reasons.ts'
import type { Sample } from '../../report/index.ts'

export interface ReviewTable {
  readonly names: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

export function reviewTable(mappings: readonly string[], samples: readonly Sample[]): ReviewTable {
  const known = new Set(samples.flatMap(one => one.candidates.flatMap(({ fields }) => Object.keys(fields))))
  const fields = [...mappings, 'register', 'otherIds'].filter(name => known.has(name))
  const names = [
    ...['fingerprint', 'decision', 'company', 'companyName', 'name', 'by', 'at', 'expires'],
    ...['row', 'key', 'score', 'why'],
    ...mappings.map(name => `row.${name}`),
    ...fields.map(name => `company.${name}`),
  ]
  return { names, rows: samples.flatMap(sample => linesOf(sample, mappings, fields)) }
}

function linesOf(sample: Sample, mappings: readonly string[], fields: readonly string[]): string[][] {
  const { row, key, cells, fingerprint, decision } = sample
  const candidates = sample.candidates.length > 0 ? sample.candidates : [NOBODY]
  return candidates.map(one => {
    const isMeant = decision !== null && (decision.decision === 'reject' || decision.company === one.id)
    const { by, at, expires } = decision !== null && isMeant ? decision : NO_DECISION
    return [
      ...[fingerprint, isMeant ? decision.decision : '', one.id, one.name, cells.name ?? '', by, at, expires],
      ...[String(row), key ?? '', one.score === null ? '' : one.score.toFixed(3), inWords(one.why)],
      ...mappings.map(name => cells[name] ?? ''),
      ...fields.map(name => one.fields[name] ?? ''),
    ]
  })
}

const NO_DECISION = { by: '', at: '', expires: '' }
const NOBODY: Sample['candidates'][number] = { id: '', name: '', score: null, why: '', parts: {}, fields: {} }
