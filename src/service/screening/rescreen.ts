/** Screens the searches under monitoring again once lists were imported: what a full screening finds now becomes their hits. */
import { FettleError } from '../../errors.ts'
import { inOwnTurn, turnEvery } from '../../loop-turns.ts'
import type { Clock } from '../clock.ts'
import { pairHits } from './facts.ts'
import { countHits } from './records.ts'
import type { Reverse } from './reverse.ts'
import type { DueSearch, ScheduleStore } from './schedules-store.ts'
import type { Screener } from './screener.ts'
import type { SearchStore } from './searches-store.ts'

interface RescreenParts {
  readonly schedules: ScheduleStore
  readonly searches: SearchStore
  readonly screener: Screener
  readonly transaction: <T>(work: () => T) => T
}

/**
 * Makes the searches again that the changes of the lists may concern; a search that is made and the lists that it was screened by are one
 * transaction, so each is made once for each import, also after a kill. Returns the number of new hits. Throws FETTLE_INPUT_READ for a
 * damaged list, and once all others are made, for a search that could not be made: it stays due.
 */
export async function rescreen(parts: RescreenParts, signal: AbortSignal): Promise<number> {
  const { schedules, screener, transaction } = parts
  if (schedules.isEmpty() || !schedules.isDue(await screener.readKey())) return 0
  await screener.ready()
  const { key } = screener
  const changes = new Map<string, Reverse | null>()
  const turn = turnEvery()
  let added = 0
  let failure: FettleError | null = null
  for (const batch of schedules.due(key)) {
    for (const { before } of batch) if (!changes.has(before)) changes.set(before, await screener.reverse(before))
    await inOwnTurn()
    // Lists that were imported meanwhile are the next round's.
    if (signal.aborted || screener.key !== key) return added
    const isOpen = ({ search, before }: DueSearch): boolean =>
      search === null || (changes.get(before)?.concerns(search, countHits(search) > 0) ?? true)
    const open = new Set(batch.filter(isOpen))
    transaction(() => {
      for (const due of batch) if (!open.has(due)) schedules.markScreened(due, key)
    })
    for (const due of open) {
      await turn()
      if (signal.aborted || screener.key !== key) return added
      try {
        added += screenAgain(due, parts)
      } catch (cause) {
        failure ??= describeFailure(due, cause)
      }
    }
  }
  if (failure !== null) throw failure
  return added
}

function describeFailure({ id }: DueSearch, cause: unknown): FettleError {
  const why = cause instanceof Error ? cause.message : String(cause)
  const hint = 'Restore a backup of the data directory.'
  const message = `Screening the monitored search ${id} again failed: ${why}; its hits are of earlier lists`
  return new FettleError('FETTLE_INPUT_READ', message, { cause, hint })
}

const screenAgain = ({ owner, id }: DueSearch, { schedules, searches, screener, transaction }: RescreenParts): number =>
  transaction(() => {
    // Its terms, and whether it is monitored, may have changed meanwhile.
    const search = schedules.find(owner, id)?.search
    if (search === undefined) return 0
    schedules.markScreened(search, screener.key)
    const found = screener.search(search)
    return searches.refresh(search, stored => pairHits(search.type, stored, found))
  })

/** Does so at intervals; a failure is passed on, and the next round retries. */
export function startRescreening(
  parts: RescreenParts & { readonly clock: Clock; readonly everyMs: number; readonly onError: (error: unknown) => void },
) {
  const stop = new AbortController()
  const work = async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await rescreen(parts, stop.signal).catch(parts.onError)
      await parts.clock.sleep(parts.everyMs, stop.signal)
    }
  }
  const working = work()
  return {
    async close(): Promise<void> {
      stop.abort()
      await working
    },
  }
}
