/**
 * `metrics.txt`: the counts of runs as OpenMetrics text. Gauges, since each file is about one call. Labels are equal in all runs,
 * so that a merge request can show the difference. Unknown counts are omitted, never 0.
 */

import { isRejection, type PipelineResult } from '../pipeline-result.ts'
import type { Report } from '../schema.ts'
import { OUTCOMES } from '../verdict.ts'
import { escapeLabel } from './escape.ts'

interface Family {
  readonly name: string
  readonly unit?: string
  readonly help: string
  readonly samples: (report: Report) => readonly (readonly [labels: string, value: number | null])[]
}

/** Names are stable: dashboards and merge requests compare them. */
const FAMILIES: readonly Family[] = [
  { name: 'fettle_rows_total', help: 'Rows of the input.', samples: ({ totals }) => [['', totals.rows]] },
  {
    name: 'fettle_rows',
    help: 'Rows by outcome.',
    samples: ({ totals }) => OUTCOMES.map(name => [`,outcome="${name}"`, totals[name]] as const),
  },
  {
    name: 'fettle_match_ratio',
    unit: 'ratio',
    help: 'Share of rows whose company is known.',
    samples: ({ totals }) => [['', totals.matchRate]],
  },
  {
    name: 'fettle_run_seconds',
    unit: 'seconds',
    help: 'How long the run took.',
    samples: ({ elapsedMs }) => [['', elapsedMs / 1000]],
  },
]

/** One set of samples for each pipeline; ends in `# EOF`. */
export function renderOpenMetrics(results: readonly PipelineResult[]): string {
  const reports = results.flatMap(one => (isRejection(one) ? [] : [one]))
  const families = FAMILIES.flatMap(({ name, unit, help, samples }) => [
    `# TYPE ${name} gauge`,
    ...(unit === undefined ? [] : [`# UNIT ${name} ${unit}`]),
    `# HELP ${name} ${help}`,
    ...reports.flatMap(report =>
      samples(report).flatMap(([labels, value]) =>
        value === null ? [] : [`${name}{pipeline="${escapeLabel(report.results[0]?.name ?? '')}"${labels}} ${value}`],
      ),
    ),
  ])
  return `${[...families, '# EOF'].join('\n')}\n`
}
