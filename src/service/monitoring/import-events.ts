/** The events that an import causes: those that rules without parameters would report, were every company in a portfolio. */
import { differences, type Field, NOTHING } from '../portfolios/company-facts.ts'
import type { ChangeSetInfo } from '../registers/files.ts'
import { type RegisterChange, readChanges } from '../registers/index.ts'
import { factsAfter, fieldsOf } from './changes.ts'
import { isReportable } from './events.ts'
import { nameWith, RULES } from './rules.ts'

export interface ImportEvent {
  readonly company: { readonly id: string; readonly name: string; readonly country: string }
  readonly field: Field
  /** The first of those that report it. */
  readonly rule: { readonly code: number; readonly name: string }
  readonly old: string
  readonly new: string
}

function eventsOfChange(change: RegisterChange): ImportEvent[] {
  // A portfolio has it only if an earlier import had it.
  if (change.change === 'added') return []
  const { connectId: id, name, country, status } = change
  const before = { ...NOTHING, name, status, ...fieldsOf(change, 'old') }
  return differences(before, factsAfter(before, change))
    .filter(isReportable)
    .flatMap(one => {
      const rule = RULES.find(
        ({ country: of, field, reports }) => field === one.field && (of === 'XX' || of === country) && reports(one, []),
      )
      return rule === undefined
        ? []
        : [
            {
              company: { id, name, country },
              field: one.field,
              rule: { code: rule.code, name: nameWith(rule, []) },
              old: one.old,
              new: one.new,
            },
          ]
    })
}

/** The events of each changed company of an import. Throws as readChanges does. */
export async function* importEvents(dir: string, register: string, set: ChangeSetInfo): AsyncGenerator<readonly ImportEvent[]> {
  for await (const change of readChanges(dir, register, set)) {
    const events = eventsOfChange(change)
    if (events.length > 0) yield events
  }
}
