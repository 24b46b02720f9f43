/** The nights of the pipelines, from the journals of their runs. */
import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { FettleError } from '../errors.ts'
import { describeSeries } from '../pipeline/index.ts'
import { type Night, RENDERERS, verdictOf } from '../report/index.ts'
import { type Attempt, formatStamp, readAttempts } from './attempts.ts'
import { listRunIds, parseRunId, runDirectory } from './run-directory.ts'
import { listedRun } from './run-queries.ts'

/**
 * Of all pipelines, or of one. `folder` is where the page will be; both folders are absolute. Shards are left out: their merge is a run.
 * `unread` are runs whose journal cannot be read.
 */
export function listNights(runsDir: string, folder: string, pipeline?: string) {
  const nights: Night[] = []
  const unread: string[] = []
  for (const id of listRunIds(runsDir, pipeline)) {
    if (parseRunId(id)?.shard !== null) continue
    try {
      nights.push(readNight(runsDir, folder, id))
    } catch (error) {
      if (!FettleError.is(error) || error.code !== 'FETTLE_RUN_EMPTY') unread.push(id)
    }
  }
  for (const attempt of readAttempts(runsDir, pipeline)) nights.push(describeNight(attempt))
  return { nights, unread }
}

/** A run that did not start. Its id sorts by its time. */
function describeNight({ at, pipeline, target, limit, series, code, message }: Attempt): Night {
  return {
    ...{ runId: `${formatStamp(at)}-${pipeline}`, pipeline, target, limit, series, status: 'error', startedAt: at },
    ...{ message: `The last run did not start: ${message} (${code}).`, rows: 0, matchRate: null, credits: null },
    ...{ requests: 0, elapsedMs: 0, events: null, href: null },
  }
}

function readNight(runsDir: string, folder: string, id: string): Night {
  const { state, report: read, status } = listedRun(runsDir, id)
  const report = read()
  const [result] = report.results
  const page = join(runDirectory(runsDir, id).path, RENDERERS.html.file)
  const { plan } = state
  return {
    runId: id,
    pipeline: plan.name,
    series: describeSeries(plan, state.identity).name,
    target: plan.target ?? null,
    limit: plan.limit,
    // A run that no process carries was stopped.
    status: status === 'stopped' && report.status === 'running' ? 'cancelled' : verdictOf(report),
    startedAt: state.startedAt,
    message: result?.message ?? '',
    rows: report.totals.rows,
    matchRate: report.totals.matchRate,
    credits: result?.credits ?? null,
    requests: result?.http.requests ?? 0,
    elapsedMs: status === 'stopped' ? Date.parse(state.updatedAt) - Date.parse(state.startedAt) : report.elapsedMs,
    events: result?.events?.events ?? null,
    href: existsSync(page) ? relative(folder, page).replaceAll('\\', '/') : null,
  }
}
