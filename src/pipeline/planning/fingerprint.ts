/** The digest of the work that a plan describes. Plans with the same fingerprint send, enrich and write the same rows alike. */
import { createHash } from 'node:crypto'
import type { z } from 'zod'
import { FACTS_SHAPE, PLAN_FACTS, PLAN_SHAPE, type Plan } from '../model/plan.ts'
import { freeze } from './freeze.ts'

/** JSON with sorted keys and without spaces. Absent and undefined keys are the same, as in a journal. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const entries = Object.entries(value)
    .filter(([, part]) => part !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([key, part]) => `${JSON.stringify(key)}:${canonical(part)}`).join(',')}}`
}

/** The keys that the fingerprint leaves out. */
const freeKeys = (shape: z.core.$ZodShape): string[] => Object.keys(shape).filter(key => PLAN_FACTS.has(shape[key]!))
export const FREE_KEYS: readonly string[] = freeKeys(PLAN_SHAPE)
const FREE_FACTS = freeKeys(FACTS_SHAPE)

const without = (whole: object, keys: readonly string[]): object =>
  Object.fromEntries(Object.entries(whole).filter(([key]) => !keys.includes(key)))

export function fingerprintPlan(plan: Omit<Plan, 'fingerprint'>): string {
  // A register that was imported again is the same choice: a resume reports it.
  const [register, auditRegister] = [plan.register, plan.auditRegister].map(
    all => all && [...new Set(all.map(({ name }) => name))],
  )
  const work = { ...without(plan, FREE_KEYS), register, auditRegister, input: without(plan.input, FREE_FACTS) }
  return createHash('sha256').update(canonical(work)).digest('hex')
}

/** The plan as a journal has it: a frozen copy with its fingerprint, without undefined keys. */
export const sealPlan = (draft: Omit<Plan, 'fingerprint'>): Plan =>
  freeze(JSON.parse(JSON.stringify({ ...draft, fingerprint: fingerprintPlan(draft) })) as Plan)

/** The plan before rows with earlier answers were left out. */
export function wholePlan({ known, ...plan }: Plan): Plan {
  if (known === undefined) return plan
  const budget = known.credits === undefined ? plan.budget : { ...plan.budget, credits: known.credits }
  return { ...plan, budget, sent: known.sent, parts: known.parts }
}

/** Whether two plans do the same work. */
export const isSameWork = (plan: Plan, other: Plan): boolean => plan.fingerprint === other.fingerprint
