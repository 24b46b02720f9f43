/** The result of one pipeline of a call, for reporters: the report of its run, or a rejection before there was a run. */
import { FettleError, type Issue, issue } from '../errors.ts'
import type { Report } from './schema.ts'

export type Problem = Omit<Issue, 'code' | 'rows'> & { readonly code: string }

export interface Rejection {
  /** The name of the pipeline, or its file before it is read. */
  readonly name: string
  readonly exitCode: number
  readonly issues: readonly Issue[]
}

export type PipelineResult = Report | Rejection

/** A pipeline whose run ended before it began, with an error. */
export function rejectionOf(error: unknown, name: string): Rejection {
  const known = FettleError.is(error)
    ? error
    : new FettleError('FETTLE_BUG', error instanceof Error ? error.message : String(error))
  const { code, message, hint, at, action, exitCode } = known
  const own = issue(code, message, { hint, at, ...(action === null ? {} : { action }) })
  return { name, exitCode, issues: known.issues.length > 0 ? known.issues : [own] }
}

export const isRejection = (pipelineResult: PipelineResult): pipelineResult is Rejection => !('schema' in pipelineResult)

export const readName = (pipelineResult: PipelineResult): string =>
  isRejection(pipelineResult) ? pipelineResult.name : (pipelineResult.results[0]?.name ?? '')
