/** Why a row has no company, or needs a review, in words. */
import type { UnmatchedReason } from '../model/results.ts'

export { reasonsOf, reviewWords } from '../model/reasons.ts'

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

/** The reason of an unmatched row as a heading. */
export const unmatchedWords = (reason: string | null): string => UNMATCHED[reason as UnmatchedReason] ?? UNMATCHED['not-given']

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
