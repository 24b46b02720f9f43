/**
 * One query, one answer: read, select, score, decide, explain. The only door to the engine besides building the index.
 */

import { selectCandidates } from './blocking/candidates.ts'
import type { MatchIndex } from './blocking/match-index.ts'
import { decide, type Verdict } from './decide/decide.ts'
import { evidencePattern, explainMatch } from './decide/explain.ts'
import { chanceOf, scoreCompanies, scoresOf } from './decide/score.ts'
import { namedFeatures } from './features.ts'
import { prepareQuery } from './query.ts'
import type { Answer, Query } from './types.ts'

/** Candidates an answer shows unless it is prepared for more. */
const SHOWN = 5

/** A and B are matched (B with a score below .9 or a lead below 2), C and D in review (D below .5), E and F unmatched (F: nothing found). */
function bandingOf({ decision, score, margin }: Verdict): Answer['banding'] {
  if (decision === 'matched') return score >= 0.9 && margin >= 2 ? 'A' : 'B'
  if (decision === 'review') return score >= 0.5 ? 'C' : 'D'
  return score >= 0.01 ? 'E' : 'F'
}

/**
 * Finds the company that a row means. Pure and deterministic: the same index and query give the same answer, ties break by company
 * id. It looks for `most` candidates and shows the best of them. Never throws; a name that is empty, all punctuation or over 500 characters counts as not given.
 */
export function match(index: MatchIndex, query: Query, most = SHOWN): Answer {
  const prepared = prepareQuery(index, query)
  const scored = scoreCompanies(index, prepared, selectCandidates(index, prepared, most))
  const verdict = decide(prepared, scored)
  const best = scored[0]
  const isShown = verdict.decision === 'review'
  const scores = scoresOf(scored)
  const { decision, reason, score, margin } = verdict
  return {
    decision,
    reason,
    score,
    margin,
    why: best === undefined ? '' : explainMatch(prepared, best.vector),
    pattern: best === undefined ? '' : evidencePattern(prepared, best.vector),
    banding: bandingOf(verdict),
    candidates: scored.slice(0, most).map(({ company, vector, logOdds }, at) => ({
      company,
      score: scores[at] ?? 0,
      chance: chanceOf(logOdds),
      // Told when prepared for: most rows are matched, and nobody looks.
      get features() {
        return namedFeatures(vector)
      },
      why: isShown && at < SHOWN ? explainMatch(prepared, vector) : '',
    })),
  }
}
