/** The digest of what a run does. Two plans with one fingerprint send the same rows, mapped, enriched and written alike. */
import { createHash } from 'node:crypto'
import type { InputFacts, Plan } from '../model/types.ts'

/** JSON with sorted keys and nothing between: the same value always gives the same text. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, part]) => `${JSON.stringify(key)}:${canonical(part)}`).join(',')}}`
}

/**
 * Whether a key of a plan changes the work. Not: what was seen, how it is watched, repeated, judged and reported, text for people,
 * where the pipeline file lies.
 */
const IS_WORK: Readonly<Record<keyof Plan, boolean>> = {
  version: true,
  name: true,
  description: false,
  tags: false,
  file: false,
  service: true,
  input: true,
  key: true,
  limit: true,
  shard: true,
  merged: true,
  rows: true,
  sent: true,
  collapse: true,
  parts: true,
  concurrency: false,
  preparation: false,
  mappings: true,
  profile: false,
  enrich: true,
  budget: true,
  poll: false,
  retry: false,
  checks: false,
  output: true,
  decisions: false,
  portfolio: true,
  screen: true,
  report: false,
  issues: false,
  fingerprint: false,
}

/** Whether a fact about the input is about its content. Not: when it was last written, and text for people. */
const IS_CONTENT: Readonly<Record<keyof InputFacts, boolean>> = {
  path: true,
  bytes: true,
  packed: true,
  skipped: true,
  linesBefore: true,
  mtimeMs: false,
  sha256: true,
  encoding: true,
  bom: true,
  delimiter: true,
  delimiterEvidence: false,
  quotes: true,
  header: true,
  columns: true,
  rows: true,
  blankLines: true,
  lineEnd: true,
}

const pick = <T extends object>(whole: T, isKept: Readonly<Record<keyof T, boolean>>): [string, unknown][] =>
  // A key that this version does not have may say anything.
  Object.entries(whole).filter(([key]) => isKept[key as keyof T] !== false)

/** SHA-256, lower-case hex, of a plan without what does not change the work. */
export function fingerprintOf(plan: Omit<Plan, 'fingerprint'>): string {
  const work = pick<Omit<Plan, 'fingerprint'>>(plan, IS_WORK)
    // Left out where there is none: plans from before there were the two keep their digest.
    .filter(([key, value]) => (key !== 'portfolio' && key !== 'screen') || value != null)
  const input = Object.fromEntries(pick(plan.input, IS_CONTENT))
  // The digest once held the words of `preparation`: plans that have none keep theirs.
  return createHash('sha256')
    .update(canonical({ ...Object.fromEntries(work), input, preparation: [] }))
    .digest('hex')
}

/** Whether two plans do the same work. Their digests are made again: that of a recorded plan may follow an earlier rule. */
export const isSameWork = (one: Plan, other: Plan): boolean =>
  one.fingerprint === other.fingerprint || fingerprintOf(one) === fingerprintOf(other)
