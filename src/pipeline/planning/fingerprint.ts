/** The digest of the work that a plan describes. Plans with the same fingerprint send, enrich and write the same rows alike. */
import { createHash } from 'node:crypto'
import type { InputFacts, Plan } from '../model/types.ts'
import { KEYS_OUTSIDE_IDENTITY } from '../schema/keys.ts'

/** JSON with sorted keys and without spaces. Absent and undefined keys are the same, as in a journal. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value)
    .filter(([, part]) => part !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, part]) => `${JSON.stringify(key)}:${canonical(part)}`).join(',')}}`
}

/** The time of the last write, whether a copy is kept, and text for people. */
const FACTS_OUTSIDE_IDENTITY: readonly (keyof InputFacts)[] = ['mtimeMs', 'kept', 'delimiterEvidence']

/** Keys whose null is part of the first digests. Any other null is left out, so that a new key does not change old digests. */
const NULL_IN_DIGEST: readonly (keyof Plan)[] = ['key', 'limit', 'enrich', 'output']

const digested = (key: string, value: unknown): unknown =>
  value !== null || (NULL_IN_DIGEST as readonly string[]).includes(key) ? value : undefined

const without = (whole: object, keys: readonly string[]): [string, unknown][] =>
  Object.entries(whole).filter(([key]) => !keys.includes(key))

export function fingerprintOf(plan: Omit<Plan, 'fingerprint'>): string {
  const work = without(plan, KEYS_OUTSIDE_IDENTITY).map(([key, value]) => [key, digested(key, value)])
  // A register that was imported again is the same choice: a resume reports it.
  const register = plan.register && [...new Set(plan.register.map(one => one.name))]
  const input = Object.fromEntries(without(plan.input, FACTS_OUTSIDE_IDENTITY))
  // The digest once held the words of `preparation`: plans that have none keep theirs.
  return createHash('sha256')
    .update(canonical({ ...Object.fromEntries(work), register, input, preparation: [] }))
    .digest('hex')
}

/** The plan before rows with earlier answers were left out. */
export function wholePlan({ known, ...plan }: Plan): Plan {
  if (known === undefined) return plan
  const budget = known.credits === undefined ? plan.budget : { ...plan.budget, credits: known.credits }
  return { ...plan, budget, sent: known.sent, parts: known.parts }
}

/** Whether two plans do the same work. Digests are computed again: a recorded one may follow an earlier rule. */
export function isSameWork(one: Plan, other: Plan): boolean {
  if (one.fingerprint === other.fingerprint) return true
  // Earlier versions did not record registers.
  const isRecorded = one.register !== undefined && other.register !== undefined
  const [a, b] = [wholePlan(one), wholePlan(other)].map(({ register, ...rest }) =>
    fingerprintOf(isRecorded ? { ...rest, register: register! } : rest),
  )
  return a === b
}
