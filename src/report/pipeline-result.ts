/** The result of one pipeline of a call: the report of its run, or a rejection before there was a run; and its line of JSON. */
import { FettleError, type Issue, issue } from '../errors.ts'
import { safeJson } from './formats/escape.ts'
import type { Report, Result } from './schema.ts'
import { isRefused } from './verdict.ts'

export type Problem = Omit<Issue, 'code' | 'rows'> & { readonly code: string }

export interface Rejection {
  /** The name of the pipeline, or its file before it is read. */
  readonly name: string
  readonly exitCode: number
  readonly issues: readonly Issue[]
}

export type PipelineResult = Report | Rejection

/** A pipeline whose run ended before it began, with an error. */
export function explainRejection(error: unknown, name: string): Rejection {
  const bug = (): FettleError => new FettleError('FETTLE_BUG', error instanceof Error ? error.message : String(error))
  const { code, message, hint, at, action, exitCode, issues } = FettleError.is(error) ? error : bug()
  return {
    name,
    exitCode,
    issues: issues.length > 0 ? issues : [issue(code, message, { hint, at, action: action ?? undefined })],
  }
}

export const isRejection = (pipelineResult: PipelineResult): pipelineResult is Rejection => !('schema' in pipelineResult)

export const readName = (pipelineResult: PipelineResult): string =>
  isRejection(pipelineResult) ? pipelineResult.name : (pipelineResult.results[0]?.name ?? '')

/** Bytes without the line end: below 4 KB. */
const LIMIT = 4095

/** The `--json` line, `fettle/result/v1`: the result of a run for schedulers, small enough for an XCom or an output variable. */
interface ResultLine {
  readonly status: string
  readonly exitCode: number | null
  readonly runId: string | null
  readonly pipeline: string | null
  readonly service?: string | null
  readonly registers?: Result['registers']
  readonly inRegister?: Result['inRegister']
  /** Of a run that did not take all rows. */
  readonly partial?: Result['partial']
  readonly totals?: Report['totals'] | null
  /** Companies with an event since the last run, by what happened to them. */
  readonly events?: Readonly<Record<string, number>> | null
  /** The path of report.json. */
  readonly report?: string | null
  readonly output?: string | null
  /** The checksum of the last line of the journal. */
  readonly journal?: string | null
  /** Of a run that could not start, or that a budget refused. */
  readonly error?: { readonly code: string; readonly message: string; readonly hint: string }
}

/** The line of these values, with every key; what is absent is null, but for `error`. */
export function formatResultLine(line: ResultLine): string {
  const { status, exitCode, runId, pipeline, service = null, registers = null, inRegister = null, partial = null } = line
  const { totals = null, events = null, report = null, output = null, journal = null, error } = line
  const head = { schema: 'fettle/result/v1', status, exitCode, runId, pipeline, service, registers, inRegister, partial }
  return safeJson({ ...head, totals, events, report, output, journal, error })
}

/**
 * One compact line without a line end, below 4 KB. `report` is the path of report.json, null without a directory; `output` is the
 * output file, null if none was written. A value too long for the line becomes null, never a part of it.
 */
export function resultLine(report: Report): string {
  const { status, exitCode, metadata, totals, results, journal } = report
  const [result] = results
  const error = isRefused(report) ? result?.error : null
  const { runId, directory } = metadata
  let line: ResultLine = {
    status,
    exitCode,
    runId,
    pipeline: result?.name ?? null,
    service: result?.service ?? null,
    registers: result?.registers ?? null,
    inRegister: result?.inRegister ?? null,
    partial: result?.partial ?? null,
    totals,
    events: result?.events?.kinds ?? null,
    error: error ? { code: error.code, message: error.message.slice(0, 1_000), hint: error.hint } : undefined,
    report: directory === null ? null : `${directory}/report.json`,
    output: result?.outputs.find(output => output.kind === 'output')?.path ?? null,
    journal: journal?.head ?? null,
  }
  const fits = (text: string): boolean => new TextEncoder().encode(text).length <= LIMIT
  let text = formatResultLine(line)
  for (const key of ['events', 'registers', 'output', 'report', 'service', 'pipeline', 'runId'] as const) {
    if (fits(text)) break
    line = { ...line, [key]: null }
    text = formatResultLine(line)
  }
  return text
}
