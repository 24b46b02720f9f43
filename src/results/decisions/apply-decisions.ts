/**
 * Applies users' decisions to the answers of the service: another company, or none. Every row has one outcome before and one after, so
 * that the totals stay correct.
 */
import type { FetchedCompany } from '../../model/results.ts'
import { type Answer, NOT_SENT } from '../answers.ts'
import { type Candidate, listCandidates } from '../candidates.ts'
import { COMPANY_TAGS } from '../enriched-file.ts'
import type { Decision } from './decision.ts'
import type { Decisions, Verdict } from './decisions.ts'
import type { LearnedNames } from './learned-names.ts'

export type Effect = 'accepted' | 'rejected' | 'agreed' | 'overruled' | 'narrowed'

export interface RowResult extends Answer {
  /** Replaces cells of the answer; undefined keeps the cell. */
  readonly overrideCell: ((name: string) => string | undefined) | null
  readonly candidates: readonly Candidate[]
  /** The deciding line and its effect; null without a decision. */
  readonly decided: { readonly line: Decision; readonly effect: Effect } | null
  /** The decision about a row of nearly the same name, which decides this one; null without one. */
  readonly learned: Decision | null
}

/** Finds the tags of a company that a person accepted; `candidate`: what the answer has of it. */
export interface AcceptedTags {
  get(id: string, candidate?: Candidate): FetchedCompany['tags'] | undefined
}

const OF_ROW: ReadonlySet<string> = new Set(['general.rowNumber', 'general.pattern', 'general.banding', 'general.bandingDesc'])
const NAMES: ReadonlySet<string> = new Set(['general.companyName', 'general.legalName'])

/** Applies the decision about the row of these fingerprints; `known` has tags of accepted companies. A failed row stays failed: a decision does not replace its answer. */
export function applyDecision(
  answer: Answer,
  fingerprints: readonly string[],
  decisions: Decisions | null,
  known: AcceptedTags | null = null,
): RowResult {
  const { outcome } = answer
  const candidates = outcome === 'review' || outcome === 'unmatched' ? listCandidates(answer) : []
  const notAccepted = answer.reason === '' ? null : cellsWithout(answer, candidates[0])
  const unchanged = undecided(answer, notAccepted, candidates)
  const verdict = outcome === 'failed' ? undefined : decisions?.about(fingerprints)
  if (verdict === undefined) return unchanged
  const decided = verdict.accepted === null ? reject(unchanged, verdict) : accept(unchanged, verdict.accepted, known)
  if (notAccepted === null) return decided
  return { ...decided, overrideCell: column => decided.overrideCell?.(column) ?? notAccepted(column) }
}

/** For every row: a copy by `...answer` takes seven times as long, and more memory. */
const undecided = (
  { row, columns, outcome, serviceOutcome, reason, proposed, given, raw }: Answer,
  overrideCell: RowResult['overrideCell'],
  candidates: readonly Candidate[],
): RowResult => ({
  row,
  columns,
  outcome,
  serviceOutcome,
  reason,
  proposed,
  given,
  raw,
  overrideCell,
  candidates,
  decided: null,
  learned: null,
})

export const SKIPPED: RowResult = undecided(NOT_SENT, null, [])

/** The cells of a row whose match `accept` does not take: without the company, which is the best candidate. */
function cellsWithout({ reason }: Answer, company: Candidate | undefined): (column: string) => string | undefined {
  const cells: Readonly<Record<string, string | undefined>> = {
    'match.candidateId': company?.id,
    'match.candidateName': company?.name,
    'match.why': company?.why,
    'match.reason': reason,
    'general.duplicateId': '',
  }
  return column => cells[column] ?? ofNoCompany(column)
}

/** The row has a company. */
export const isFound = ({ outcome }: { readonly outcome: string }): boolean =>
  outcome === 'matched' || outcome === 'duplicate' || outcome === 'manualMatched'

export const cellOf = ({ row, columns, overrideCell }: RowResult, name: string): string =>
  overrideCell?.(name) ?? row[columns.find(name)] ?? ''

/** The first of these cells that is not empty. */
export function firstCell(result: RowResult, names: readonly string[]): string {
  for (const name of names) {
    const text = cellOf(result, name).trim()
    if (text !== '') return text
  }
  return ''
}

/** The ids of the company found, those in other registers included. */
export const foundIds = ({ row, columns }: Answer): string[] => {
  const read = (name: string): string => (row[columns.find(name)] ?? '').trim()
  return [...COMPANY_TAGS.map(read), ...idsIn(read('match.otherIds'))].filter(id => id !== '')
}

/** The ids of `companies-house: GB-X-01234567 | lei: GB-X-1234567`. */
const idsIn = (cell: string): string[] => cell.split(' | ').map(text => text.replace(/^\S+: /, ''))

/** Whether a candidate has one of these ids, in any register. */
export const hasId = ({ id, fields }: Pick<Candidate, 'id' | 'fields'>, wanted: ReadonlySet<string>): boolean =>
  wanted.has(id) || idsIn(fields.otherIds ?? '').some(otherId => wanted.has(otherId))

/** Reasons that a name does not settle. */
const OTHER_REASONS: readonly string[] = ['', 'number-and-name-disagree', 'wrong-country']
/** What a row has besides its name. */
const CONTRADICTED = /(?:number|vat|postcode|town|country) ≠/
/** Sister companies of one place share words. */
const PLACED = /\b(?:postcode|town|address)\b/

/**
 * The row as a decision about a row of nearly the same `name` shows it; null where none does. Rows in review at fettle's own service alone:
 * for these it was measured.
 */
export function learn(result: RowResult, name: string, names: LearnedNames): RowResult | null {
  const [best] = result.candidates
  if (result.outcome !== 'review' || result.decided !== null || best === undefined) return null
  if (OTHER_REASONS.includes(cellOf(result, 'match.reason')) || CONTRADICTED.test(best.why)) return null
  const candidates = PLACED.test(best.why) ? [] : result.candidates
  const line = names.find(name, [best.id, ...idsIn(best.fields.otherIds ?? '')], candidates)
  if (line === null) return null
  const accepted = accept(result, { ...line, company: best.id }, null)
  const like = `as "${line.name.replaceAll('|', '/')}" was `
  const overrideCell = (column: string): string | undefined => {
    const cell = accepted.overrideCell?.(column)
    return column === 'match.why' ? like + cell : cell
  }
  return { ...accepted, overrideCell, decided: null, learned: line }
}

function accept(result: RowResult, line: Decision, known: AcceptedTags | null): RowResult {
  const ids = foundIds(result)
  // Without an id the found company cannot be compared: it counts as the same.
  if (isFound(result) && (ids.length === 0 || ids.includes(line.company)))
    return { ...result, decided: { line, effect: 'agreed' } }
  const accepted = new Set([line.company])
  const chosen = result.candidates.find(candidate => hasId(candidate, accepted))
  const name = line.companyName || (chosen?.name ?? '')
  const score = chosen?.score
  const tags = known?.get(line.company, chosen)
  const overrideCell = (column: string): string | undefined => {
    // Reasons and score of the row are about its best candidate.
    if (column === 'match.why') return chosen ? withWhy(line, result, chosen.why) : formatDecision(line)
    if (column === 'match.score') return chosen ? score?.toFixed(3) : ''
    if (column === 'general.connectId') return chosen?.id ?? line.company
    if (column === 'match.register' || column === 'match.otherIds') return tags?.[column] ?? registerCell(column, chosen)
    const tag = tags?.[column] ?? chosen?.tags[column]
    if (tag !== undefined) return tag
    return NAMES.has(column) ? name : ofNoCompany(column)
  }
  const effect = isFound(result) ? 'overruled' : 'accepted'
  return { ...result, outcome: 'manualMatched', overrideCell, candidates: result.candidates, decided: { line, effect } }
}

function reject(result: RowResult, { rejected, none }: Verdict): RowResult {
  const anyLine = none ?? rejected.values().next().value!
  if (isFound(result)) {
    const line =
      none ??
      foundIds(result)
        .map(id => rejected.get(id))
        .find(company => company !== undefined)
    if (line === undefined) return result
    const overrideCell = (column: string): string | undefined =>
      column === 'match.why' ? withWhy(line, result) : ofNoCompany(column)
    return { ...result, outcome: 'unmatched', overrideCell, decided: { line, effect: 'overruled' } }
  }
  const rejectedIds = new Set(rejected.keys())
  const left = result.candidates.filter(candidate => !hasId(candidate, rejectedIds))
  const isOver = none !== null || (result.candidates.length > 0 && left.length === 0)
  if (result.outcome === 'review' && !isOver) {
    if (left.length === result.candidates.length) return result
    return { ...result, overrideCell: candidateCells(left), candidates: left, decided: { line: anyLine, effect: 'narrowed' } }
  }
  const overrideCell = (column: string): string | undefined =>
    column === 'match.why' ? withWhy(anyLine, result) : ofNoCandidate(column)
  return { ...result, outcome: 'unmatched', overrideCell, decided: { line: anyLine, effect: 'rejected' } }
}

const readWhy = (result: RowResult): string => cellOf(result, 'match.why')
const withWhy = (line: Decision, result: RowResult, why = ''): string =>
  `${formatDecision(line)} | ${why || readWhy(result)}`.replace(/ \| $/, '')

const formatDecision = ({ decision, by, at }: Decision): string =>
  `${decision === 'accept' ? 'accepted' : 'rejected'} by ${by === '' ? 'hand' : by.replaceAll('|', '/')}${at === '' ? '' : `, ${at.slice(0, 10)}`}`

const ofNoCandidate = (column: string): string | undefined =>
  column.startsWith('match.candidate') || column === 'match.register' || column === 'match.otherIds' ? '' : undefined

/** Candidates name their register if there are several. */
const registerCell = (column: 'match.register' | 'match.otherIds', candidate: Candidate | undefined): string | undefined =>
  candidate === undefined || column === 'match.otherIds' ? (candidate?.fields.otherIds ?? '') : candidate.fields.register

function ofNoCompany(column: string): string | undefined {
  if (column === 'general.duplicate') return 'N'
  if (OF_ROW.has(column)) return undefined
  return column.startsWith('match.') ? ofNoCandidate(column) : ''
}

function candidateCells([best, ...others]: readonly Candidate[]): RowResult['overrideCell'] {
  const cells: Readonly<Record<string, string | undefined>> = {
    'match.candidateId': best?.id,
    'match.candidateName': best?.name,
    'match.why': best?.why,
    'match.score': best?.score == null ? undefined : best.score.toFixed(3),
    'match.register': registerCell('match.register', best),
    'match.otherIds': registerCell('match.otherIds', best),
    'match.candidates': JSON.stringify(best === undefined ? [] : [best, ...others]),
  }
  return column => cells[column]
}
