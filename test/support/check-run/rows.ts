/** I2: every row of the input has exactly one outcome, by the counts of the service, the report, and the files. */
import type { JobRecord } from '../../../src/contract/index.ts'
import type { JudgedReport } from './evidence.ts'
import type { Violation } from './violation.ts'

/** What there is to judge. */
export interface RowEvidence {
  readonly report: JudgedReport | null
  /** Whether the run came to its end with a result. */
  readonly isGood: boolean
  readonly jobs: readonly JobRecord[] | null
  /** Rows of the input, or of its part that was to be sent. */
  readonly inputRows: number
  /** Records of an output file as it lies there; null when it is not there or not whole, which is judged elsewhere. */
  readonly recordsOf: (path: string) => number | null
}

const OUTCOMES = ['matched', 'manualMatched', 'review', 'unmatched', 'duplicates', 'failed', 'skipped'] as const

/** Judges. Of a run not at its end only what cannot be right any more. */
export function checkRows({ report, isGood, jobs, inputRows, recordsOf }: RowEvidence): Violation[] {
  const found: Violation[] = []
  const say = (what: string): void => void found.push({ invariant: 'I2', what })
  if (report === null) {
    if (isGood) say('the run is at its end and there is no report of its rows')
    return found
  }
  const { totals, ledger } = report
  const counts = OUTCOMES.map(name => totals[name])
  const sum = counts.reduce<number>((all, count) => all + (count ?? 0), 0)
  const isKnown = counts.every(count => count !== null)
  if (totals.rows !== inputRows) say(`the report tells of ${totals.rows} rows, the input has ${inputRows}`)
  if (sum > inputRows) say(`the outcomes add up to ${sum}, more than the ${inputRows} rows of the input`)
  if (!isKnown && ledger.adds === true) say('the report says that the sum adds up, and a count is unknown')
  if (!isGood) return found

  if (isKnown && sum !== inputRows) say(`the outcomes add up to ${sum}, the input has ${inputRows} rows`)
  const skipped = totals.skipped ?? 0
  const sent = jobs?.map(job => job.jobSummary?.totalRows) ?? []
  if (sent.length > 0 && sent.every(rows => rows != null)) {
    const rows = sent.reduce<number>((all, one) => all + (one ?? 0), 0)
    // Rows that ask what another has asked were not sent.
    const folded = report.results.reduce((all, { plan }) => all + totals.rows - (plan?.sent ?? totals.rows), 0)
    if (rows + folded + skipped !== inputRows)
      say(`the service counted ${rows} rows, ${folded} were folded and ${skipped} skipped; the input has ${inputRows}`)
  }
  for (const { kind, path, rows } of report.results.flatMap(({ outputs }) => outputs)) {
    const records = recordsOf(path)
    if (records !== null && records !== rows) say(`${path} holds ${records} rows, the report says ${rows}`)
    if (kind === 'output' && records !== null && records !== inputRows - skipped)
      say(`${path} holds ${records} rows of ${inputRows}, with ${skipped} skipped`)
  }
  return found
}
