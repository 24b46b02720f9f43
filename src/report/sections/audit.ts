/** The audit of matches in reports: the data, and the words that every format shows. */
import type { RunState } from '../../journal/index.ts'
import type { AuditCounts, DoubtfulExample } from '../../model/results.ts'
import { count } from '../words.ts'
import { maskExample } from './matches.ts'

/** Masked again, as all rows of a report: a resume may mask more columns. */
export function readAudit({ plan, audit }: RunState) {
  if (audit === null) return null
  const examples = audit.examples.map(example => ({ ...maskExample(plan, example), differs: example.differs }))
  return { ...audit, examples: plan.report.rows === 'all' ? examples : [] }
}

/** `1,180 agreed, 12 doubtful, 8 not comparable` */
export const auditWords = ({ agreed, doubtful, notComparable }: Omit<AuditCounts, 'examples'>): string =>
  [`${count(agreed)} agreed`, `${count(doubtful)} doubtful`, `${count(notComparable)} not comparable`].join(', ')

/** `row 12: ACME LTD → BETA GMBH (name, town)` */
export const doubtWords = ({ row, name, company, differs }: DoubtfulExample): string =>
  `row ${count(row)}: ${name} → ${company.name === '' ? company.id : company.name} (${differs.join(', ')})`
