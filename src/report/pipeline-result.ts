/**
 * How the pipelines of one call ended, as reporters are told it: each with the report of its run, or refused before there was
 * one. It judges nothing.
 */
import type { Issue } from '../errors.ts'
import type { Report } from './schema.ts'

/** An issue as journals and reports alike hold it, without its rows. */
export type Problem = Omit<Issue, 'code' | 'rows'> & { readonly code: string }

/** A pipeline that came to no run: what kept it from one. */
export interface Rejection {
  /** The pipeline's name, or its file while that is unread. */
  readonly name: string
  readonly exitCode: number
  readonly issues: readonly Issue[]
}

/** How one pipeline of a call ended. */
export type PipelineResult = Report | Rejection

/** There was no run. */
export const isRejection = (told: PipelineResult): told is Rejection => !('schema' in told)

/** The pipeline that is told of. */
export const nameOf = (told: PipelineResult): string => (isRejection(told) ? told.name : (told.results[0]?.name ?? ''))
