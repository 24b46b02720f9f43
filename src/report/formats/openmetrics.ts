/**
 * `metrics.txt`: the result of runs as OpenMetrics text. Gauges, since each file is about one call. Labels are equal in all runs,
 * so that a merge request can show the difference. Unknown values are omitted, never 0.
 */

import { isRejection, nameOf, type PipelineResult } from '../pipeline-result.ts'
import type { Report } from '../schema.ts'
import { OUTCOMES } from '../verdict.ts'
import { escapeLabel } from './escape.ts'

interface Family {
  readonly name: string
  readonly unit?: string
  readonly help: string
  readonly samples: (result: PipelineResult) => readonly (readonly [labels: string, value: number | null])[]
}

const one = (value: number | null): ReturnType<Family['samples']> => [['', value]]

/** A value of a run; a pipeline that did not start has none. */
const ofRun =
  (value: (report: Report) => number | null): Family['samples'] =>
  result =>
    isRejection(result) ? [] : one(value(result))

const startOf = ({ metadata }: Report): number => Date.parse(metadata.startedAt) / 1000

const SUCCESS = { success: 1, warn: 1, skipped: 1, fail: 0, error: 0, cancelled: 0, running: null } as const

/** Names are stable: dashboards, alerts and merge requests compare them. */
const FAMILIES: readonly Family[] = [
  {
    name: 'fettle_run_success',
    help: 'Whether the run succeeded: 1, or 0 after an error, a failed check or a stop.',
    samples: result => one(isRejection(result) ? 0 : SUCCESS[result.status]),
  },
  { name: 'fettle_run_exit_code', help: 'Exit code of the run.', samples: result => one(result.exitCode) },
  {
    name: 'fettle_run_start_timestamp_seconds',
    unit: 'seconds',
    help: 'Start of the run, in seconds since 1970.',
    samples: ofRun(startOf),
  },
  {
    name: 'fettle_run_end_timestamp_seconds',
    unit: 'seconds',
    help: 'End of the run, in seconds since 1970.',
    samples: ofRun(report => (report.status === 'running' ? null : startOf(report) + report.elapsedMs / 1000)),
  },
  {
    name: 'fettle_run_duration_seconds',
    unit: 'seconds',
    help: 'Duration of the run.',
    samples: ofRun(({ elapsedMs }) => elapsedMs / 1000),
  },
  { name: 'fettle_input_rows', help: 'Rows of the run.', samples: ofRun(({ totals }) => totals.rows) },
  {
    name: 'fettle_list_rows',
    help: 'Rows of the list; more than the rows of the run where a limit leaves some out.',
    samples: ofRun(({ results }) => results[0]?.input.rows ?? null),
  },
  {
    name: 'fettle_rows',
    help: 'Rows by outcome.',
    samples: result => (isRejection(result) ? [] : OUTCOMES.map(name => [`,outcome="${name}"`, result.totals[name]] as const)),
  },
  {
    name: 'fettle_match_ratio',
    unit: 'ratio',
    help: 'Share of rows with a company.',
    samples: ofRun(({ totals }) => totals.matchRate),
  },
  {
    name: 'fettle_http_requests',
    help: 'Requests to the service, retries included.',
    samples: ofRun(({ results }) => results[0]?.http.requests ?? null),
  },
  {
    name: 'fettle_http_retries',
    help: 'Requests that were repeated.',
    samples: ofRun(({ results }) => results[0]?.http.retries ?? null),
  },
  {
    name: 'fettle_credits',
    help: 'Credits that the service may charge.',
    samples: ofRun(({ results }) => results[0]?.credits ?? null),
  },
]

/** One set of samples for each pipeline; ends in `# EOF`. */
export function renderOpenMetrics(results: readonly PipelineResult[]): string {
  const families = FAMILIES.flatMap(({ name, unit, help, samples }) => [
    `# TYPE ${name} gauge`,
    ...(unit === undefined ? [] : [`# UNIT ${name} ${unit}`]),
    `# HELP ${name} ${help}`,
    ...results.flatMap(result =>
      samples(result).flatMap(([labels, value]) =>
        value === null ? [] : [`${name}{pipeline="${escapeLabel(nameOf(result))}"${labels}} ${value}`],
      ),
    ),
  ])
  return `${[...families, '# EOF'].join('\n')}\n`
}
