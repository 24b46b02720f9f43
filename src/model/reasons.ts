/** Reads the reasons of the matcher: `name 0.97 | number = | postcode ≠ | dissolved`. */

export interface Reason {
  readonly text: string
  readonly kind: 'for' | 'against' | 'near' | 'plain'
}

/** `same number, different postcode`. */
export const inWords = (why: string): string =>
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
