import type { Vector } from '../src/service/matching/features.ts'
import type { MatchIndex, Query } from '../src/service/matching/index.ts'

export function choiceOf(
  index: MatchIndex,
  query: Query,
  expected: string,
): { readonly named: number; readonly rows: readonly Vector[]; readonly ids: readonly string[]; readonly right: number }
