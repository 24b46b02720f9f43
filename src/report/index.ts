/** The report's face: re-exports only. */
export { RENDERERS, type ReportFormat } from './renderers.ts'
export { buildReport, type ReportContext } from './report.ts'
export { resultLine } from './result-line.ts'
export { type Report, reportSchema } from './schema.ts'
export { renderText, type Style, type TextOptions } from './text.ts'
export { type Ledger, ledgerOf } from './totals.ts'
