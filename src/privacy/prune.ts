/**
 * Removes old runs with everything that they hold of their lists. What they spent stays: it is recorded before anything is removed, so
 * that a kill leaves both or the record alone.
 */
import { rmSync } from 'node:fs'
import { realClock } from '../client/clock.ts'
import { FettleError } from '../errors.ts'
import { dropAttempts } from '../runs/attempts.ts'
import { withFolderLock } from '../runs/folder-lock.ts'
import { keepSpending, prunedRuns } from '../runs/pruned-runs.ts'
import { isGoodRun, listRunIds, parseRunId, readRun, runDirectory } from '../runs/run-directory.ts'
import { seriesReader } from '../runs/run-store.ts'
import { countSpending } from '../spending/spending.ts'

export interface PruneOptions {
  readonly olderThanMs: number
  /** Only runs of this pipeline or shard; all if absent. */
  readonly line?: string
  /** Also the newest run and the last good run of a series, which the next run is compared with. */
  readonly all?: boolean
  readonly dryRun?: boolean
  readonly now?: () => number
}

export interface Pruned {
  readonly removed: readonly string[]
  /** Old runs that stay, and why. */
  readonly kept: readonly { readonly runId: string; readonly why: string }[]
  /** Old runs that could not be removed, or not all of their files, and why. */
  readonly failed: readonly { readonly runId: string; readonly why: string }[]
}

/** Throws FETTLE_LOCKED while another process removes runs, FETTLE_OUTPUT_WRITE when the record cannot be written. */
export async function pruneRuns(runsDir: string, options: PruneOptions): Promise<Pruned> {
  const now = options.now ?? realClock.now.bind(realClock)
  const known = new Set(prunedRuns(runsDir).map(({ runId }) => runId))
  // Their removal was interrupted.
  const left = listRunIds(runsDir, options.line).filter(id => known.has(id))
  const ids = listRunIds(runsDir, options.line).filter(id => !known.has(id))
  const { removed: old, kept } = chooseRuns(runsDir, ids, now() - options.olderThanMs, options.all === true)
  const all = [...left, ...old]
  if (options.dryRun !== true) await dropAttempts(runsDir, now() - options.olderThanMs, options.line)
  if (options.dryRun === true || all.length === 0) return { removed: all, kept, failed: [] }
  return withFolderLock(runsDir, '.removal', realClock, async () => {
    const at = new Date(now()).toISOString()
    await keepSpending(
      runsDir,
      old.map(id => countSpending(runsDir, readRun(runsDir, id), at)),
    )
    const failed = all.flatMap(runId => {
      const why = removeFolder(runDirectory(runsDir, runId).path)
      return why === null ? [] : [{ runId, why }]
    })
    return { removed: all.filter(id => !failed.some(({ runId }) => runId === id)), kept, failed }
  })
}

/** Why a folder could not be removed; null once it is gone. */
function removeFolder(path: string): string | null {
  try {
    rmSync(path, { recursive: true, force: true })
    return null
  } catch (error) {
    return (error as Error).message
  }
}

function chooseRuns(runsDir: string, ids: readonly string[], before: number, all: boolean): Omit<Pruned, 'failed'> {
  const removed: string[] = []
  const kept: Pruned['kept'][number][] = []
  const newest = new Set<string>()
  const good = new Set<string>()
  const readSeries = seriesReader(runsDir)
  for (const runId of ids) {
    const { line = '', start = 0 } = parseRunId(runId) ?? {}
    const series = readSeries(runId) ?? line
    const isNewest = !newest.has(series)
    const isLastGood = !good.has(series) && isGoodRun(runsDir, runId)
    newest.add(series)
    if (isLastGood) good.add(series)
    if (start >= before) continue
    const why =
      reasonToKeep(runsDir, runId) ?? (all ? null : isNewest ? 'is the newest' : isLastGood ? 'is the last good one' : null)
    if (why === null) removed.push(runId)
    else kept.push({ runId, why })
  }
  return { removed, kept }
}

/** An unfinished run may have a job that is paid for, and a journal that cannot be read may be of one. */
function reasonToKeep(runsDir: string, id: string): string | null {
  try {
    return readRun(runsDir, id).finished ? null : 'is not finished'
  } catch (error) {
    return FettleError.is(error) ? `cannot be read (${error.code})` : 'cannot be read'
  }
}
