/**
 * Keeps the state of a run that a local failure or another process stopped: events that could not be recorded stay in memory, with
 * the remote job, and are recorded later if possible. It never throws, so that it cannot hide the first error.
 */
import { FettleError } from '../errors.ts'
import { advance, type Journal, type RunEventInput, type RunState } from '../journal/index.ts'
import { pausedBy } from '../run/index.ts'

/** A journal that only the holder of the lock appends to, and that keeps unrecorded events. */
export interface RunRecord {
  /** Throws FETTLE_RUN_EMPTY before the first event. */
  readonly state: RunState
  append(fact: RunEventInput): RunState
  /** Ends the run short with `error`, as far as the disk lets it; gives the state that the run really is in. */
  strand(error: FettleError): RunState | null
}

/** True for what ends a run without a word in its journal: our own disk, or another process that took it over. */
export const isLocalFailure = (error: unknown): error is FettleError =>
  FettleError.is(error) && (error.kind === 'output' || error.code === 'FETTLE_LOCKED')

/** A record over a journal. `guard` throws when the run is no longer ours; `now` gives milliseconds since 1970. */
export function createRecord(journal: Journal, guard: () => void, now: () => number): RunRecord {
  let lost: RunEventInput | null = null
  const inMemory = (state: RunState | null, fact: RunEventInput): RunState | null =>
    advance(state, { ...fact, at: new Date(now()).toISOString() })
  const append = (fact: RunEventInput): RunState => {
    lost = fact
    guard()
    const state = journal.append(fact)
    lost = null
    return state
  }
  return {
    get state() {
      if (journal.state === null) throw new FettleError('FETTLE_RUN_EMPTY', 'the journal recorded nothing')
      return journal.state
    },
    append,
    strand(error) {
      const facts = [...(lost === null ? [] : [lost]), pausedBy(error)]
      const { state: recorded } = journal
      const latest = facts.reduce(inMemory, recorded)
      // Something is left to do, be it only to write the documents again.
      const state = latest === null ? null : { ...latest, finished: false }
      if (recorded?.finished === true) return state
      try {
        // An end that could be recorded after all is the end.
        for (const fact of facts) if (journal.state?.finished !== true) append(fact)
      } catch {
        // The disk is still full, or another process has the run.
      }
      return state
    },
  }
}
