/**
 * `metrics.txt`: the result of runs as OpenMetrics text. Gauges, since each file is about one call. Labels are equal in all runs,
 * so that a merge request can show the difference. Unknown values are omitted, never 0.
 */

import { isRejection, type PipelineResult, readName } from '../pipeline-result.ts'
import type { Report } from '../schema.ts'
import { OUTCOMES } from '../verdict.ts'
import { escapeLabel } from './escape.ts'

type Samples = (result: PipelineResult) => readonly (readonly [labels: string, value: number | null])[]

const one = (value: number | null): ReturnType<Samples> => [['', value]]

/** A value of a run; a pipeline that did not start has none. */
const ofRun =
  (value: (report: Report) => number | null): Samples =>
  result =>
    isRejection(result) ? [] : one(value(result))

const readStart = ({ metadata }: Report): number => Date.parse(metadata.startedAt) / 1000
const readEnd = (report: Report): number | null =>
  report.status === 'running' ? null : readStart(report) + report.elapsedMs / 1000

const SUCCESS = { success: 1, warn: 1, skipped: 1, fail: 0, error: 0, cancelled: 0, running: null } as const
const readSuccess: Samples = result => one(isRejection(result) ? 0 : SUCCESS[result.status])
const listRows: Samples = result =>
  isRejection(result) ? [] : OUTCOMES.map(name => [`,outcome="${name}"`, result.totals[name]] as const)
const readHttp = (what: 'requests' | 'retries'): Samples => ofRun(({ results }) => results[0]?.http[what] ?? null)

const UNIT = /(?<=_)(?:seconds|ratio)$/

/** Names are stable: dashboards, alerts and merge requests compare them. A name ends in its unit. */
const FAMILIES: readonly (readonly [name: string, help: string, samples: Samples])[] = [
  ['fettle_run_success', 'Whether the run succeeded: 1, or 0 after an error, a failed check or a stop.', readSuccess],
  ['fettle_run_exit_code', 'Exit code of the run.', result => one(result.exitCode)],
  ['fettle_run_start_timestamp_seconds', 'Start of the run, in seconds since 1970.', ofRun(readStart)],
  ['fettle_run_end_timestamp_seconds', 'End of the run, in seconds since 1970.', ofRun(readEnd)],
  ['fettle_run_duration_seconds', 'Duration of the run.', ofRun(({ elapsedMs }) => elapsedMs / 1000)],
  ['fettle_input_rows', 'Rows of the run.', ofRun(({ totals }) => totals.rows)],
  [
    'fettle_list_rows',
    'Rows of the list; more than the rows of the run where a limit leaves some out.',
    ofRun(({ results }) => results[0]?.input.rows ?? null),
  ],
  ['fettle_rows', 'Rows by outcome.', listRows],
  ['fettle_match_ratio', 'Share of rows with a company.', ofRun(({ totals }) => totals.matchRate)],
  ['fettle_http_requests', 'Requests to the service, retries included.', readHttp('requests')],
  ['fettle_http_retries', 'Requests that were repeated.', readHttp('retries')],
  ['fettle_credits', 'Credits that the service may charge.', ofRun(({ results }) => results[0]?.credits ?? null)],
]

/** One set of samples for each pipeline; ends in `# EOF`. */
export function renderOpenMetrics(results: readonly PipelineResult[]): string {
  const families = FAMILIES.flatMap(([name, help, samples]) => [
    `# TYPE ${name} gauge`,
    ...(UNIT.exec(name) ?? []).map(unit => `# UNIT ${name} ${unit}`),
    `# HELP ${name} ${help}`,
    ...results.flatMap(result =>
      samples(result).flatMap(([labels, value]) =>
        value === null ? [] : [`${name}{pipeline="${escapeLabel(readName(result))}"${labels}} ${value}`],
      ),
    ),
  ])
  return `${[...families, '# EOF'].join('\n')}\n`
}
