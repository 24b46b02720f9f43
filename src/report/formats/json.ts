/** `report.json`: the report itself, two spaces deep. */

import type { Report } from '../schema.ts'
import { safeJson } from './escape.ts'

/** The whole report as JSON text. */
export const renderJson = (report: Report): string => `${safeJson(report, 2)}\n`
