/**
 * `metrics.txt`: the counts of a run as OpenMetrics text. Gauges, for each file tells of one run; no label changes from run
 * to run, so that a merge request can show the difference. What is unknown is left out, never 0.
 */
import { escapeLabel } from './escape.ts'
import type { Report } from './schema.ts'
import { OUTCOMES } from './totals.ts'

/** The metrics of a run; ends in `# EOF`. */
export function renderOpenMetrics(report: Report): string {
  const pipeline = `pipeline="${escapeLabel(report.results[0]?.name ?? '')}"`
  const { totals } = report
  const outcomes = OUTCOMES.flatMap(name =>
    totals[name] === null ? [] : [`fettle_rows{${pipeline},outcome="${name}"} ${totals[name]}`],
  )
  const ratio = totals.matchRate === null ? [] : [`fettle_match_ratio{${pipeline}} ${totals.matchRate}`]
  return `${[
    '# TYPE fettle_rows_total gauge',
    '# HELP fettle_rows_total Rows of the input.',
    `fettle_rows_total{${pipeline}} ${totals.rows}`,
    '# TYPE fettle_rows gauge',
    '# HELP fettle_rows Rows by outcome.',
    ...outcomes,
    '# TYPE fettle_match_ratio gauge',
    '# UNIT fettle_match_ratio ratio',
    '# HELP fettle_match_ratio Share of rows whose company is known.',
    ...ratio,
    '# TYPE fettle_run_seconds gauge',
    '# UNIT fettle_run_seconds seconds',
    '# HELP fettle_run_seconds How long the run took.',
    `fettle_run_seconds{${pipeline}} ${report.elapsedMs / 1000}`,
    '# EOF',
  ].join('\n')}\n`
}
