/** Creates events from a change of a company and the active rules of its portfolios. */
import { isActiveStatus } from '../enrichment/tags.ts'
import type { Difference } from '../portfolios/company-facts.ts'
import { nameWith, type Rule, ruleOf } from './rules.ts'

export interface ActiveRule {
  readonly portfolio: number
  readonly code: number
  readonly params: readonly string[]
}

export interface NewEvent {
  readonly rule: Rule
  readonly old: string
  readonly new: string
  readonly notices: readonly { readonly portfolio: number; readonly text: string }[]
}

/**
 * A field without an old value is not a change of the company: its register has a new column. An inactive status is an exception,
 * because a missing status means an active company.
 */
export const isReportable = ({ field, old, new: now }: Difference): boolean =>
  old !== '' || (field === 'status' && !isActiveStatus(now))

/** The events of a change: one per rule that reports it, with a notice to each portfolio where the rule is active. */
export function eventsOf(change: Difference, country: string, active: readonly ActiveRule[]): NewEvent[] {
  if (!isReportable(change)) return []
  const codes = [...new Set(active.map(({ code }) => code))].sort((a, b) => a - b)
  return codes.flatMap(code => {
    const rule = ruleOf(code)
    const applies = rule !== null && (rule.country === 'XX' || rule.country === country) && rule.field === change.field
    if (!applies) return []
    const notices = active
      .filter(one => one.code === code && rule.reports(change, one.params))
      .map(({ portfolio, params }) => ({ portfolio, text: nameWith(rule, params) }))
    if (notices.length === 0) return []
    return [{ rule, old: change.old, new: change.new, notices }]
  })
}
