/** From a change of a company and the rules that are active where it is held to events. Pure: no store, no clock. */
import { isActiveStatus } from '../enrichment/tags.ts'
import type { Difference } from '../portfolios/company-facts.ts'
import { type Rule, ruleOf } from './rules.ts'

/** A rule that is active in a portfolio that holds the company. */
export interface ActiveRule {
  readonly portfolio: number
  readonly code: number
  readonly params: readonly string[]
}

/** An event, and the portfolios whose owners are to be told of it. */
export interface Made {
  readonly rule: Rule
  readonly old: string
  readonly new: string
  readonly notices: readonly { readonly portfolio: number; readonly text: string }[]
}

/**
 * A register that begins to tell of a field has not changed the company; only a status that comes with bad news counts, since an
 * empty one means a company like any other.
 */
const isNews = ({ field, old, new: now }: Difference): boolean => old !== '' || (field === 'status' && !isActiveStatus(now))

/** The rule's name with its parameters in their places. */
const textOf = ({ name }: Rule, params: readonly string[]): string =>
  name.replaceAll(/\{(\d)\}/g, (place, index) => params[Number(index)] || place)

/** The events of a change, one for each rule that reports it; its owner hears of one once, however many portfolios share it. */
export function eventsOf(change: Difference, country: string, active: readonly ActiveRule[]): Made[] {
  if (!isNews(change)) return []
  const codes = [...new Set(active.map(({ code }) => code))].sort((a, b) => a - b)
  return codes.flatMap(code => {
    const rule = ruleOf(code)
    const isOf = rule !== null && (rule.country === 'XX' || rule.country === country) && rule.field === change.field
    if (!isOf || !rule.reports(change)) return []
    const notices = active
      .filter(one => one.code === code)
      .map(({ portfolio, params }) => ({ portfolio, text: textOf(rule, params) }))
    return [{ rule, old: change.old, new: change.new, notices }]
  })
}
