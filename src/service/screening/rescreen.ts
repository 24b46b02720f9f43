/** Screens the searches under monitoring again once lists were imported: what a full screening finds now becomes their hits. */
import { turnEvery } from '../../loop-turns.ts'
import type { Clock } from '../clock.ts'
import type { ScheduleStore } from './schedules-store.ts'
import type { Screener } from './screener.ts'
import type { SearchStore } from './searches-store.ts'

interface RescreenParts {
  readonly schedules: ScheduleStore
  readonly searches: SearchStore
  readonly screener: Screener
  readonly transaction: <T>(work: () => T) => T
}

/**
 * A search and the lists that it was screened by are one transaction: each search is screened once for each import, also after a kill.
 * Returns the number of new hits. Throws FETTLE_INPUT_READ for a damaged list.
 */
export async function rescreen(
  { schedules, searches, screener, transaction }: RescreenParts,
  signal: AbortSignal,
): Promise<number> {
  if (schedules.isEmpty() || !schedules.isDue(await screener.readKey())) return 0
  await screener.ready()
  const turn = turnEvery()
  let added = 0
  for (const { owner, id } of schedules.due(screener.key)) {
    await turn()
    if (signal.aborted) return added
    added += transaction(() => {
      // Its terms, the lists, and whether it is monitored may have changed meanwhile.
      const search = schedules.find(owner, id)?.search
      if (search === undefined) return 0
      schedules.markScreened(search, screener.key)
      return searches.refresh(search, screener.search(search))
    })
  }
  return added
}

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
