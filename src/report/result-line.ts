/** The `--json` line, `fettle/result/v1`: the result of a run for schedulers, small enough for an XCom or an output variable. */
import { safeJson } from './formats/escape.ts'
import type { Report } from './schema.ts'

/** Bytes without the line end: below 4 KB. */
const LIMIT = 4095

/**
 * One compact line without a line end, below 4 KB. `report` is the path of report.json, null without a directory; `output` is the
 * output file, null if none was written. A path too long for the line becomes null, never a part of it.
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
