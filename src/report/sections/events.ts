/** Events in reports: what happened to companies of the portfolio since the last run. */
import type { z } from 'zod'
import type { RunState } from '../../journal/index.ts'
import { kindWords } from '../../model/event-kinds.ts'
import { isColumnMasked, MASK } from '../../model/list.ts'
import type { eventsSchema } from './company-actions-schema.ts'

type Events = z.infer<typeof eventsSchema>

export function readEvents({ plan, events }: RunState): Events {
  const read = events?.read ?? null
  if (events === null || read === null) return null
  const { portfolio, since, listed, kinds, ...counts } = read
  const { written, marked } = events
  const isMasked = [plan.portfolio?.reference, plan.key].some(column => column != null && isColumnMasked(plan, column.index))
  // If reports may not contain row content, they contain no company names either.
  const shown = plan.report.rows === 'none' ? [] : listed
  return {
    ...{ portfolio: portfolio && { ...portfolio }, since, ...counts, kinds: { ...kinds }, marked },
    ...{ file: written?.path ?? null, ownFile: written?.own ?? null, sha256: written?.sha256 ?? null },
    listed: shown.map(one => ({ ...one, company: { ...one.company }, key: isMasked && one.key !== '' ? MASK : one.key })),
  }
}

/** `Since the last run: 14 changed status, 3 moved, 1 dissolved.`; empty where no events are read. */
export function eventsSentence(events: Events): string {
  if (events === null) return ''
  const since = events.since === null ? 'So far' : 'Since the last run'
  return `${since}: ${events.events === 0 ? 'no events' : kindWords(events.kinds)}.`
}

export const EVENT_HEAD = ['Date', 'Company', 'Id', 'Key', 'Event', 'Before', 'After'] as const

export const eventCells = ({ at, company, key, rule, old, new: now }: NonNullable<Events>['listed'][number]): string[] => [
  ...[at.slice(0, 10), company.name, company.id, key, rule, old, now],
]
