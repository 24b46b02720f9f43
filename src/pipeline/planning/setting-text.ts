/** Formats a key of a plan without special wording. */
import type { Plan } from '../model/types.ts'
import { show } from '../source/quote.ts'

export function settingText(plan: Plan, key: string): string | null {
  const value = (plan as unknown as Readonly<Record<string, unknown>>)[key] ?? null
  return value === null ? null : typeof value === 'string' ? show(value) : JSON.stringify(value)
}
