/** The table of report formats: a render function and a file name each. */

import type { HitToDecide } from '../model/results.ts'
import { safeJson } from './formats/escape.ts'
import { renderJunit } from './formats/junit.ts'
import { renderMarkdown } from './formats/markdown.ts'
import { renderOpenMetrics } from './formats/openmetrics.ts'
import { renderText } from './formats/text.ts'
import type { PageRow } from './html/data.ts'
import { renderHtml } from './html/page.ts'
import type { Report } from './schema.ts'

export interface Renderer {
  /** File name in the run directory; null for terminal output. */
  readonly file: string | null
  /** `rows` are the rows to review; if absent, the samples in the report. `hits` are those to decide about. */
  readonly render: (report: Report, rows?: readonly PageRow[] | null, hits?: readonly HitToDecide[]) => string
}

/** Not the keys of `RENDERERS`: the published types would have the type of each. */
export type ReportFormat = 'json' | 'html' | 'markdown' | 'junit' | 'openmetrics' | 'text'

export const RENDERERS = {
  json: { file: 'report.json', render: report => `${safeJson(report, 2)}\n` },
  html: { file: 'report.html', render: renderHtml },
  markdown: { file: 'report.md', render: report => renderMarkdown(report) },
  junit: { file: 'junit.xml', render: report => renderJunit([report]) },
  openmetrics: { file: 'metrics.txt', render: report => renderOpenMetrics([report]) },
  text: { file: null, render: report => renderText(report) },
} as const satisfies Record<ReportFormat, Renderer>

export const renderReport = (report: Report, format: ReportFormat): string => RENDERERS[format].render(report)
