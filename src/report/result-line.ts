/** The `--json` line, `fettle/result/v1`: what a scheduler reads of a run, small enough to travel as one value. */
import { safeJson } from './formats/escape.ts'
import type { Report } from './schema.ts'

/** Bytes of the line without its line end: it must stay under 4 KB. */
const LIMIT = 4095

/**
 * One compact line without a line end, under 4 KB. `report` is the path of report.json, null when the report does not know
 * its directory; `output` is the output file, null when none was written. Paths too long for the line become null, never a part.
 */
export function resultLine(report: Report): string {
  const result = report.results[0]
  const { directory } = report.metadata
  const line = {
    schema: 'fettle/result/v1',
    status: report.status,
    exitCode: report.exitCode,
    runId: report.metadata.runId,
    pipeline: result?.name ?? null,
    totals: report.totals,
    report: directory === null ? null : `${directory}/report.json`,
    output: result?.outputs.find(output => output.kind === 'output')?.path ?? null,
  }
  const shorter = [
    line,
    { ...line, output: null },
    { ...line, output: null, report: null },
    { ...line, output: null, report: null, pipeline: null },
  ]
  return shorter.map(one => safeJson(one)).find(fits) ?? safeJson({ ...shorter.at(-1), runId: null })
}

const fits = (text: string): boolean => new TextEncoder().encode(text).length <= LIMIT
