/** `fettle diff` as text, CSV rows and one line of JSON. */
import { CHANGE_KINDS, type RowChange, type RunChanges } from '../../model/results.ts'
import { besides, CAUSE_WORDS, countWords, KIND_WORDS } from '../sections/changes.ts'
import { count } from '../words.ts'
import { clip, escapeTerminal, safeJson } from './escape.ts'

export interface Diff extends RunChanges {
  /** The later run or file. */
  readonly now: string
}

const CELL = 100

/** The counts, then the first `most` rows of each kind. */
export function renderDiffText(diff: Diff, most: number): string {
  const lines = CHANGE_KINDS.flatMap(kind => {
    const rows = diff.rows.filter(row => row.kind === kind)
    if (diff.counts[kind] === 0) return []
    const rest = diff.counts[kind] - Math.min(rows.length, most)
    const more = rest > 0 ? [`  … ${count(rest)} more`] : []
    const shown = rows.slice(0, most).map(row => `  ${formatChange(row)}`)
    return ['', `${KIND_WORDS[kind]}: ${count(diff.counts[kind])}`, ...shown, ...more]
  })
  return [`${diff.against} -> ${diff.now}: ${countWords(diff.counts)}`, ...lines].map(escapeTerminal).join('\n')
}

function formatChange(change: RowChange): string {
  const { row, key, name, cause } = change
  const { was, is } = besides(change)
  const who = [key ?? (row === null ? '' : `row ${count(row)}`), name].filter(text => text !== '').join(' ')
  const what = was === '' ? is : is === '' ? was : `${was} -> ${is}`
  return `${clip(who, CELL)}  ${clip(what, CELL * 2)}  [${CAUSE_WORDS[cause]}]`
}

export const renderDiffJson = (diff: Diff): string => safeJson({ schema: 'fettle/diff/v1', ...diff })

export const DIFF_COLUMNS = [
  ...['change', 'cause', 'row', 'key', 'name'],
  ...['outcome.before', 'outcome.after', 'company.before', 'company.after', 'companyName.before', 'companyName.after'],
  ...['column', 'value.before', 'value.after'],
] as const

/** A line for each row; for changed data one for each column. */
export const diffRows = (changes: readonly RowChange[]): string[][] =>
  changes.flatMap(({ kind, cause, row, key, name, before, after, columns }) => {
    const cells = [kind, cause, row === null ? '' : String(row), key ?? '', name]
    const [old, now] = [before?.company, after?.company]
    const places = [before?.outcome, after?.outcome, old?.id, now?.id, old?.name, now?.name]
    const common = [...cells, ...places.map(text => text ?? '')]
    const ruled = { name: 'decision', before: before?.ruled ?? '', after: after?.ruled ?? '' }
    const none = kind === 'ruled' ? ruled : { name: '', before: '', after: '' }
    const differing = columns.length === 0 ? [none] : columns
    return differing.map(column => [...common, column.name, column.before, column.after])
  })
