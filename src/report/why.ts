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

/** The words of a part end where its white space begins: a pattern that looked for both would take time by the square. */
function reasonOfPart(part: string): Reason {
  const about = (length: number): string => part.slice(0, -length).trimEnd()
  if (part.endsWith('=') && about(1) !== '') return { text: `same ${about(1)}`, kind: 'for' }
  if (part.endsWith('≠') && about(1) !== '') return { text: `different ${about(1)}`, kind: 'against' }
  const value = part.split(/\s/).at(-1) ?? ''
  if (/^(?:0(?:\.\d+)?|1(?:\.0+)?)$/.test(value) && about(value.length) !== '')
    return { text: `${about(value.length)} ${Math.round(Number(value) * 100)}% alike`, kind: 'near' }
  return { text: part, kind: 'plain' }
}

const GROUPS = ['no name', 'no candidate', 'below threshold', 'ambiguous', 'wrong country'] as const

/** The group an unmatched row is shown in: the reason the matcher gives for a refusal, `other reasons` when it gives none. */
export const groupOf = (why: string): string => GROUPS.find(group => why.toLowerCase().includes(group)) ?? 'other reasons'
