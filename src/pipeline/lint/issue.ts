/** The input of the rules between keys, and their issues. */
import type { OutputPlaces } from '../schema/paths.ts'
import type { PipelineFields } from '../schema/schema.ts'
import { show } from '../source/quote.ts'
import type { Path, SyntaxIssue } from '../source/tree.ts'

/** `fields` holds every key without an error; `broken` names the keys with one. */
export interface Draft {
  readonly fields: Partial<PipelineFields>
  readonly broken: ReadonlySet<string>
  readonly places: OutputPlaces
}

export type Rule = (draft: Draft) => SyntaxIssue[]

export const lintIssue = (code: SyntaxIssue['code'], path: Path, message: string, hint?: string): SyntaxIssue => ({
  code,
  path,
  message: `${path.join('.')}: ${message}`,
  ...(hint === undefined ? {} : { hint }),
})

export const wrongValue = (path: Path, message: string, hint?: string): SyntaxIssue =>
  lintIssue('FETTLE_PIPELINE_VALUE', path, message, hint)

export const noHeader = (path: Path, header: string): SyntaxIssue =>
  lintIssue(
    'FETTLE_PIPELINE_MAPPING',
    path,
    `the header ${show(header)} is named, but input.header is false`,
    'Use an index: { index: 0 }.',
  )
