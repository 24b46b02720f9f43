/** What the rules between keys are given and how they say what is wrong. It holds no rule. */
import type { PipelineFields } from '../schema/schema.ts'
import { show } from '../source/quote.ts'
import type { Path, SyntaxIssue } from '../source/tree.ts'

/** What is known of a pipeline: `fields` all that is without fault; `broken` the keys in which something is wrong. */
export interface Draft {
  readonly fields: Partial<PipelineFields>
  readonly broken: ReadonlySet<string>
  /** Absolute path of the project, when known. */
  readonly root: string | undefined
}

/** One rule: everything it finds wrong. */
export type Rule = (draft: Draft) => SyntaxIssue[]

/** A finding whose message begins with the key it is about. */
export const lintIssue = (code: SyntaxIssue['code'], path: Path, message: string, hint?: string): SyntaxIssue => ({
  code,
  path,
  message: `${path.join('.')}: ${message}`,
  ...(hint === undefined ? {} : { hint }),
})

/** A header stands where the file has none. */
export const noHeader = (path: Path, header: string): SyntaxIssue =>
  lintIssue(
    'FETTLE_PIPELINE_MAPPING',
    path,
    `the header ${show(header)} is named, but input.header is false`,
    'Use an index: { index: 0 }.',
  )
