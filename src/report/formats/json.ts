/** `report.json`: the report itself, two spaces deep. */
import { safeJson } from './escape.ts'
import type { Report } from '../schema.ts'

/** The whole report as JSON text. */
export const renderJson = (report: Report): string => `${safeJson(report, 2)}\n`
