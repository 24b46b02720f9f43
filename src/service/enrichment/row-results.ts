/** The outcome of a row, and the file that stores one line per row. */
import { lineBatches } from '../../files/json-lines.ts'

/** A `duplicate` is a matched row whose company an earlier row of the job has (contract §14.1). */
type Outcome = 'matched' | 'manualMatched' | 'review' | 'unmatched' | 'duplicate'

export interface RowResult {
  /** Number of the data row, from 1. */
  readonly row: number
  readonly outcome: Outcome
  /** Score of the best candidate, 0 to 1. */
  readonly score: number
  readonly why: string
  /** Why it is not a match (`below-threshold`); '' when matched. */
  readonly reason: string
  readonly pattern: string
  readonly banding: string
  readonly company: string | null
  /** Where the company comes from; absent without one. */
  readonly source?: RowSource
  /** The first row with the same company, of a duplicate. */
  readonly first: number | null
  /** Companies to choose from, best first; the nearest alone of an unmatched row; empty of a matched one. */
  readonly candidates: readonly RowCandidate[]
}

export interface RowCandidate {
  readonly id: string
  readonly name: string
  readonly score: number
  readonly why: string
  /** Contribution of each kind of evidence to the score, in log-odds. */
  readonly parts: Readonly<Record<string, number>>
  readonly source?: RowSource
}

/** The registers of a company. */
export interface RowSource {
  /** The register of its id. */
  readonly register: string
  /** Its ids in other registers: `companies-house: GB-X-01234567`. */
  readonly otherIds: readonly string[]
}

export const resultLine = (result: RowResult): string => `${JSON.stringify(result)}\n`

export async function* readResults(path: string): AsyncGenerator<RowResult> {
  for await (const lines of lineBatches(path)) for (const line of lines) yield JSON.parse(line) as RowResult
}
