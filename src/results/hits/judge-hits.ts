/**
 * Applies decisions to the hits of a search. A decision holds for its company under its name, and for the entry with its facts, under any
 * id. Where it may be about one of several entries, it holds for none.
 */
import { compareFacts, type Hit, namesIn } from '../../model/hit-facts.ts'
import type { FoundHits, HitState, HitToDecide, JudgedHits } from '../../model/results.ts'
import { digestFacts, type HitDecision, hitKey, hitLine, mergeHitDecisions } from './hit-decisions.ts'

export interface JudgedHit {
  readonly hit: Hit
  readonly state: HitState
  /** The line that holds, or for `back` the one that holds no more; null for an open hit. */
  readonly line: HitDecision | null
  /** What changed since the decision. */
  readonly changed: readonly string[]
}

type Company = Pick<FoundHits, 'id' | 'name'>

const hasName = ({ facts }: HitDecision, hit: Hit): boolean => {
  const names = namesIn(hit.facts)
  return [...namesIn(facts)].some(name => names.has(name))
}
const hasId = ({ list, entry }: HitDecision, hit: Hit): boolean => entry !== '' && entry === hit.entry && list === hit.list

/** How a line may be about an entry that changed since, the surest first. */
const KINSHIPS = [(line: HitDecision, hit: Hit): boolean => hasName(line, hit) && hasId(line, hit), hasName, hasId]

export class HitDecisions {
  /** By company, each hit once: later lines override earlier ones. */
  readonly #lines = new Map<string, Map<string, HitDecision>>()
  readonly #today: string

  /** `today` is a UTC day, such as 2026-11-21. */
  constructor(lines: readonly HitDecision[], today: string) {
    this.#today = today
    for (const line of lines) {
      const about = this.#lines.get(line.company) ?? new Map<string, HitDecision>()
      this.#lines.set(line.company, about)
      if (line.decision === 'undo') about.delete(hitKey(line))
      else about.set(hitKey(line), line)
    }
  }

  judge(company: Company, hits: readonly Hit[]): JudgedHit[] {
    const left = new Set(this.#lines.get(company.id)?.values() ?? [])
    const judged = new Map<Hit, JudgedHit>()
    const holds = (hit: Hit, line: HitDecision): void => {
      left.delete(line)
      judged.set(hit, { hit, state: line.decision === 'clear' ? 'cleared' : 'confirmed', line, changed: [] })
    }
    const digests = new Map(hits.map(hit => [hit, digestFacts(hit.facts)]))
    const isInForce = ({ companyName, expires }: HitDecision): boolean =>
      companyName === company.name && (expires === '' || expires >= this.#today)
    const fits = (hit: Hit, line: HitDecision): boolean =>
      isInForce(line) && line.digest === digests.get(hit) && line.list === hit.list
    for (const hit of hits) {
      const line = [...left].find(line => fits(hit, line) && line.entry === hit.entry)
      if (line !== undefined && !judged.has(hit)) holds(hit, line)
    }
    for (const hit of hits) {
      if (judged.has(hit)) continue
      // The others have new ids, and the same facts.
      const alike = hits.filter(other => digests.get(other) === digests.get(hit) && other.list === hit.list && !judged.has(other))
      const lines = [...left].filter(line => fits(hit, line))
      const isClear = alike.length <= lines.length && new Set(lines.map(({ decision }) => decision)).size === 1
      if (isClear) for (const [at, other] of alike.entries()) holds(other, lines[at]!)
    }
    for (const isOfHit of KINSHIPS)
      for (const hit of hits) {
        const line = judged.has(hit) ? undefined : [...left].findLast(line => isOfHit(line, hit))
        if (line !== undefined) judged.set(hit, this.#explain(company, hit, line, left))
      }
    return hits.map(hit => judged.get(hit) ?? { hit, state: 'open', line: null, changed: [] })
  }

  /** A hit that a decision was made about, and what changed since. */
  #explain(company: Company, hit: Hit, line: HitDecision, left: Set<HitDecision>): JudgedHit {
    const changed = [
      ...(line.companyName === company.name ? [] : [`company: ${line.companyName} -> ${company.name}`]),
      ...(line.list === hit.list ? [] : [`list: ${line.list} -> ${hit.list}`]),
      ...compareFacts(line.facts, hit.facts),
      ...(line.expires === '' || line.expires >= this.#today ? [] : [`the decision was valid until ${line.expires}`]),
    ]
    if (changed.length === 0) return { hit, state: 'back', line, changed: ['several entries have these facts'] }
    left.delete(line)
    return { hit, state: 'back', line, changed }
  }
}

/**
 * The lines of a file with new ones about the hits of a run: each replaces the line that decided about its hit before. A line about an entry of
 * another name that had the id stays, unless the new decision confirms.
 */
export function decideAbout(
  old: readonly HitDecision[],
  judged: readonly (JudgedHit & { readonly company: Company })[],
  lines: readonly HitDecision[],
): HitDecision[] {
  const keyOf = ({ company, digest, list, entry }: Pick<HitDecision, 'company' | 'digest' | 'list' | 'entry'>): string =>
    JSON.stringify([company, digest, list, entry])
  const made = new Map(lines.map(line => [keyOf(line), line]))
  const before = judged.flatMap(({ hit, company, line }) => {
    const now = made.get(keyOf(hitLine(company, hit)))
    return line !== null && now !== undefined && (now.decision === 'confirm' || hasName(line, hit)) ? [line] : []
  })
  return mergeHitDecisions(old, lines, before)
}

export const hitToDecide = ({ id, name }: Company, { hit, state, line, changed }: JudgedHit): HitToDecide => ({
  ...{ company: { id, name }, hit, digest: digestFacts(hit.facts), state, changed },
  decided: line === null ? '' : describeLine(line),
})

/** The first of them, in this order, is the word of a company. */
const WORDS = { confirmed: 'confirmed', back: 'came back', open: 'open', cleared: 'cleared' } as const

/** Of a company with its hits judged; hits that the service counted and did not list are open. */
export function countJudged(
  { id, hits: total, risks, isTooOld }: Omit<FoundHits, 'name'>,
  judged: readonly JudgedHit[],
): JudgedHits {
  const count = (state: HitState): number => judged.filter(hit => hit.state === state).length
  const [cleared, confirmed, back] = [count('cleared'), count('confirmed'), count('back')]
  const hits = Math.max(total, judged.length) - cleared
  const states = { confirmed, back, open: hits - confirmed - back, cleared }
  const [word] = (['confirmed', 'back', 'open', 'cleared'] as const).filter(state => states[state] > 0)
  const left: Record<string, number> = { ...risks }
  for (const { state, hit } of judged)
    if (state === 'cleared') for (const dataset of hit.datasets) left[dataset] = Math.max(0, (left[dataset] ?? 0) - 1)
  const why = judged.flatMap(({ state, hit, line, changed }) =>
    state === 'back' ? [`${describeEntry(hit)}: ${describeLine(line!)}; ${changed.join('; ')}`] : [],
  )
  return {
    id,
    hits,
    risks: left,
    cleared,
    confirmed,
    back,
    // After that time the absence of hits proves nothing.
    state: hits === 0 && isTooOld === true ? 'too old' : word === undefined ? 'clear' : WORDS[word],
    why: why.join(' | '),
  }
}

export const describeEntry = ({ name, list, entry }: Hit): string =>
  [name, [list, entry].filter(text => text !== '').join(' ')].filter(text => text !== '').join(', ')

/** `cleared by ann, 2026-11-21` */
export function describeLine({ decision, by, at }: HitDecision): string {
  const who = by === '' ? '' : ` by ${by}`
  return `${decision === 'clear' ? 'cleared' : 'confirmed'}${who}${at === '' ? '' : `, ${at.slice(0, 10)}`}`
}
