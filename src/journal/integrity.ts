/**
 * Checks that the lines of a journal can be fettle's: every event has the fields of its type, and none comes before the event that it
 * depends on. Events of a newer minor version pass.
 */

import { z } from 'zod'
import { EVENTS, type RunEvent } from './events.ts'

const SCHEMAS: ReadonlyMap<string, z.ZodType> = new Map(Object.entries(EVENTS).map(([type, fields]) => [type, z.object(fields)]))

export const isEvent = (value: unknown): value is RunEvent =>
  typeof value === 'object' &&
  value !== null &&
  'type' in value &&
  typeof value.type === 'string' &&
  'at' in value &&
  typeof value.at === 'string' &&
  !Number.isNaN(Date.parse(value.at))

export function faultOf(event: RunEvent): string | null {
  const fault = SCHEMAS.get(event.type)?.safeParse(event).error?.issues[0]
  return fault === undefined ? null : `its ${fault.path.map(String).join('.')} is missing or of another kind`
}

/** The first line, from 1, that cannot follow the lines before it; null when all can. */
export function findGap(events: readonly RunEvent[]): { readonly line: number; readonly why: string } | null {
  const requested = new Set<number>()
  const created = new Set<number>()
  for (const [index, event] of events.entries()) {
    const gap = (why: string) => ({ line: index + 1, why })
    if (index === 0 && event.type !== 'run.started') return gap('the first event is not run.started')
    if (index > 0 && event.type === 'run.started') return gap('the run was started before')
    if (event.type === 'run.started') for (const job of event.merged?.jobs ?? []) created.add(job.part)
    if (!('part' in event)) continue
    if (event.type === 'job.requested') requested.add(event.part)
    else if (event.type === 'job.created') {
      if (!requested.has(event.part)) return gap('no job was requested before')
      created.add(event.part)
    } else if (event.type !== 'correlation.noted' && !created.has(event.part)) return gap('there was no job yet')
  }
  return null
}
