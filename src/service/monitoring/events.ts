/**
 * Creates events: from a change of a company and the active rules of its portfolios, and from an import, as rules without parameters would
 * report them if a portfolio had every company.
 */
import { isActiveStatus } from '../enrichment/tags.ts'
import { type Difference, differences, type Field, NOTHING } from '../portfolios/company-facts.ts'
import type { ChangeSetInfo } from '../registers/files.ts'
import { type RegisterChange, readChanges } from '../registers/index.ts'
import { factsAfter, fieldsOf } from './changes.ts'
import { nameWith, RULES, type Rule, ruleOf } from './rules.ts'

export type ActiveRule = { readonly portfolio: number; readonly code: number; readonly params: readonly string[] }

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
const isReportable = ({ field, old, new: now }: Difference): boolean => old !== '' || (field === 'status' && !isActiveStatus(now))

const isAbout = (rule: Rule, { field }: Difference, country: string): boolean =>
  (rule.country === 'XX' || rule.country === country) && rule.field === field

/** The events of a change: one per rule that reports it, with a notice to each portfolio where the rule is active. */
export function eventsOf(change: Difference, country: string, active: readonly ActiveRule[]): NewEvent[] {
  if (!isReportable(change)) return []
  const codes = [...new Set(active.map(({ code }) => code))].sort((a, b) => a - b)
  return codes.flatMap(code => {
    const rule = ruleOf(code)
    if (rule === null || !isAbout(rule, change, country)) return []
    const notices = active
      .filter(one => one.code === code && rule.reports(change, one.params))
      .map(({ portfolio, params }) => ({ portfolio, text: nameWith(rule, params) }))
    return notices.length === 0 ? [] : [{ rule, old: change.old, new: change.new, notices }]
  })
}

export interface ImportEvent extends Difference {
  readonly company: { readonly id: string; readonly name: string; readonly country: string }
  /** The first rule that reports it. */
  readonly rule: { readonly code: number; readonly name: string }
}

function eventsOfChange(change: RegisterChange): ImportEvent[] {
  // A portfolio has it only if an earlier import had it.
  if (change.change === 'added') return []
  const { connectId: id, name, country, status } = change
  const before = { ...NOTHING, name, status, ...fieldsOf(change, 'old') }
  return differences(before, factsAfter(before, change))
    .filter(isReportable)
    .flatMap(difference => {
      const rule = RULES.find(candidate => isAbout(candidate, difference, country) && candidate.reports(difference, []))
      if (rule === undefined) return []
      const { field, old, new: now } = difference
      return [{ company: { id, name, country }, field, rule: { code: rule.code, name: nameWith(rule, []) }, old, new: now }]
    })
}

/** The events of each changed company of an import. Throws as readChanges does. */
export async function* importEvents(dir: string, register: string, set: ChangeSetInfo): AsyncGenerator<readonly ImportEvent[]> {
  for await (const change of readChanges(dir, register, set)) {
    const events = eventsOfChange(change)
    if (events.length > 0) yield events
  }
}
