/**
 * A run that our own disk stopped, or another process: what could not be recorded is told from memory, with the remote job in
 * it, and recorded after all where that is possible. It never throws: the reason is known, a second one must not hide it.
 */
import { FettleError } from '../../errors.ts'
import { advance, type Journal, type RunEventInput, type RunState } from '../../journal/index.ts'
import { pausedBy } from '../../run/index.ts'

/** A journal that only the holder of the lock may go on with, and that knows what it could not record. */
export interface RunRecord {
  readonly state: RunState | null
  append(fact: RunEventInput): RunState
  /** Ends the run short with `error`, as far as the disk lets it; gives the state that the run really is in. */
  strand(error: FettleError): RunState | null
}

/** True for what ends a run without a word in its journal: our own disk, or another process that took it over. */
export const isLocalFailure = (error: unknown): error is FettleError =>
  FettleError.is(error) && (error.kind === 'output' || error.code === 'FETTLE_LOCKED')

/** A record over a journal. `guard` throws when the run is no longer ours; `now` gives milliseconds since 1970. */
export function recordOf(journal: Journal, guard: () => void, now: () => number): RunRecord {
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
      return journal.state
    },
    append,
    strand(error) {
      const facts = [...(lost === null ? [] : [lost]), pausedBy(error)]
      const { state: recorded } = journal
      const told = facts.reduce(inMemory, recorded)
      // Something is left to do, be it only to write the documents again.
      const state = told === null ? null : { ...told, finished: false }
      if (recorded?.finished === true) return state
      try {
        // An end that could be recorded after all is the end.
        for (const fact of facts) if (journal.state?.finished !== true) append(fact)
      } catch {
        // The disk is still full, or the run is somebody else's.
      }
      return state
    },
  }
}
