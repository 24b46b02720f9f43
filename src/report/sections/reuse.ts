/** Answers of earlier runs in reports. */
import type { ReuseCounts } from '../../model/results.ts'
import { count } from '../words.ts'

const REASONS = [
  ['fresh', 'new'],
  ['changed', 'changed'],
  ['tooOld', 'too old'],
  ['lacking', 'without tags'],
  ['refreshed', 'refreshed'],
] as const satisfies readonly (readonly [keyof ReuseCounts, string])[]

/** `49,412 known, 588 to send (412 new, 131 changed, 45 too old)`; `verb` is `to send` or `sent`. */
export function reuseWords(counts: ReuseCounts, verb: string): string {
  const reasons = REASONS.filter(([name]) => counts[name] > 0).map(([name, word]) => `${count(counts[name])} ${word}`)
  const why = reasons.length === 0 ? '' : ` (${reasons.join(', ')})`
  const repeated = counts.repeated === 0 ? '' : `, ${count(counts.repeated)} repeat one of these`
  return `${count(counts.known)} known, ${count(counts.sent)} ${verb}${why}${repeated}`
}
