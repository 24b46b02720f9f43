/** Bands and patterns in reports: the data, and the line that the terminal shows. */
import type { z } from 'zod'
import type { RunState } from '../../journal/index.ts'
import { isColumnMasked, isMappingMasked, MASK } from '../../model/list.ts'
import type { MatchExample } from '../../model/results.ts'
import type { Result } from '../schema.ts'
import { count } from '../words.ts'
import type { matchesSchema } from './matches-schema.ts'

type Matches = z.infer<typeof matchesSchema>
type Group = NonNullable<Matches>['patterns'][number]

/** Masked again, as all rows of a report: a resume may mask more columns. */
export function readMatches({ plan, matches }: RunState): Matches {
  if (matches === null) return null
  const shown = ({ row, key, name, company }: MatchExample): Group['examples'][number] => ({
    row,
    key: key !== null && plan.key !== null && isColumnMasked(plan, plan.key.index) ? MASK : key,
    name: name !== '' && isMappingMasked(plan, 'name') ? MASK : name,
    company: { ...company },
  })
  const examples = (all: readonly MatchExample[]) => (plan.report.rows === 'all' ? all.map(shown) : [])
  return {
    bands: matches.bands.map(one => ({ ...one, moves: { ...one.moves }, examples: examples(one.examples) })),
    patterns: matches.patterns.map(one => ({ ...one, examples: examples(one.examples) })),
    others: { ...matches.others },
    byPattern: matches.byPattern,
  }
}

/** The matches that a report shows: the embedded service decides by its own score, so its bands matter to `accept` only. */
export const shownMatches = ({ matches, service, plan }: Result): Matches =>
  service === 'embedded' && plan.accept === null ? null : matches

export const bandName = (value: string): string => (value === '' ? 'no band' : `band ${value}`)

/** `A 380 matched; C 31 review`; empty when no bands are shown. */
export function bandLine(result: Result): string {
  const bands = shownMatches(result)?.bands ?? []
  return bands.map(one => `${one.value === '' ? 'none' : one.value} ${placedWords(one)}`).join('; ')
}

const placedWords = ({ matched, review, unmatched }: Group): string =>
  Object.entries({ matched, review, unmatched })
    .filter(([, rows]) => rows > 0)
    .map(([word, rows]) => `${count(rows)} ${word}`)
    .join(', ')
