/** A pipeline file for a program that wants to change it before it runs it. Its input is not looked at, and nothing is sent. */
import { errorOfIssues } from '../../errors.ts'
import { type PipelineInput, pipelineFormat, plainPipeline } from '../../pipeline/index.ts'
import type { Env } from '../env/environment.ts'
import { NO_OVERRIDES, parseText, readText } from './prepare.ts'

/** What `${…}` is judged by; it is filled in when the pipeline is run. */
export interface LoadOptions {
  /** The process's own if absent. */
  readonly env?: Env
  readonly vars?: Readonly<Record<string, string>>
}

/** The pipeline of a file as `definePipeline` would have it. Throws a FettleError with all problems of the file, each with its place. */
export async function loadPipeline(file: string, { env = process.env, vars = {} }: LoadOptions = {}): Promise<PipelineInput> {
  const text = await readText(file)
  const parsed = typeof text === 'string' ? parseText(text, file, { ...NO_OVERRIDES, env, vars, cwd: process.cwd() }) : text
  if ('code' in parsed) throw errorOfIssues([parsed])
  if (parsed.pipeline === null) throw errorOfIssues(parsed.issues)
  return plainPipeline(text as string, pipelineFormat(file) ?? 'yaml')
}
