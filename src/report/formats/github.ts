/** Output for GitHub Actions within the limits of the platform: annotations as workflow commands, and the outputs of the step. */

import { requiredWords } from '../message.ts'
import { isRejection, type PipelineResult, type Problem, readName } from '../pipeline-result.ts'
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
  const errors = all.filter(({ level }) => level === 'error')
  const sorted = [...errors, ...all.filter(({ level }) => level === 'warning')]
  const format = (annotation: Annotation): string => formatCommand(annotation, inWorkspace)
  if (sorted.length <= ANNOTATIONS) return sorted.map(format)
  const shown = sorted.slice(0, ANNOTATIONS - 1)
  const rest = sorted.length - shown.length
  const more = Math.max(0, errors.length - shown.length)
  const message = `and ${count(rest)} more: ${counted(more, 'error')}, ${counted(rest - more, 'warning')}; see the summary and report.html`
  return [...shown, { level: more > 0 ? 'error' : 'warning', title: 'fettle', message, at: null } as const].map(format)
}

function listAnnotations(pipelineResult: PipelineResult): Annotation[] {
  const name = readName(pipelineResult)
  const ofIssues = (issues: readonly Problem[]): Annotation[] => issues.flatMap(problem => ofIssue(problem, name))
  if (isRejection(pipelineResult)) return ofIssues(pipelineResult.issues)
  return pipelineResult.results.flatMap(result => {
    return [...ofError(pipelineResult, result), ...ofChecks(result), ...ofIssues(result.issues)]
  })
}

function ofIssue(issue: Problem, name: string): Annotation[] {
  const { severity, code, message, hint, at } = issue
  if (severity === 'info') return []
  const text = `${message}${hint === null ? '' : `\n${formatHint(issue)}`}`
  return [{ level: severity === 'error' ? 'error' : 'warning', title: `${name}: ${code}`, message: text, at }]
}

function ofError({ resume }: Report, { name, error }: Result): Annotation[] {
  if (error === null) return []
  const lines = [error.message, error.hint]
  if (error.correlationId !== null) lines.push(`Correlation id: ${error.correlationId}`)
  if (resume !== null) lines.push(`Resume with: ${resume}`)
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
  const reports = results.filter((result): result is Report => !isRejection(result))
  const outputs = reports.flatMap(report => report.results.flatMap(result => result.outputs))
  const totals = reports.length === results.length ? sumOfTotals(reports.map(report => report.totals)) : null
  const text = (value: number | null | undefined): string => (value == null ? '' : String(value))
  const lines = (values: readonly (string | null | undefined)[]): string => values.filter(value => value != null).join('\n')
  return {
    status: worst(results.map(result => (isRejection(result) ? 'error' : result.status))),
    exit_code: String(exitCode),
    run_id: lines(reports.map(report => report.metadata.runId)),
    matched: text(totals?.matched),
    unmatched: text(totals?.unmatched),
    review: text(totals?.review),
    match_rate: text(totals?.matchRate),
    output: lines(outputs.filter(({ kind }) => kind === 'output').map(({ path }) => path)),
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
