/**
 * `junit.xml`: a suite is a pipeline, a case is a stage or a check, never a row. A failure is a check that was not met; an
 * error is something that could not be done. Warnings pass, with their text in system-out.
 */
import { escapeXml } from './escape.ts'
import type { Report, Result } from './schema.ts'

/** A case: its name, what it tests, how long it took, and its verdict as inner XML. */
interface Case {
  readonly name: string
  readonly kind: 'stage' | 'check' | 'run'
  readonly ms: number
  readonly verdict: 'passed' | 'failure' | 'error' | 'skipped'
  readonly inner: string
}

const seconds = (ms: number): string => (ms / 1000).toFixed(3)

/** The report as JUnit XML. */
export function renderJunit(report: Report): string {
  const suites = report.results.map(result => ({ result, cases: casesOf(report, result) }))
  const all = countsOf(suites.flatMap(suite => suite.cases))
  const body = suites.map(({ result, cases }) => suiteXml(report, result, cases)).join('')
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="fettle" ${all} time="${seconds(report.elapsedMs)}">
${body}</testsuites>
`
}

const casesOf = (report: Report, result: Result): Case[] => [
  ...result.stages.map(stage => stageCase(stage, result)),
  ...result.checks.map(checkCase),
  ...runCases(report, result),
]

function countsOf(cases: readonly Case[]): string {
  const number = (verdict: Case['verdict']): number => cases.filter(one => one.verdict === verdict).length
  return `tests="${cases.length}" failures="${number('failure')}" errors="${number('error')}" skipped="${number('skipped')}"`
}

function suiteXml(report: Report, result: Result, cases: readonly Case[]): string {
  const name = escapeXml(result.name)
  const properties = [
    ['runId', report.metadata.runId],
    ['traceId', report.metadata.traceId],
    ['service', result.service],
    ['input', result.input.path],
    ['inputSha256', result.input.sha256],
  ].map(([key, value]) => `      <property name="${key}" value="${escapeXml(value ?? '')}"/>\n`)
  const out = [
    result.message,
    ...result.issues.map(issue => `${issue.severity}: ${issue.message}${issue.hint === null ? '' : ` ${issue.hint}`}`),
    ...(report.resume === null ? [] : [`Go on with: ${report.resume}`]),
  ]
  const timestamp = escapeXml(report.metadata.startedAt.slice(0, 19))
  return `  <testsuite name="${name}" ${countsOf(cases)} time="${seconds(result.elapsedMs)}" timestamp="${timestamp}">
    <properties>
${properties.join('')}    </properties>
${cases.map(one => caseXml(one, name)).join('')}    <system-out>${out.map(escapeXml).join('\n')}</system-out>
  </testsuite>
`
}

const caseXml = (one: Case, suite: string): string => {
  const open = `    <testcase classname="${suite}.${one.kind}" name="${escapeXml(one.name)}" time="${seconds(one.ms)}"`
  return one.inner === '' ? `${open}/>\n` : `${open}>${one.inner}</testcase>\n`
}

const skipped = (why: string): string => `<skipped message="${escapeXml(why)}"/>`

function stageCase(stage: Result['stages'][number], { error }: Result): Case {
  const base = { name: stage.name, kind: 'stage', ms: stage.elapsedMs } as const
  if (stage.status === 'success' || stage.status === 'warn') return { ...base, verdict: 'passed', inner: '' }
  if (stage.status === 'skipped') return { ...base, verdict: 'skipped', inner: skipped(stage.note ?? 'not needed') }
  if (stage.status === 'pending') return { ...base, verdict: 'skipped', inner: skipped('not reached') }
  if (stage.status === 'running' && error === null) return { ...base, verdict: 'skipped', inner: skipped('under way') }
  return { ...base, verdict: 'error', inner: errorXml(error, stage.note) }
}

const errorXml = (error: Result['error'], note: string | null): string => {
  const message = escapeXml(note ?? error?.message ?? 'it stopped before its end')
  const correlation = error?.correlationId ? ` Correlation id: ${error.correlationId}` : ''
  return `<error type="${escapeXml(error?.code ?? 'FETTLE_BUG')}" message="${message}">${escapeXml(`${error?.hint ?? ''}${correlation}`)}</error>`
}

const checkCase = (check: Result['checks'][number]): Case => {
  const base = { name: check.assertion, kind: 'check', ms: 0 } as const
  const text = `${check.assertion}: ${check.actual}, expected ${check.expected}`
  if (check.success) return { ...base, verdict: 'passed', inner: '' }
  if (check.severity === 'warn')
    return { ...base, verdict: 'passed', inner: `<system-out>${escapeXml(`warning: ${text}`)}</system-out>` }
  return { ...base, verdict: 'failure', inner: `<failure type="FETTLE_CHECK_FAILED" message="${escapeXml(text)}"/>` }
}

/** What belongs to no stage: an error between stages, and a ledger that does not add up. */
function runCases(report: Report, result: Result): Case[] {
  const base = { kind: 'run', ms: 0 } as const
  const inStage = result.stages.some(
    stage => stage.status === 'error' || stage.status === 'cancelled' || stage.status === 'running',
  )
  const ledger: Case[] =
    report.ledger.adds === null
      ? []
      : report.ledger.adds
        ? [{ ...base, name: 'every row is accounted for', verdict: 'passed', inner: '' }]
        : [
            {
              ...base,
              name: 'every row is accounted for',
              verdict: 'error',
              inner: `<error type="FETTLE_LEDGER" message="${escapeXml(result.message)}"/>`,
            },
          ]
  const loose: Case[] =
    result.error === null || inStage || result.error.kind === 'checks'
      ? []
      : [{ ...base, name: 'run', verdict: 'error', inner: errorXml(result.error, null) }]
  return [...ledger, ...loose]
}
