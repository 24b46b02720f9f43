/** Decides whether a row has an earlier answer that may be used, or why not. Pure. */
import type { PlannedReuse } from '../pipeline/model/types.ts'
import { type AnswerClass, type AnswerOutcome, classOf } from './files/answers.ts'

/** Why a row is sent: its cells were never asked, the last good run had its key with other cells, its answer is too old, lacks tags, or is wanted again. */
export const SEND_REASONS = ['fresh', 'changed', 'tooOld', 'lacking', 'refreshed'] as const
export type SendReason = (typeof SEND_REASONS)[number]

/** Which rows are sent although they have an answer. */
export interface Refresh {
  readonly all: boolean
  readonly outcomes: readonly AnswerClass[]
  /** Cells of the key. */
  readonly keys: readonly string[]
}

export const NO_REFRESH: Refresh = { all: false, outcomes: [], keys: [] }

export interface Rules {
  readonly ages: PlannedReuse
  /** Milliseconds since 1970. */
  readonly now: number
  readonly refresh: Refresh
  /** When events of companies were read last, by connectId, in milliseconds: an earlier answer about one of them is too old. */
  readonly changedCompanies?: ReadonlyMap<string, number> | undefined
}

interface Earlier {
  readonly outcome: AnswerOutcome
  readonly source: { readonly at: string; readonly byHand?: true | undefined }
  readonly isWide: boolean
  /** Too old by the age that it was stored with. */
  readonly isExpired: boolean
  readonly company: () => { readonly id: string }
}

/** `key`: the cell of the key, null without one. */
export function verdictOf(earlier: Earlier | null, key: string | null, rules: Rules): 'known' | Exclude<SendReason, 'changed'> {
  if (earlier === null) return 'fresh'
  const { refresh, ages, now, changedCompanies } = rules
  const kind = classOf(earlier.outcome)
  const at = Date.parse(earlier.source.at)
  if (refresh.all || refresh.outcomes.includes(kind) || (key !== null && refresh.keys.includes(key))) return 'refreshed'
  // A time in the future is of a clock that was set back since: its age is unknown.
  const age = now - at
  if (earlier.isExpired || !(age >= 0 && age < ages[kind])) return 'tooOld'
  if (changedCompanies !== undefined && changedCompanies.size > 0) {
    const changedAt = changedCompanies.get(earlier.company().id)
    if (changedAt !== undefined && at < changedAt) return 'tooOld'
  }
  if (!earlier.isWide) return 'lacking'
  // Whether the first row of its company would be matched by hand is unknown.
  return earlier.outcome === 'duplicate' && earlier.source.byHand === true ? 'lacking' : 'known'
}
