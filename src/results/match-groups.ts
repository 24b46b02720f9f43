/** Counts the service's matches by band and by pattern, and how many rows each choice in `accept` would move. */
import { type MatchExample, type MatchGroup, type MatchGroups, PLACEMENTS, type Placement } from '../model/results.ts'
import type { PlannedAccept } from '../pipeline/model/types.ts'
import { acceptMatch, type Evidence, hasAcceptedPattern } from './accept.ts'

/** Different values that are counted; a service may write another pattern for every row. */
const MOST_VALUES = 1000
const LISTED = 20
const EXAMPLES = 3

interface Counts extends Record<Placement, number> {
  rows: number
  readonly moves: Record<Placement, number>
  readonly examples: MatchExample[]
}

const newCounts = (): Counts => ({
  rows: 0,
  matched: 0,
  review: 0,
  unmatched: 0,
  moves: { matched: 0, review: 0, unmatched: 0 },
  examples: [],
})

export class MatchCounter {
  readonly #rules: PlannedAccept | null
  readonly #bands = new Map<string, Counts>()
  readonly #patterns = new Map<string, Counts>()
  #rows = 0
  #byPattern = 0
  #isGiven = false

  constructor(rules: PlannedAccept | null) {
    this.#rules = rules
  }

  /** Counts a match of the service; `example` is asked for while examples are wanted, and gives null to show none. */
  add({ banding, pattern }: Evidence, example: () => MatchExample | null): void {
    const { outcome, reason } = acceptMatch(this.#rules, { banding, pattern })
    this.#isGiven ||= banding !== '' || pattern !== ''
    this.#rows++
    if (reason === 'pattern-differs') this.#byPattern++
    const band = countIn(this.#bands, banding, outcome, example)
    const isAccepted = hasAcceptedPattern(this.#rules, pattern)
    for (const choice of band === null ? [] : PLACEMENTS)
      if ((choice === 'matched' && !isAccepted ? 'review' : choice) !== outcome) band!.moves[choice]++
    countIn(this.#patterns, pattern, outcome, example)
  }

  /** Null when no row has a band or a pattern, and no rule asks for one. */
  groups(): MatchGroups | null {
    if (this.#rows === 0 || (!this.#isGiven && this.#rules === null)) return null
    const bands = largest(this.#bands)
    const patterns = largest(this.#patterns)
    const others = (groups: readonly MatchGroup[]): number => this.#rows - groups.reduce((sum, { rows }) => sum + rows, 0)
    return { bands, patterns, others: { bands: others(bands), patterns: others(patterns) }, byPattern: this.#byPattern }
  }
}

function countIn(
  groups: Map<string, Counts>,
  value: string,
  outcome: Placement,
  example: () => MatchExample | null,
): Counts | null {
  let counts = groups.get(value)
  if (counts === undefined) {
    if (groups.size === MOST_VALUES) return null
    counts = newCounts()
    groups.set(value, counts)
  }
  counts.rows++
  counts[outcome]++
  if (counts.examples.length < EXAMPLES) counts.examples.push(...[example()].filter(one => one !== null))
  return counts
}

const largest = (groups: ReadonlyMap<string, Counts>): (MatchGroup & { moves: Record<Placement, number> })[] =>
  [...groups]
    .map(([value, counts]) => ({ value, ...counts }))
    .sort((a, b) => b.rows - a.rows || (a.value < b.value ? -1 : 1))
    .slice(0, LISTED)
