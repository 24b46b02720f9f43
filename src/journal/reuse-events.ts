/** Schemas of the journal: bands and patterns of the matches, companies proposed and screened, and the events of a run that uses answers of earlier runs. */
import { z } from 'zod'
import { COMPANY_NUMBERS } from '../contract/index.ts'

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
  /** Which rows have an answer of an earlier run, and the jobs of the others; digests of files of the run directory. */
  'reuse.chosen': {
    counts: z.object({
      ...{ asked: count, known: count, sent: count, repeated: count },
      ...{ fresh: count, changed: count, tooOld: count, lacking: count, refreshed: count },
    }),
    sent: count,
    parts,
    answers: text,
    bits: text,
    inRegister: count.nullable().optional(),
    companyNumbers: z.enum(COMPANY_NUMBERS).optional(),
    searches: z.object({ screen: count, candidates: count }).optional(),
    /** The part of budget.credits for the rows of a shard that go up. */
    credits: count.optional(),
    /** Chosen again after requests about its rows: the name of the new jobs. Those before are left. */
    jobName: text.optional(),
    /** Credits of the jobs that are left; their answers are stored. Null: the service gave no counts; absent: none was paid. */
    paid: count.nullable().optional(),
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
