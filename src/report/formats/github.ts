/** Output for GitHub Actions within the limits of the platform: annotations as workflow commands, and the outputs of the step. */

import { requiredWords } from '../message.ts'
import { isRejection, readName, type PipelineResult, type Problem } from '../pipeline-result.ts'
import type { Report, Result } from '../schema.ts'
import { sumOfTotals } from '../totals.ts'
import { worst } from '../verdict.ts'
import { count, counted, formatHint, place } from '../words.ts'
import { clip, escapeCommand, escapeCommandProperty } from './escape.ts'

/** GitHub shows ten annotations of a step and drops the rest: the tenth contains the number of the others. */
const ANNOTATIONS = 10
/** Characters of an annotation: the page cuts longer ones. */
const MESSAGE = 1_000

interface Annotation {
  readonly level: 'error' | 'warning'
  readonly title: string
  readonly message: string
  readonly at: Problem['at']
}

/**
 * Workflow commands, at most ten, errors first. `inWorkspace` returns the path of a file below the checkout, null for other
 * files: GitHub shows annotations only in files of the checkout.
 */
export function githubAnnotations(results: readonly PipelineResult[], inWorkspace: (file: string) => string | null): string[] {
  const all = results.flatMap(listAnnotations)
  const sorted = [...all.filter(one => one.level === 'error'), ...all.filter(one => one.level === 'warning')]
  if (sorted.length <= ANNOTATIONS) return sorted.map(one => formatCommand(one, inWorkspace))
  const shown = sorted.slice(0, ANNOTATIONS - 1)
  const rest = sorted.slice(shown.length)
  const errors = rest.filter(one => one.level === 'error').length
  const last: Annotation = {
    level: errors > 0 ? 'error' : 'warning',
    title: 'fettle',
    message: `and ${count(rest.length)} more: ${counted(errors, 'error')}, ${counted(rest.length - errors, 'warning')}; see the summary and report.html`,
    at: null,
  }
  return [...shown, last].map(one => formatCommand(one, inWorkspace))
}

function listAnnotations(pipelineResult: PipelineResult): Annotation[] {
  const name = readName(pipelineResult)
  if (isRejection(pipelineResult)) return pipelineResult.issues.flatMap(one => ofIssue(one, name))
  return pipelineResult.results.flatMap(result => [
    ...ofError(pipelineResult, result),
    ...ofChecks(result),
    ...result.issues.flatMap(one => ofIssue(one, name)),
  ])
}

function ofIssue(issue: Problem, name: string): Annotation[] {
  const { severity, code, message, hint, at } = issue
  if (severity === 'info') return []
  const text = `${message}${hint === null ? '' : `\n${formatHint(issue)}`}`
  return [{ level: severity === 'error' ? 'error' : 'warning', title: `${name}: ${code}`, message: text, at }]
}

function ofError({ resume }: Report, { name, error }: Result): Annotation[] {
  if (error === null) return []
  const lines = [
    error.message,
    error.hint,
    ...(error.correlationId === null ? [] : [`Correlation id: ${error.correlationId}`]),
    ...(resume === null ? [] : [`Resume with: ${resume}`]),
  ]
  return [{ level: 'error', title: `${name}: ${error.code}`, message: lines.join('\n'), at: null }]
}

const ofChecks = ({ name, file, checks }: Result): Annotation[] =>
  checks
    .filter(check => check.success === false)
    .map(({ severity, assertion, actual, expected }) => ({
      level: severity === 'fail' ? 'error' : 'warning',
      title: `${name}: check ${assertion}`,
      message: `${actual}, ${requiredWords(expected)}`,
      at: { file, line: null, column: null },
    }))

function formatCommand({ level, title, message, at }: Annotation, inWorkspace: (file: string) => string | null): string {
  const file = at === null ? null : inWorkspace(at.file)
  const properties = [
    ['file', file === null ? null : clip(file, MESSAGE)],
    ['line', file === null ? null : at?.line],
    ['col', file === null || at?.line == null ? null : at.column],
    ['title', clip(title, 200)],
  ].flatMap(([key, value]) => (value == null ? [] : [`${key}=${escapeCommandProperty(String(value))}`]))
  const lines = message.split('\n').map(line => clip(line, MESSAGE))
  // A file outside the checkout is named in the message.
  if (at !== null && file === null) lines.unshift(clip(place(at), MESSAGE))
  return `::${level} ${properties.join(',')}::${escapeCommand(lines.join('\n'))}`
}

/**
 * The outputs of the step. Of several pipelines: the worst status, the sums of the counts, one path a line. Unknown values are empty.
 */
export function githubOutputs(results: readonly PipelineResult[], exitCode: number): Readonly<Record<string, string>> {
  const reports = results.flatMap(one => (isRejection(one) ? [] : [one]))
  const totals = reports.length === results.length ? sumOfTotals(reports.map(report => report.totals)) : null
  const text = (value: number | null | undefined): string => (value == null ? '' : String(value))
  const lines = (values: readonly (string | null | undefined)[]): string => values.filter(one => one != null).join('\n')
  return {
    status: worst(results.map(one => (isRejection(one) ? 'error' : one.status))),
    exit_code: String(exitCode),
    run_id: lines(reports.map(report => report.metadata.runId)),
    matched: text(totals?.matched),
    unmatched: text(totals?.unmatched),
    review: text(totals?.review),
    match_rate: text(totals?.matchRate),
    output: lines(
      reports
        .flatMap(report => report.results.flatMap(one => one.outputs.filter(({ kind }) => kind === 'output')))
        .map(one => one.path),
    ),
    report: lines(reports.map(({ metadata: { directory } }) => directory && `${directory}/report.json`)),
  }
}

/** Values as lines of the file that `GITHUB_OUTPUT` names, with a delimiter that no value contains. */
export function githubOutputFile(outputs: Readonly<Record<string, string>>): string {
  const values = Object.values(outputs).flatMap(value => value.split(/\r\n|[\r\n]/))
  let end = 'FETTLE'
  while (values.includes(end)) end += '_'
  return Object.entries(outputs)
    .map(([name, value]) => `${name}<<${end}\n${value}\n${end}\n`)
    .join('')
}
