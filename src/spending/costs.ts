/** What the runs of a folder spent, by pipeline, month, day or service. */
import type { RunSpending } from '../runs/pruned-runs.ts'
import { spendingOfRuns } from './spending.ts'

export const COST_GROUPS = {
  pipeline: ({ pipeline }) => pipeline,
  month: ({ startedAt }) => startedAt.slice(0, 7),
  day: ({ startedAt }) => startedAt.slice(0, 10),
  service: ({ service }) => service,
  run: ({ runId }) => runId,
} as const satisfies Readonly<Record<string, (run: RunSpending) => string>>
export type CostGroup = keyof typeof COST_GROUPS

export interface CostLine {
  readonly group: string
  readonly runs: number
  readonly rows: number
  readonly sent: number
  readonly jobs: number
  readonly requests: number
  /** The sum of those that are known. */
  readonly credits: number
  /** Runs whose credits are unknown. */
  readonly unknown: number
}

/** `month` is `2026-11`, in UTC; null is all time. `unread` are runs that could not be read: what they spent is missing. */
export function readCosts(runsDir: string, { month, by }: { readonly month: string | null; readonly by: CostGroup }) {
  const { runs, unread } = spendingOfRuns(runsDir)
  const chosen = month === null ? runs : runs.filter(({ startedAt }) => startedAt.startsWith(month))
  const findGroup = COST_GROUPS[by]
  const groups = [...new Set(chosen.map(findGroup))].sort()
  const lines = groups.map((group): CostLine => ({ group, ...sumCosts(chosen.filter(run => findGroup(run) === group)) }))
  const total: CostLine = { group: 'total', ...sumCosts(chosen) }
  return { month, by, lines, total, unread }
}

function sumCosts(runs: readonly RunSpending[]): Omit<CostLine, 'group'> {
  const sum = (of: (run: RunSpending) => number): number => runs.reduce((all, run) => all + of(run), 0)
  return {
    runs: runs.length,
    rows: sum(({ rows }) => rows),
    sent: sum(({ sent }) => sent),
    jobs: sum(({ jobs }) => jobs.filter(({ id }) => id !== null).length),
    requests: sum(({ requests }) => requests),
    credits: sum(({ credits }) => credits ?? 0),
    unknown: runs.filter(({ credits }) => credits === null).length,
  }
}
