/** What a plan does with the matches of the service, and with the companies found. */
import type { Dataset, THRESHOLDS } from '../../contract/index.ts'

/** Where the companies found are added; `name` or `id` is not null. */
export interface PlannedPortfolio {
  readonly name: string | null
  readonly id: number | null
  /** The column that becomes a company's reference, null for none. */
  readonly reference: { readonly header: string | null; readonly index: number } | null
  /** By country; `default` switches on every rule of the country. Absent: rules are left alone. */
  readonly rules?: Readonly<Record<string, 'default' | readonly PlannedRule[]>>
  /** Companies are compared and sent as a file. */
  readonly sync?: true
  /** Companies that are gone from the list are removed, unless they are more than the share `max` of the portfolio. */
  readonly remove?: { readonly max: number | null }
}

/** Events of the portfolio are written to this file, and marked as processed once it is in place. */
export interface PlannedEvents {
  readonly output: string
  readonly mark: boolean
}

export interface PlannedRule {
  readonly code: number
  readonly param0?: string
  readonly param1?: string
  readonly param2?: string
}

/** How the companies found are screened. */
export interface PlannedScreen {
  readonly datasets: readonly Dataset[]
  /** Least score of a hit, 0 to 100. */
  readonly threshold: (typeof THRESHOLDS)[number]
  /** Upper-case codes; empty for all countries. */
  readonly countries: readonly string[]
  /** Most searches, one credit each; null for no limit. */
  readonly budget: number | null
}

/** Which matches of the service stand. */
export interface PlannedAccept {
  /** Bands that stay matched; null for all but those of `review`. */
  readonly banding: readonly string[] | null
  /** Bands for a person to look at. */
  readonly review: readonly string[]
  /** Part of the pattern -> the upper-case letters it may have. */
  readonly pattern: Readonly<Record<string, string>> | null
}

/** Which rows the service is asked about again, for companies that they may be. */
export interface PlannedCandidates {
  /** In the order in which they are asked about. */
  readonly for: readonly ('review' | 'unmatched')[]
  /** Most questions. */
  readonly limit: number
  /** Most credits, one a question or fetched company; null for no limit. */
  readonly budget: number | null
  /** How the tags of accepted companies are fetched; null or absent: not at all. */
  readonly fetch?: 'job' | 'report' | null
}

/** How long answers of earlier runs are used, in milliseconds, by what the service answered. */
export interface PlannedReuse {
  readonly matched: number
  readonly unmatched: number
  readonly review: number
  /** AML searches, and questions for candidates; absent: each run asks again. */
  readonly screen?: number | undefined
  readonly candidates?: number | undefined
}

/** Of a run that uses earlier answers, once its rows are chosen. `answers` and `bits` are digests of files of the run directory. */
export interface KnownRows {
  /** Rows and jobs that would go up without earlier answers. */
  readonly sent: number
  readonly parts: readonly { readonly from: number; readonly rows: number }[]
  /** Rows that have an earlier answer. */
  readonly rows: number
  readonly answers: string
  readonly bits: string
  /** Different searches about these rows that an earlier run paid; absent in earlier journals. */
  readonly searches?: KnownSearches
  /** budget.credits of a shard by all of its rows, where another part of the whole is for those that go up. */
  readonly credits?: number | null
}

export interface KnownSearches {
  readonly screen: number
  readonly candidates: number
}
