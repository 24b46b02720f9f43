/** The digest of what a run does. Two plans with one fingerprint send the same rows, mapped, enriched and written alike. */
import { createHash } from 'node:crypto'
import type { Plan } from './types.ts'

/** JSON with sorted keys and nothing between: the same value always gives the same text. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, part]) => `${JSON.stringify(key)}:${canonical(part)}`).join(',')}}`
}

/**
 * SHA-256, lower-case hex, of a plan without what does not change the work: what was seen, how it is watched, repeated, judged, reported and
 * described, where the pipeline file lies, when the input was last touched.
 */
export function fingerprintOf(plan: Omit<Plan, 'fingerprint'>): string {
  const { profile, concurrency, poll, retry, checks, decisions, report, issues, description, tags, file, input, ...rest } = plan
  const { portfolio, screen, ...work } = rest
  // Left out where there is none: plans from before there were the two keep their digest.
  const after = { ...(portfolio == null ? {} : { portfolio }), ...(screen == null ? {} : { screen }) }
  const { mtimeMs, delimiterEvidence, ...content } = input
  return createHash('sha256')
    .update(canonical({ ...work, ...after, input: content }))
    .digest('hex')
}
