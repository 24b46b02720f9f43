/** The matcher's reasons, `name 0.97 | number = | postcode ≠ | dissolved`, put into words. It judges nothing. */

/** One reason: what it says, and whether it speaks for the pair, against it, or neither. */
export interface Reason {
  readonly text: string
  readonly kind: 'for' | 'against' | 'near' | 'plain'
}

/** The reasons in words, in their order: `name 97% alike`, `same number`, `different postcode`, `dissolved`. */
export const reasonsOf = (why: string): Reason[] =>
  why
    .split('|')
    .map(part => part.trim())
    .filter(part => part !== '')
    .map(reasonOfPart)

function reasonOfPart(part: string): Reason {
  const same = /^(.+?)\s*=$/.exec(part)
  if (same) return { text: `same ${same[1]}`, kind: 'for' }
  const different = /^(.+?)\s*≠$/.exec(part)
  if (different) return { text: `different ${different[1]}`, kind: 'against' }
  const alike = /^(.+?)\s+(0(?:\.\d+)?|1(?:\.0+)?)$/.exec(part)
  if (alike) return { text: `${alike[1]} ${Math.round(Number(alike[2]) * 100)}% alike`, kind: 'near' }
  return { text: part, kind: 'plain' }
}

const GROUPS = ['no name', 'no candidate', 'below threshold', 'ambiguous', 'wrong country'] as const

/** The group an unmatched row is shown in: the reason the matcher gives for a refusal, `other reasons` when it gives none. */
export const groupOf = (why: string): string => GROUPS.find(group => why.toLowerCase().includes(group)) ?? 'other reasons'
