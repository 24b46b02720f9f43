/** Why a row has no company, or needs a review, in words. */
import type { UnmatchedReason } from '../model/results.ts'

export { reasonsOf } from '../model/reasons.ts'

/** Why rows have no company, in the order of reports when counts are equal. */
const UNMATCHED: Readonly<Record<UnmatchedReason, string>> = {
  'below-threshold': 'No company of that name in the register',
  'unknown-number-and-name': 'Neither the number nor the name is in the register',
  'wrong-country': 'Same name, other country',
  'no-candidate': 'Nothing similar in the register',
  'unknown-number': 'The number belongs to no company in the register, and the row has no name',
  'no-name': 'The row has no name to look for',
  'not-accepted': 'accept in the pipeline does not take the band of the match',
  rejected: 'A person decided: none of the companies proposed',
  'not-given': 'The service gave no reason',
}

const REVIEW: Readonly<Record<string, string>> = {
  ambiguous: 'two companies fit almost equally well',
  'between-thresholds': 'likely, but not certain enough',
  'number-and-name-disagree': 'the number and the name do not belong to the same company',
  'sister-company': 'a company of the same group, or another of a series: a number, place or word in the name is another',
  'address-alone': 'the address agrees, but not the name',
  'other-script': 'the names agree once transliterated, and nothing else supports it',
  'initials-alone': 'one name is the initials of the other, and nothing else supports it',
  'part-of-cell': 'only one of several names in the cell agrees, and nothing else supports it',
  'band-for-review': 'accept in the pipeline leaves this band to a person',
  'companies-proposed': 'the service matched none, and proposes companies',
  'no-band': 'the service gave the match no band',
  'pattern-differs': 'the pattern of the match is not one that accept takes',
  dissolved: 'dissolved, and only the name agrees',
}

/** The reason of an unmatched row as a heading. */
export const unmatchedWords = (reason: string | null): string => UNMATCHED[reason as UnmatchedReason] ?? UNMATCHED['not-given']

/** Why a person has to look at the row; '' where the service gave no reason. */
export const reviewWords = (reason: string | null): string => REVIEW[reason ?? ''] ?? ''

/** Unmatched rows by reason, the largest group first. A group may have more rows than samples. */
export function unmatchedGroups<T extends { readonly reason: string | null }>(
  reasons: Readonly<Record<string, number>>,
  samples: readonly T[],
) {
  const all = [...new Set([...Object.keys(reasons), ...samples.map(({ reason }) => reason ?? 'not-given')])]
  return all
    .map(reason => {
      const own = samples.filter(sample => (sample.reason ?? 'not-given') === reason)
      return { reason, heading: unmatchedWords(reason), count: Math.max(reasons[reason] ?? 0, own.length), samples: own }
    })
    .sort((a, b) => b.count - a.count || (a.heading < b.heading ? -1 : 1))
}
