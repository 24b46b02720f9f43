/** The outcome of one row, and the file that keeps one line for each. It knows nothing of how an outcome is found. */
import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'

/** What became of a row. A `duplicate` is a matched row whose company an earlier row of the job has already (contract §14.1). */
type Outcome = 'matched' | 'review' | 'unmatched' | 'duplicate'

/** One row's outcome with its reasons. */
export interface RowResult {
  /** Data row from 1, the header not counted. */
  readonly row: number
  readonly outcome: Outcome
  /** 0 to 1, of the best candidate. */
  readonly score: number
  readonly why: string
  readonly pattern: string
  readonly banding: string
  /** connectId of the company, when matched or duplicate. */
  readonly company: string | null
  /** For a duplicate the first row with the same company. */
  readonly first: number | null
  /** The companies that a person may choose from, best first; none unless the row is in review. */
  readonly candidates: readonly RowCandidate[]
}

/** A company that may be the one a row means. */
export interface RowCandidate {
  readonly id: string
  readonly name: string
  readonly score: number
  readonly why: string
  /** What each kind of evidence adds to the score, in log-odds. */
  readonly parts: Readonly<Record<string, number>>
}

/** The line that keeps a result. */
export const resultLine = (result: RowResult): string => `${JSON.stringify(result)}\n`

/** The results of a file, in row order. */
export async function* readResults(path: string): AsyncGenerator<RowResult> {
  const lines = createInterface({ input: createReadStream(path), crlfDelay: Number.POSITIVE_INFINITY })
  for await (const line of lines) yield JSON.parse(line) as RowResult
}
