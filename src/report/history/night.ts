/** One run in the history of a pipeline. */
import type { Verdict } from '../verdict.ts'

export interface Night {
  readonly runId: string
  readonly pipeline: string
  /** What it is compared with: runs of the same series. */
  readonly series: string
  /** Of the project file. */
  readonly target: string | null
  /** Rows of a trial; null for the complete list. */
  readonly limit: number | null
  readonly status: Verdict
  /** UTC. */
  readonly startedAt: string
  readonly message: string
  readonly rows: number
  /** 0 to 1; null when it is unknown. */
  readonly matchRate: number | null
  readonly credits: number | null
  readonly requests: number
  readonly elapsedMs: number
  /** Events of the portfolio; null for a pipeline that reads none. */
  readonly events: number | null
  /** The report, relative to the page; null if it was not written. */
  readonly href: string | null
}

/** A night with the change of its match rate against the good one before it, null without one. */
export interface DriftedNight extends Night {
  readonly drift: number | null
}

/** The runs of one series, oldest first: a trial is not compared with runs over the whole list. */
export interface Series {
  readonly pipeline: string
  readonly target: string | null
  readonly limit: number | null
  readonly nights: readonly DriftedNight[]
}

const isGood = ({ status }: Night): boolean => status === 'success' || status === 'warn'

/** Nights by series, in the order of their names. */
export function seriesOf(nights: readonly Night[]): Series[] {
  const groups = new Map<string, Night[]>()
  for (const night of [...nights].sort((a, b) => (a.runId < b.runId ? -1 : 1))) {
    groups.set(night.series, [...(groups.get(night.series) ?? []), night])
  }
  return [...groups]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, group]) => {
      const { pipeline, target, limit } = group[0]!
      return { pipeline, target, limit, nights: withDrift(group) }
    })
}

function withDrift(nights: readonly Night[]): DriftedNight[] {
  let before: number | null = null
  return nights.map(night => {
    const drift = before === null || night.matchRate === null ? null : night.matchRate - before
    if (isGood(night) && night.matchRate !== null) before = night.matchRate
    return { ...night, drift }
  })
}
