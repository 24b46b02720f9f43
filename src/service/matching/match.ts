/** Matches one query: prepare, select, score, decide, explain. */

import { selectCandidates } from './blocking/candidates.ts'
import type { MatchIndex } from './blocking/match-index.ts'
import { decide, type Verdict } from './decide/decide.ts'
import { evidencePattern, explainMatch } from './decide/explain.ts'
import { joinRecords } from './decide/join-records.ts'
import { numberHolds } from './decide/list-facts.ts'
import { chanceOf, scoreCompanies, scoresOf } from './decide/score.ts'
import { presenceOf, shiftOf } from './decide/share.ts'
import { namedFeatures, RowVectors } from './features.ts'
import { prepareQuery } from './query.ts'
import type { Answer, ListFacts, Query, RowEvidence } from './types.ts'
import { ALONE } from './weights.ts'

const DEFAULT_CANDIDATES = 5

/** A thread matches one row at a time. */
const vectors = new RowVectors()

/** A and B are matched (B with a score below .9 or a lead below 2), C and D in review (D below .5), E and F unmatched (F: nothing found). */
function bandingOf({ decision, score, margin }: Verdict): Answer['banding'] {
  if (decision === 'matched') return score >= 0.9 && margin >= 2 ? 'A' : 'B'
  if (decision === 'review') return score >= 0.5 ? 'C' : 'D'
  return score >= 0.01 ? 'E' : 'F'
}

/** What a row contributes to the facts of its list: `estimateFacts`. */
export function rowEvidence(index: MatchIndex, query: Query): RowEvidence {
  const prepared = prepareQuery(index, query)
  if (prepared.names.length === 0 && prepared.keys.length === 0) return { presence: null, numberHolds: null }
  vectors.clear()
  const scored = scoreCompanies(index, prepared, selectCandidates(index, prepared), 0, vectors)
  return { presence: presenceOf(scored), numberHolds: numberHolds(prepared, scored) }
}

/**
 * Finds the company of a row. Pure and deterministic: the same index and query give the same answer; ties are broken by company id.
 * Returns up to `most` candidates. `list`: what is known of the row's list. Never throws; a name that is empty, all punctuation or over 500 characters counts as missing.
 */
export function match(index: MatchIndex, query: Query, most = DEFAULT_CANDIDATES, list: ListFacts = ALONE): Answer {
  const shift = shiftOf(list.inRegister)
  const prepared = prepareQuery(index, query)
  vectors.clear()
  const compared = scoreCompanies(index, prepared, selectCandidates(index, prepared, most), shift, vectors)
  const scored = joinRecords(index, prepared, compared, most, shift, vectors)
  const scores = scoresOf(scored)
  const verdict = decide(prepared, scored, list.companyNumbers, scores)
  const best = scored[0]
  const isShown = verdict.decision === 'review'
  const { decision, reason, score, margin } = verdict
  return {
    decision,
    reason,
    score,
    margin,
    why: best === undefined ? '' : explainMatch(prepared, best.vector),
    pattern: best === undefined ? '' : evidencePattern(prepared, best.vector),
    banding: bandingOf(verdict),
    candidates: scored.slice(0, most).map(({ company, others, vector, logOdds }, at) => {
      const own = vector.slice()
      return {
        company,
        others,
        score: scores[at] ?? 0,
        chance: chanceOf(logOdds),
        // Computed on access: most answers are matches, whose features are never read.
        get features() {
          return namedFeatures(own)
        },
        why: isShown && at < DEFAULT_CANDIDATES ? explainMatch(prepared, vector) : '',
      }
    }),
  }
}
