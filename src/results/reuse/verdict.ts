/** Decides whether a row has an earlier answer that may be used, or why not. Pure. */
import type { PlannedReuse } from '../../pipeline/model/types.ts'
import { type AnswerClass, type AnswerOutcome, classOf } from './answer-file.ts'

/** Why a row goes up: its question was never asked, its key had another question, its answer is too old, lacks tags, or is wanted again. */
export const SEND_REASONS = ['fresh', 'changed', 'tooOld', 'lacking', 'refreshed'] as const
export type SendReason = (typeof SEND_REASONS)[number]

/** Which rows go up although they have an answer. */
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
  /** An answer since then is what `refresh` asks for, in milliseconds. */
  readonly askedSince?: number
  /** When events of companies were read last, by connectId, in milliseconds: an earlier answer about one of them is too old. */
  readonly changedCompanies?: ReadonlyMap<string, number>
}

interface Earlier {
  readonly outcome: AnswerOutcome
  readonly source: { readonly at: string; readonly byHand?: true }
  readonly isWide: boolean
  /** Too old by the age that it was stored with. */
  readonly isExpired: boolean
  /** The connectId of the company found, '' without one. */
  readonly company: () => string
}

/** `key`: the cell of the key, null without one; `hasKey`: a row of this key was answered before. */
export function verdictOf(
  earlier: Earlier | null,
  key: string | null,
  hasKey: () => boolean,
  rules: Rules,
): 'known' | SendReason {
  if (earlier === null) return hasKey() ? 'changed' : 'fresh'
  const { refresh, ages, now, changedCompanies, askedSince = Number.POSITIVE_INFINITY } = rules
  const kind = classOf(earlier.outcome)
  const isWanted = refresh.all || refresh.outcomes.includes(kind) || (key !== null && refresh.keys.includes(key))
  if (isWanted && Date.parse(earlier.source.at) < askedSince) return 'refreshed'
  // A time in the future is of a clock that was set back since: its age is unknown.
  const age = now - Date.parse(earlier.source.at)
  if (earlier.isExpired || !(age >= 0 && age < ages[kind])) return 'tooOld'
  if (changedCompanies !== undefined && changedCompanies.size > 0) {
    const changedAt = changedCompanies.get(earlier.company())
    if (changedAt !== undefined && Date.parse(earlier.source.at) < changedAt) return 'tooOld'
  }
  if (!earlier.isWide) return 'lacking'
  // Whether the first row of its company would be matched by hand is unknown.
  return earlier.outcome === 'duplicate' && earlier.source.byHand === true ? 'lacking' : 'known'
}
