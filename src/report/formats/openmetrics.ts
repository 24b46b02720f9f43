/**
 * `metrics.txt`: the counts of runs as OpenMetrics text. Gauges, for each file tells of one call; no label changes from run
 * to run, so that a merge request can show the difference. What is unknown is left out, never 0.
 */

import { isRejection, type PipelineResult } from '../pipeline-result.ts'
import type { Report } from '../schema.ts'
import { OUTCOMES } from '../totals.ts'
import { escapeLabel } from './escape.ts'

/** A family: its unit where it has one, its help, and what a run adds to it: further labels and a value. */
interface Family {
  readonly name: string
  readonly unit?: string
  readonly help: string
  readonly samples: (report: Report) => readonly (readonly [labels: string, value: number | null])[]
}

/** Names are fixed: dashboards and merge requests compare them. */
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

/** The metrics of the runs of a call, one sample set a pipeline; ends in `# EOF`. */
export function renderOpenMetrics(told: readonly PipelineResult[]): string {
  const reports = told.flatMap(one => (isRejection(one) ? [] : [one]))
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
