/** The formats of a report by name: one pure function each, and the file it goes to in the run directory. */

import { safeJson } from './formats/escape.ts'
import { renderJunit } from './formats/junit.ts'
import { renderMarkdown } from './formats/markdown.ts'
import { renderOpenMetrics } from './formats/openmetrics.ts'
import { renderText } from './formats/text.ts'
import { renderHtml } from './html/page.ts'
import type { Report, Sample } from './schema.ts'

/** One format. */
export interface Renderer {
  /** Name in the run directory; null for what only goes to a terminal. */
  readonly file: string | null
  /** `rows` are those to review as far as they are at hand; the few that stand in the report itself if absent. */
  readonly render: (report: Report, rows?: readonly Sample[] | null) => string
}

/** Name -> renderer. */
export const RENDERERS = {
  json: { file: 'report.json', render: report => `${safeJson(report, 2)}\n` },
  html: { file: 'report.html', render: renderHtml },
  markdown: { file: 'report.md', render: report => renderMarkdown(report) },
  junit: { file: 'junit.xml', render: report => renderJunit([report]) },
  openmetrics: { file: 'metrics.txt', render: report => renderOpenMetrics([report]) },
  text: { file: null, render: report => renderText(report) },
} as const satisfies Record<string, Renderer>

/** A report in one of its formats. */
export const renderReport = (report: Report, format: keyof typeof RENDERERS): string => RENDERERS[format].render(report)
