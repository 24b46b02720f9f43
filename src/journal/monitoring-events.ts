/** The schemas of the events of the stages `portfolio` and `events`. */
import { z } from 'zod'
import type { ReportedEvent } from '../model/results.ts'

const text = z.string()
const count = z.number()
const flag = z.boolean()
const ids = z.array(text) as unknown as z.ZodType<readonly string[]>
const kind = z.enum(['import', 'sync'])

export const PORTFOLIO_EVENTS = {
  'portfolio.requested': { name: text },
  'portfolio.found': { id: count, name: text, created: flag },
  /** The rules of a country are set; `changed`: they were not before. */
  'portfolio.ruled': { country: text, active: count, changed: flag },
  /** What the portfolio has, compared with the companies found. `removes`: those that are gone will be removed. */
  'portfolio.compared': { present: count, missing: count, gone: count, changed: count, removes: flag, examples: ids },
  /** A file of companies is about to be sent. */
  'portfolio.sending': { kind, companies: count },
  'portfolio.sent': { kind, companies: count, status: text },
  /** The service has no operation that takes a file. */
  'portfolio.unavailable': { kind },
  /** The files are applied; `left` are the companies that are still missing, which are added one by one. */
  'portfolio.settled': { done: count, added: count, present: count, removed: count, left: ids },
}

const reported = z.object({
  at: text,
  company: z.object({ id: text, name: text }),
  key: text,
  rule: text,
  old: text,
  new: text,
}) as unknown as z.ZodType<ReportedEvent>

export const NOTICE_EVENTS = {
  /** What happened since the last run: read, and stored in the run directory. `listed` has the first of them. */
  'events.read': {
    portfolio: z.object({ id: count, name: text }).nullable(),
    since: text.nullable(),
    events: count,
    companies: count,
    kinds: z.record(text, count),
    listed: z.array(reported) as unknown as z.ZodType<readonly ReportedEvent[]>,
  },
  /** The files are in place, and no later run writes these events. `unmarked`: events that are to be marked as processed. */
  'events.written': { path: text, own: text, rows: count, bytes: count, sha256: text, unmarked: count },
  /** `done`: events handled so far; `refused`: the service marks none. */
  'events.marked': { done: count, refused: flag },
}
