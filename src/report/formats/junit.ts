/**
 * `junit.xml`: a suite is a pipeline, a case is a stage or a check, never a row. A failure is a failed check; an
 * error is anything else that stopped the run. Warnings pass, with their text in system-out.
 */

import { requiredWords } from '../message.ts'
import { isRejection, type PipelineResult, type Problem, type Rejection } from '../pipeline-result.ts'
import type { Report, Result } from '../schema.ts'
import { auditWords, doubtWords } from '../sections/audit.ts'
import { serviceWords } from '../service-words.ts'
import { formatHint, more, place } from '../words.ts'
import { escapeXml } from './escape.ts'

/** Issues in a suite; the report contains all. */
const ISSUES = 50

interface Case {
  readonly name: string
  readonly kind: 'stage' | 'check' | 'run'
  readonly ms: number
  readonly verdict: 'passed' | 'failure' | 'error' | 'skipped'
  readonly inner: string
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3)

interface Suite {
  readonly name: string
  readonly ms: number
  readonly startedAt: string | null
  readonly properties: readonly (readonly [string, string])[]
  readonly cases: readonly Case[]
  readonly out: readonly string[]
}

export function renderJunit(results: readonly PipelineResult[]): string {
  const suites = results.flatMap(report =>
    isRejection(report) ? [refusedSuite(report)] : report.results.map(result => createSuite(report, result)),
  )
  const all = formatCounts(suites.flatMap(suite => suite.cases))
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="fettle" ${all.total} time="${seconds(suites.reduce((sum, { ms }) => sum + ms, 0))}">
${suites.map(suiteXml).join('')}</testsuites>
`
}

const createSuite = (report: Report, result: Result): Suite => ({
  name: result.name,
  ms: result.elapsedMs,
  startedAt: report.metadata.startedAt,
  properties: [
    ['runId', report.metadata.runId],
    ['traceId', report.metadata.traceId],
    ['service', serviceWords(result)],
    ['input', result.input.path],
    ['inputSha256', result.input.sha256],
  ],
  cases: [...result.stages.map(stage => stageCase(stage, result)), ...result.checks.map(checkCase), ...runCases(report, result)],
  out: [
    result.message,
    ...(result.audit === null ? [] : [`audit: ${auditWords(result.audit)}`, ...result.audit.examples.map(doubtWords)]),
    ...result.issues.slice(0, ISSUES).map(inWords),
    ...(result.issues.length > ISSUES ? [more(result.issues.length, ISSUES)] : []),
    ...(report.resume === null ? [] : [`Resume with: ${report.resume}`]),
  ],
})

const inWords = (problem: Problem): string => `${problem.severity}: ${problem.message} ${formatHint(problem)}`.trimEnd()

function refusedSuite({ name, issues }: Rejection): Suite {
  const errors = issues.filter(issue => issue.severity === 'error')
  const [first] = errors
  const type = escapeXml(first?.code ?? 'FETTLE_BUG')
  const text = errors.slice(0, ISSUES).map(issue => `${issue.at === null ? '' : `${place(issue.at)} `}${inWords(issue)}`)
  const inner = `<error type="${type}" message="${escapeXml(first?.message ?? 'it could not begin')}">${text.map(escapeXml).join('\n')}</error>`
  const run: Case = { name: 'run', kind: 'run', ms: 0, verdict: 'error', inner }
  return { name, ms: 0, startedAt: null, properties: [], cases: [run], out: [] }
}

function formatCounts(cases: readonly Case[]): { readonly total: string; readonly suite: string } {
  const number = (verdict: Case['verdict']): number => cases.filter(tested => tested.verdict === verdict).length
  const total = `tests="${cases.length}" failures="${number('failure')}" errors="${number('error')}"`
  return { total, suite: `${total} skipped="${number('skipped')}"` }
}

function suiteXml({ name, ms, startedAt, properties, cases, out }: Suite): string {
  const suite = escapeXml(name)
  const timestamp = startedAt === null ? '' : ` timestamp="${escapeXml(startedAt.slice(0, 19))}"`
  return `  <testsuite name="${suite}" ${formatCounts(cases).suite} time="${seconds(ms)}"${timestamp}>
    <properties>
${properties.map(([key, value]) => `      <property name="${key}" value="${escapeXml(value)}"/>\n`).join('')}    </properties>
${cases.map(tested => caseXml(tested, suite)).join('')}    <system-out>${out.map(escapeXml).join('\n')}</system-out>
  </testsuite>
`
}

const caseXml = ({ kind, name, ms, inner }: Case, suite: string): string => {
  const open = `    <testcase classname="${suite}.${kind}" name="${escapeXml(name)}" time="${seconds(ms)}"`
  return inner === '' ? `${open}/>\n` : `${open}>${inner}</testcase>\n`
}

const skipped = (why: string): string => `<skipped message="${escapeXml(why)}"/>`

function stageCase(stage: Result['stages'][number], { error }: Result): Case {
  const base = { name: stage.name, kind: 'stage', ms: stage.elapsedMs } as const
  const skip = (why: string): Case => ({ ...base, verdict: 'skipped', inner: skipped(why) })
  if (stage.status === 'success' || stage.status === 'warn') return { ...base, verdict: 'passed', inner: '' }
  if (stage.status === 'skipped') return skip(stage.note ?? 'not needed')
  if (stage.status === 'pending') return skip('not reached')
  // The failed check is a case of its suite; the stage has no error.
  if (error?.kind === 'checks') return skip(stage.note ?? 'not started')
  if (stage.status === 'running' && error === null) return skip('under way')
  return { ...base, verdict: 'error', inner: errorXml(error, stage.note) }
}

const errorXml = (error: Result['error'], note: string | null): string => {
  const message = escapeXml(note ?? error?.message ?? 'it stopped before its end')
  const correlation = error?.correlationId ? ` Correlation id: ${error.correlationId}` : ''
  return `<error type="${escapeXml(error?.code ?? 'FETTLE_BUG')}" message="${message}">${escapeXml(`${error?.hint ?? ''}${correlation}`)}</error>`
}

const checkCase = (check: Result['checks'][number]): Case => {
  const base = { name: check.assertion, kind: 'check', ms: 0 } as const
  const text = `${check.assertion}: ${check.actual}, ${requiredWords(check.expected)}`
  if (check.success === null) return { ...base, verdict: 'skipped', inner: skipped(text) }
  if (check.success) return { ...base, verdict: 'passed', inner: '' }
  if (check.severity === 'warn')
    return { ...base, verdict: 'passed', inner: `<system-out>${escapeXml(`warning: ${text}`)}</system-out>` }
  return { ...base, verdict: 'failure', inner: `<failure type="FETTLE_CHECK_FAILED" message="${escapeXml(text)}"/>` }
}

function runCases(report: Report, result: Result): Case[] {
  const cases: Case[] = []
  const add = (name: string, verdict: Case['verdict'], inner: string): void =>
    void cases.push({ name, kind: 'run', ms: 0, verdict, inner })
  const ledger = 'every row is accounted for'
  if (report.ledger.adds === true) add(ledger, 'passed', '')
  if (report.ledger.adds === false) add(ledger, 'error', `<error type="FETTLE_LEDGER" message="${escapeXml(result.message)}"/>`)
  const inStage = result.stages.some(({ status }) => status === 'error' || status === 'cancelled' || status === 'running')
  if (result.error !== null && !inStage && result.error.kind !== 'checks') add('run', 'error', errorXml(result.error, null))
  return cases
}
