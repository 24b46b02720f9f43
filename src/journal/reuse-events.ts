/** Schemas of the journal: bands and patterns of the matches, companies proposed and screened, and the events of a run that uses answers of earlier runs. */
import { z } from 'zod'
import type { Fit } from '../model/list.ts'

const text = z.string()
const count = z.number()
const list = <T>(item: z.ZodType<T>) => z.array(item) as unknown as z.ZodType<readonly T[]>

const example = z.object({ row: count, key: text.nullable(), name: text, company: z.object({ id: text, name: text }) })
const placements = { matched: count, review: count, unmatched: count }
const group = { value: text, rows: count, ...placements, examples: list(example) }
export const matches = z.object({
  bands: list(z.object({ ...group, moves: z.object(placements) })),
  patterns: list(z.object(group)),
  others: z.object({ bands: count, patterns: count }),
  byPattern: count,
})

export const proposed = z.object({
  id: text,
  name: text,
  score: count.nullable(),
  why: text,
  parts: z.record(text, count),
  fields: z.record(text, text),
  tags: z.record(text, text),
})
export const screened = z.object({ id: text, name: text, searchId: text, hits: count, risks: z.record(text, count) })

const parts = z.array(z.object({ from: count, rows: count })) as unknown as z.ZodType<
  readonly { readonly from: number; readonly rows: number }[]
>

export const REUSE_EVENTS = {
  /** Which rows have an answer of an earlier run, and the jobs of the others. */
  'reuse.chosen': {
    counts: z.object({
      ...{ asked: count, known: count, sent: count, repeated: count },
      ...{ fresh: count, changed: count, tooOld: count, lacking: count, refreshed: count },
    }),
    sent: count,
    parts,
    /** The digest of the choice, a file of the run directory. */
    choice: text,
    /** What the service fitted to the list in an earlier run, for the jobs of the rows that are sent. */
    fit: z.record(text, z.union([text, count])).optional() as unknown as z.ZodOptional<z.ZodType<Fit>>,
    searches: z.object({ screen: count, candidates: count }).optional(),
    /** The part of budget.credits for the rows of a shard that are sent. */
    credits: count.optional(),
  },
  /** Later runs may use the answers of this one. */
  'answers.kept': { files: count },
  /** Its paid answers cannot be proved to be those to its rows: no other run adopts them. */
  'answers.refused': { why: text },
  /** An earlier run asked, and when: nothing is paid. */
  'candidates.reused': { done: count, question: text, companies: list(proposed), askedAt: text },
  /** An earlier run searched, and when: nothing is paid. */
  'screen.reused': { done: count, company: screened, searchedAt: text },
  /** Later runs may use what this one searched. */
  'searches.kept': { what: z.enum(['screen', 'candidates']), searches: count },
} as const satisfies Readonly<Record<string, z.ZodRawShape>>
