/** What a run changed against the last good run: the data, and the words that every format shows. */
import type { RunState } from '../../journal/index.ts'
import { isColumnMasked, isMappingMasked, MASK } from '../../model/list.ts'
import { CHANGE_KINDS, type ChangeCounts, type ChangeKind, type RowChange, type RunChanges } from '../../model/results.ts'
import { count } from '../words.ts'

/** Masked again, as all rows of a report: a resume may mask more columns. */
export function readChanges({ plan, changes }: RunState): RunChanges | null {
  if (changes === null) return null
  const { against, counts, rows } = changes
  const isKeyMasked = plan.key !== null && isColumnMasked(plan, plan.key.index)
  const shown = rows.map(change => ({
    ...change,
    key: change.key !== null && isKeyMasked ? MASK : change.key,
    name: change.name !== '' && isMappingMasked(plan, 'name') ? MASK : change.name,
  }))
  return { against, counts, rows: plan.report.rows === 'all' ? shown : [] }
}

export const KIND_WORDS: Readonly<Record<ChangeKind, string>> = {
  new: 'new',
  gone: 'gone',
  matched: 'now matched',
  lost: 'lost the match',
  moved: 'another company',
  changed: 'other data',
  outcome: 'another outcome',
  decided: 'decided',
  undone: 'undone',
  ruled: 'decision changed',
}

export const CAUSE_WORDS: Readonly<Record<RowChange['cause'], string>> = {
  list: 'the list changed',
  answer: 'the answer changed',
  company: 'the company changed',
  decision: 'a person decided',
  rule: 'the rules changed',
}

/** `12 new, 3 gone, 1 another company`; `nothing changed`. */
export function countWords(counts: ChangeCounts): string {
  const words = CHANGE_KINDS.filter(kind => counts[kind] > 0).map(kind => `${count(counts[kind])} ${KIND_WORDS[kind]}`)
  return words.length === 0 ? 'nothing changed' : words.join(', ')
}

/** Every kind and its count, also 0: the same figures at the same place every night. Without a decision table no decision changes. */
export const kindCounts = (counts: ChangeCounts): (readonly [string, string])[] =>
  CHANGE_KINDS.filter(kind => kind !== 'ruled' || counts.ruled > 0).map(kind => [KIND_WORDS[kind], count(counts[kind])])

export const kindWords = (counts: ChangeCounts): string =>
  kindCounts(counts)
    .map(([kind, rows]) => `${rows} ${kind}`)
    .join(', ')

const formatCompany = (place: RowChange['before']): string =>
  place === null ? '' : place.company.id === '' ? place.outcome : `${place.company.name} (${place.company.id})`

/** What was and what is, in words: companies, or the columns that differ. */
export function besides({ kind, before, after, columns }: RowChange): { readonly was: string; readonly is: string } {
  if (kind === 'ruled') return { was: before?.ruled ?? '', is: after?.ruled ?? '' }
  if (kind !== 'changed') return { was: formatCompany(before), is: formatCompany(after) }
  const words = (side: 'before' | 'after'): string => columns.map(column => `${column.name}: ${column[side] || '–'}`).join('; ')
  return { was: words('before'), is: words('after') }
}

export const CHANGE_HEAD = ['Row', 'Your row', 'Change', 'Because', 'Before', 'Now'] as const

/** The cells of a change under that head, as plain text. */
export function changeCells(change: RowChange): readonly string[] {
  const { row, key, name, kind, cause } = change
  const { was, is } = besides(change)
  const place = row === null ? '–' : count(row)
  return [key === null ? place : `${place} (${key})`, name, KIND_WORDS[kind], CAUSE_WORDS[cause], was, is]
}
