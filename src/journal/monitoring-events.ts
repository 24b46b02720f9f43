/** The schemas of the events of the portfolio stage. */
import { z } from 'zod'

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
