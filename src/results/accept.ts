/** Decides by band and pattern whether a match of the service stands, by the rules of `accept` in the pipeline. Pure. */
import type { Placement } from '../model/results.ts'
import type { PlannedAccept } from '../pipeline/model/types.ts'

/** How good a match is, named in contract §5.7. */
export const BANDING = 'general.banding'
export const PATTERN = 'general.pattern'

/** `general.banding` and `general.pattern` of a row. */
export interface Evidence {
  readonly banding: string
  readonly pattern: string
}

interface MatchVerdict {
  readonly outcome: Placement
  /** Why the match does not stand; '' when it does. */
  readonly reason: '' | 'band-for-review' | 'no-band' | 'pattern-differs' | 'not-accepted'
}

const STANDS: MatchVerdict = { outcome: 'matched', reason: '' }

const plain = (text: string): string => text.toLowerCase().replace(/[\s._-]+/g, '')

/** Without rules every match stands. A match never becomes better than the service found it. */
export function acceptMatch(rules: PlannedAccept | null, evidence: Evidence): MatchVerdict {
  const byBand = verdictOfBand(rules, evidence.banding)
  return byBand.outcome === 'matched' && !hasAcceptedPattern(rules, evidence.pattern)
    ? { outcome: 'review', reason: 'pattern-differs' }
    : byBand
}

function verdictOfBand(rules: PlannedAccept | null, banding: string): MatchVerdict {
  const isBand = (band: string): boolean => band.trim().toLowerCase() === banding.trim().toLowerCase()
  if (rules === null) return STANDS
  if (rules.review.some(isBand)) return { outcome: 'review', reason: 'band-for-review' }
  if (rules.banding === null || rules.banding.some(isBand)) return STANDS
  // A match is not dropped because the service grades none.
  return banding.trim() === '' ? { outcome: 'review', reason: 'no-band' } : { outcome: 'unmatched', reason: 'not-accepted' }
}

/** The tags that the rules read. */
export const acceptColumns = (rules: PlannedAccept | null): readonly string[] =>
  rules === null ? [] : [BANDING, ...(rules.pattern === null ? [] : [PATTERN])]

/** A part that the pattern does not name is not accepted. */
export const hasAcceptedPattern = (rules: PlannedAccept | null, pattern: string): boolean =>
  Object.entries(rules?.pattern ?? {}).every(([part, letters]) => {
    const letter = findLetter(pattern, part)
    return letter !== null && letters.includes(letter)
  })

/**
 * The upper-case letter of a part, null without one. The values of `general.pattern` are not documented (contract §5.7), so three
 * forms are read: named letters (`name A | postcode B`, `name=A, postcode=B`), a letter for each place (`AAZ`, its parts are 1, 2, 3),
 * and names of what agrees (`number+name`), each counts as A.
 */
export function findLetter(pattern: string, part: string): string | null {
  if (/^\d+$/.test(part))
    return /^\s*[a-z]+\s*$/i.test(pattern) ? (pattern.trim()[Number(part) - 1]?.toUpperCase() ?? null) : null
  for (const piece of pattern.split(/[|,;+&\n]/)) {
    const [name, letter] = splitPiece(piece.replace(/[{}[\]()"']/g, '').trim())
    if (name !== '' && plain(name) === plain(part)) return letter
  }
  return null
}

/** `name: A` -> `name`, `A`; a piece without a letter counts as A. */
function splitPiece(piece: string): [name: string, letter: string] {
  const before = piece.slice(0, -1)
  return /[a-z]$/i.test(piece) && /[\s:=]$/.test(before)
    ? [before.replaceAll(/[:=]/g, ' ').trim(), piece.slice(-1).toUpperCase()]
    : [piece, 'A']
}
