/**
 * What is told of rows beside their own cells: companies they may mean or have found, and what people decided. Types only; input
 * makes them, the journal keeps them.
 */

/** A company beside a row. */
export interface RowCandidate {
  readonly id: string
  readonly name: string
  readonly score: number | null
  readonly why: string
  /** What each kind of evidence adds to the score, in log-odds. */
  readonly parts: Readonly<Record<string, number>>
  /** Mapping name -> text. */
  readonly fields: Readonly<Record<string, string>>
}

/** What a person decided about a row. */
export interface RowDecision {
  readonly decision: 'accept' | 'reject'
  readonly company: string
  readonly companyName: string
  readonly by: string
  readonly at: string
  readonly expires: string
}

/** Where the service drew its lines, as far as this run met them: the lowest score it matched and the lowest it left to a person. */
export interface LowestScores {
  readonly matched: number | null
  readonly review: number | null
}

/** What the decisions came to: rows by what was done to them, lines whose time is over, rows decided about that are not here. */
export interface DecisionCounts {
  readonly accepted: number
  readonly rejected: number
  /** The service found the same by itself. */
  readonly agreed: number
  /** The service found another company. */
  readonly overruled: number
  readonly expired: number
  readonly unused: number
}

/** A company that rows found, at the first of them. */
export interface FoundCompany {
  /** Data row from 1. */
  readonly row: number
  /** connectId, or the Safe Number where the service tells no other. */
  readonly id: string
  readonly name: string
  /** The cell of the column that names it in a portfolio, empty where there is none. */
  readonly reference: string
}

/** How many companies were found, each once, and rows that found one of which the service tells no id. */
export interface CompanyCounts {
  readonly listed: number
  readonly nameless: number
}
