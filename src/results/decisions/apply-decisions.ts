/**
 * An answer of the service under what people decided: the company they chose in place of the one that was found, none where they
 * said so. Every row has one outcome before and one after, so that sums stay sums. Pure.
 */
import type { Answer } from '../answers.ts'
import { type Candidate, candidatesOf } from '../candidates.ts'
import { COMPANY_TAGS, type RowOutcome } from '../enriched-file.ts'
import type { Decision, Decisions, Verdict } from './decisions.ts'

/** What a decision did to a row. */
export type Effect = 'accepted' | 'rejected' | 'agreed' | 'overruled' | 'narrowed'

/** An answer, and what became of it. */
export interface RowResult extends Answer {
  /** What the service says. */
  readonly told: RowOutcome
  /** Cells of the answer that are others now; undefined leaves one as it came. */
  readonly instead: ((name: string) => string | undefined) | null
  /** The companies that are left to choose from. */
  readonly candidates: readonly Candidate[]
  /** The line that decided, and what it did; null for a row that nobody decided about. */
  readonly decided: { readonly line: Decision; readonly effect: Effect } | null
}

/** Tags that speak of the row, not of its company. */
const OF_ROW: ReadonlySet<string> = new Set(['general.rowNumber', 'general.pattern', 'general.banding', 'general.bandingDesc'])
const NAMES: ReadonlySet<string> = new Set(['general.companyName', 'general.legalName'])

/** Judges an answer to the row of this fingerprint. What could not be asked about stays so: a decision is no answer. */
export function applyDecision(answer: Answer, fingerprint: string, decisions: Decisions | null): RowResult {
  const { outcome: told } = answer
  const candidates = told === 'review' || told === 'unmatched' ? candidatesOf(answer) : []
  const asItIs: RowResult = { ...answer, told, instead: null, candidates, decided: null }
  const verdict = told === 'failed' ? undefined : decisions?.of(fingerprint)
  if (verdict === undefined) return asItIs
  return verdict.accepted === null ? refuse(asItIs, verdict) : accept(asItIs, verdict.accepted)
}

const isFound = (outcome: RowOutcome): boolean => outcome === 'matched' || outcome === 'duplicate' || outcome === 'manualMatched'

/** The ids of the company that the service found, under whatever tags it tells them. */
export const foundIds = ({ row, columns }: Answer): string[] =>
  COMPANY_TAGS.map(name => (row[columns.find(name)] ?? '').trim()).filter(id => id !== '')

function accept(judged: RowResult, line: Decision): RowResult {
  const ids = foundIds(judged)
  // Where the service does not tell which company it found, nobody can say that it is another.
  if (isFound(judged.told) && (ids.length === 0 || ids.includes(line.company)))
    return { ...judged, decided: { line, effect: 'agreed' } }
  const chosen = judged.candidates.find(({ id }) => id === line.company)
  const name = line.companyName || (chosen?.name ?? '')
  const score = chosen?.score
  const instead = (column: string): string | undefined => {
    if (column === 'match.why') return `${inWords(line)} | ${chosen?.why || whyOf(judged)}`.replace(/ \| $/, '')
    if (column === 'match.score') return score == null ? undefined : score.toFixed(3)
    if (column === 'general.connectId') return line.company
    const tag = chosen?.tags[column]
    if (tag !== undefined) return tag
    return NAMES.has(column) ? name : ofNoCompany(column)
  }
  const effect = isFound(judged.told) ? 'overruled' : 'accepted'
  return { ...judged, outcome: 'manualMatched', instead, candidates: judged.candidates, decided: { line, effect } }
}

function refuse(judged: RowResult, { rejected, none }: Verdict): RowResult {
  const anyLine = none ?? rejected.values().next().value!
  if (isFound(judged.told)) {
    const line =
      none ??
      foundIds(judged)
        .map(id => rejected.get(id))
        .find(one => one !== undefined)
    if (line === undefined) return judged
    const instead = (column: string): string | undefined => (column === 'match.why' ? withWhy(line, judged) : ofNoCompany(column))
    return { ...judged, outcome: 'unmatched', instead, decided: { line, effect: 'overruled' } }
  }
  const left = judged.candidates.filter(({ id }) => !rejected.has(id))
  const isOver = none !== null || (judged.candidates.length > 0 && left.length === 0)
  if (judged.told === 'review' && !isOver) {
    if (left.length === judged.candidates.length) return judged
    return { ...judged, instead: insteadOf(left), candidates: left, decided: { line: anyLine, effect: 'narrowed' } }
  }
  const instead = (column: string): string | undefined =>
    column === 'match.why' ? withWhy(anyLine, judged) : ofNoCandidate(column)
  return { ...judged, outcome: 'unmatched', instead, decided: { line: anyLine, effect: 'rejected' } }
}

const whyOf = ({ row, columns }: Answer): string => row[columns.find('match.why')] ?? ''
const withWhy = (line: Decision, answer: Answer): string => `${inWords(line)} | ${whyOf(answer)}`.replace(/ \| $/, '')

const inWords = ({ decision, by, at }: Decision): string =>
  `${decision === 'accept' ? 'accepted' : 'rejected'} by ${by === '' ? 'hand' : by.replaceAll('|', '/')}${at === '' ? '' : `, ${at.slice(0, 10)}`}`

const ofNoCandidate = (column: string): string | undefined => (column.startsWith('match.candidate') ? '' : undefined)

/** Cells of a company that is not this row's, left empty. */
function ofNoCompany(column: string): string | undefined {
  if (column === 'general.duplicate') return 'N'
  if (OF_ROW.has(column)) return undefined
  return column.startsWith('match.') ? ofNoCandidate(column) : ''
}

/** The cells of a row in review whose best candidate is another one now. */
function insteadOf([best, ...others]: readonly Candidate[]): RowResult['instead'] {
  const cells: Readonly<Record<string, string | undefined>> = {
    'match.candidateId': best?.id,
    'match.candidateName': best?.name,
    'match.why': best?.why,
    'match.score': best?.score == null ? undefined : best.score.toFixed(3),
    'match.candidates': JSON.stringify(best === undefined ? [] : [best, ...others]),
  }
  return column => cells[column]
}
