/** The result of one pipeline of a call, for reporters: the report of its run, or a rejection before there was a run. */
import type { Issue } from '../errors.ts'
import type { Report } from './schema.ts'

export type Problem = Omit<Issue, 'code' | 'rows'> & { readonly code: string }

export interface Rejection {
  /** The name of the pipeline, or its file before it is read. */
  readonly name: string
  readonly exitCode: number
  readonly issues: readonly Issue[]
}

export type PipelineResult = Report | Rejection

export const isRejection = (pipelineResult: PipelineResult): pipelineResult is Rejection => !('schema' in pipelineResult)

export const nameOf = (pipelineResult: PipelineResult): string =>
  isRejection(pipelineResult) ? pipelineResult.name : (pipelineResult.results[0]?.name ?? '')
