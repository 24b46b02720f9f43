/** Formats the reasons of the matcher: `name 0.97 | number = | postcode ≠ | dissolved`, and why a row has no company. */
import type { UnmatchedReason } from '../model/results.ts'

export interface Reason {
  readonly text: string
  readonly kind: 'for' | 'against' | 'near' | 'plain'
}

/** In their order: `name 97% alike`, `same number`, `different postcode`, `dissolved`. */
export const reasonsOf = (why: string): Reason[] =>
  why
    .split('|')
    .map(part => part.trim())
    .filter(part => part !== '')
    .map(reasonOfPart)

/** The value is split off by hand: a pattern for words and white space would take quadratic time. */
function reasonOfPart(part: string): Reason {
  const about = (length: number): string => part.slice(0, -length).trimEnd()
  if (part.endsWith('=') && about(1) !== '') return { text: `same ${about(1)}`, kind: 'for' }
  if (part.endsWith('≠') && about(1) !== '') return { text: `different ${about(1)}`, kind: 'against' }
  const value = part.split(/\s/).at(-1) ?? ''
  if (/^(?:0(?:\.\d+)?|1(?:\.0+)?)$/.test(value) && about(value.length) !== '')
    return { text: `${about(value.length)} ${Math.round(Number(value) * 100)}% alike`, kind: kindOf(Number(value)) }
  return { text: part, kind: 'plain' }
}

/** One meaning for each colour: alike is for the company, unlike against it. */
const kindOf = (value: number): Reason['kind'] => (value >= 0.995 ? 'for' : value < 0.005 ? 'against' : 'near')

/** Why rows have no company, in the order of reports when counts are equal. */
const UNMATCHED: Readonly<Record<UnmatchedReason, string>> = {
  'below-threshold': 'No company of that name in the register',
  'unknown-number-and-name': 'Neither the number nor the name is in the register',
  'wrong-country': 'Same name, other country',
  'no-candidate': 'Nothing similar in the register',
  'unknown-number': 'The number belongs to no company in the register, and the row has no name',
  'no-name': 'The row has no name to look for',
  rejected: 'A person decided: none of the companies proposed',
  'not-given': 'The service gave no reason',
}

const REVIEW: Readonly<Record<string, string>> = {
  ambiguous: 'two companies fit almost equally well',
  'between-thresholds': 'likely, but not certain enough',
  'number-and-name-disagree': 'the number and the name point to different companies',
  dissolved: 'dissolved, and only the name agrees',
}

/** The reason of an unmatched row as a heading. */
export const unmatchedWords = (reason: string | null): string => UNMATCHED[reason as UnmatchedReason] ?? UNMATCHED['not-given']

/** Why a person has to look at the row; '' where the service gave no reason. */
export const reviewWords = (reason: string | null): string => REVIEW[reason ?? ''] ?? ''

export interface UnmatchedGroup<T> {
  readonly reason: string
  readonly heading: string
  readonly count: number
  readonly samples: readonly T[]
}

/** Unmatched rows by reason, the largest group first. A group may have more rows than samples. */
export function unmatchedGroups<T extends { readonly reason: string | null }>(
  reasons: Readonly<Record<string, number>>,
  samples: readonly T[],
): UnmatchedGroup<T>[] {
  const all = [...new Set([...Object.keys(reasons), ...samples.map(({ reason }) => reason ?? 'not-given')])]
  return all
    .map(reason => {
      const own = samples.filter(one => (one.reason ?? 'not-given') === reason)
      return { reason, heading: unmatchedWords(reason), count: Math.max(reasons[reason] ?? 0, own.length), samples: own }
    })
    .sort((a, b) => b.count - a.count || (a.heading < b.heading ? -1 : 1))
}
