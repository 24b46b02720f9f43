/** Reads the reasons of the matcher: `name 0.97 | number = | postcode ≠ | dissolved`; and why a row needs a review, in words. */

export interface Reason {
  readonly text: string
  readonly kind: 'for' | 'against' | 'near' | 'plain'
}

/** `same number, different postcode`. */
const inWords = (why: string): string =>
  reasonsOf(why)
    .map(({ text }) => text)
    .join(', ')

/** In their order: `name 97% alike`, `same number`, `different postcode`, `dissolved`. */
export const reasonsOf = (why: string): Reason[] =>
  why
    .split('|')
    .map(part => part.trim())
    .filter(part => part !== '')
    .map(readPart)

/** The value is split off by hand: a pattern for words and white space would take quadratic time. */
function readPart(part: string): Reason {
  const about = (length: number): string => part.slice(0, -length).trimEnd()
  if (part.endsWith('=') && about(1) !== '') return { text: `same ${about(1)}`, kind: 'for' }
  if (part.endsWith('≠') && about(1) !== '') return { text: `different ${about(1)}`, kind: 'against' }
  if (part.endsWith('≈') && about(1) !== '') return { text: `similar ${about(1)}`, kind: 'near' }
  const value = part.split(/\s/).at(-1) ?? ''
  if (/^(?:0(?:\.\d+)?|1(?:\.0+)?)$/.test(value) && about(value.length) !== '')
    return { text: `${about(value.length)} ${Math.round(Number(value) * 100)}% alike`, kind: judge(Number(value)) }
  return { text: part, kind: 'plain' }
}

/** One meaning for each colour: alike is for the company, more unlike than alike against it. */
const judge = (value: number): Reason['kind'] => (value >= 0.995 ? 'for' : value < 0.5 ? 'against' : 'near')

const REVIEW: Readonly<Record<string, string>> = {
  ambiguous: 'two companies fit almost equally well',
  'between-thresholds': 'likely, but not certain enough',
  'number-and-name-disagree': 'the number and the name do not belong to the same company',
  'sister-company':
    'a company of the same group, or another of a series: a number, place, word or legal form in the name is another',
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

/** Why a person has to look at the row; '' where the service gave no reason. */
export const reviewWords = (reason: string | null): string => REVIEW[reason ?? ''] ?? ''

/** The reasons in words; of a row to review first what its score does not show, such as `the address agrees, but not the name`. */
export function explainInWords(why: string, reason: string | null): string {
  const because = reason === 'between-thresholds' ? '' : reviewWords(reason)
  return because === '' ? inWords(why) : `${because}: ${inWords(why)}`
}
