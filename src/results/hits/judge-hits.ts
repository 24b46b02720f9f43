/**
 * Applies decisions to the hits of a search. A decision holds for its company under its name, and for the entry with its facts, under any
 * id. Where it may be about one of several entries, it holds for none.
 */
import { compareFacts, type Hit, namesIn } from '../../model/hit-facts.ts'
import type { FoundHits, HitState, HitSubject, HitToDecide, JudgedHits } from '../../model/results.ts'
import { digestFacts, type HitDecision, hitKey, hitLine, mergeHitDecisions } from './hit-decisions.ts'

export interface JudgedHit {
  readonly hit: Hit
  readonly state: HitState
  /** The line that holds, or for `back` the one that holds no more; null for an open hit. */
  readonly line: HitDecision | null
  /** What changed since the decision. */
  readonly changed: readonly string[]
}

/** Lines about a director are about no other director, and not about the company itself. */
const subjectKey = (id: string, person: string): string => JSON.stringify([id, person.toLowerCase()])

const hasName = ({ facts }: HitDecision, hit: Hit): boolean => {
  const names = namesIn(hit.facts)
  return [...namesIn(facts)].some(name => names.has(name))
}
const hasId = ({ list, entry }: HitDecision, hit: Hit): boolean => entry !== '' && entry === hit.entry && list === hit.list

/** How a line may be about an entry that changed since, the surest first. */
const KINSHIPS = [(line: HitDecision, hit: Hit): boolean => hasName(line, hit) && hasId(line, hit), hasName, hasId]

export class HitDecisions {
  /** By company and director, each hit once: later lines override earlier ones. */
  readonly #lines = new Map<string, Map<string, HitDecision>>()
  readonly #today: string

  /** `today` is a UTC day, such as 2026-11-21. */
  constructor(lines: readonly HitDecision[], today: string) {
    this.#today = today
    for (const line of lines) {
      const key = subjectKey(line.company, line.person)
      const about = this.#lines.get(key) ?? new Map<string, HitDecision>()
      this.#lines.set(key, about)
      if (line.decision === 'undo') about.delete(hitKey(line))
      else about.set(hitKey(line), line)
    }
  }

  judge(company: HitSubject, hits: readonly Hit[]): JudgedHit[] {
    const left = new Set(this.#lines.get(subjectKey(company.id, company.person ?? ''))?.values() ?? [])
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
  #explain(company: HitSubject, hit: Hit, line: HitDecision, left: Set<HitDecision>): JudgedHit {
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
  judged: readonly (JudgedHit & { readonly company: HitSubject })[],
  lines: readonly HitDecision[],
): HitDecision[] {
  const keyOf = (about: Pick<HitDecision, 'company' | 'person' | 'digest' | 'list' | 'entry'>): string =>
    JSON.stringify([about.company, about.person, about.digest, about.list, about.entry])
  const made = new Map(lines.map(line => [keyOf(line), line]))
  const before = judged.flatMap(({ hit, company, line }) => {
    const now = made.get(keyOf(hitLine(company, hit)))
    return line !== null && now !== undefined && (now.decision === 'confirm' || hasName(line, hit)) ? [line] : []
  })
  return mergeHitDecisions(old, lines, before)
}

export const hitToDecide = ({ id, name, person }: HitSubject, { hit, state, line, changed }: JudgedHit): HitToDecide => ({
  ...{ company: { id, name, person }, hit, digest: digestFacts(hit.facts), state, changed },
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

const NO_DIRECTOR = 'no director'
const NOT_SEARCHED = 'director not searched'
/** States of a company whose directors are not all searched for, which is not known to have no hits. */
export const NOT_WHOLE: ReadonlySet<string> = new Set([NO_DIRECTOR, NOT_SEARCHED])

const sumOf = (all: readonly JudgedHits[], count: (judged: JudgedHits) => number): number =>
  all.reduce((sum, judged) => sum + count(judged), 0)

/**
 * What was found about a company and its directors together. `own` is null for a company that was not searched for. Without a hit it is clear only if it has
 * directors and all of them were searched for, where directors are searched for.
 */
export function joinDirectors(id: string, own: JudgedHits | null, directors: readonly JudgedHits[], listed?: number): JudgedHits {
  const all = own === null ? directors : [own, ...directors]
  const risks: Record<string, number> = {}
  for (const judged of all)
    for (const [dataset, hits] of Object.entries(judged.risks)) risks[dataset] = (risks[dataset] ?? 0) + hits
  const isOf = (state: string): boolean => all.some(judged => judged.state === state)
  const found = ['confirmed', 'came back', 'open'].find(isOf)
  const missing = listed === 0 ? NO_DIRECTOR : (listed ?? 0) > directors.length ? NOT_SEARCHED : undefined
  const toDecide = all.flatMap(judged => judged.toDecide ?? [])
  return {
    id,
    risks,
    hits: sumOf(all, ({ hits }) => hits),
    cleared: sumOf(all, ({ cleared }) => cleared),
    confirmed: sumOf(all, ({ confirmed }) => confirmed),
    back: sumOf(all, ({ back }) => back),
    state: found ?? (isOf('too old') ? 'too old' : (missing ?? (isOf('cleared') ? 'cleared' : 'clear'))),
    why: all.flatMap(({ why }) => (why === '' ? [] : [why])).join(' | '),
    toDecide: all.some(judged => judged.toDecide !== undefined) ? toDecide : undefined,
  }
}

export const describeEntry = ({ name, list, entry }: Hit): string =>
  [name, [list, entry].filter(text => text !== '').join(' ')].filter(text => text !== '').join(', ')

/** `cleared by ann, 2026-11-21` */
export function describeLine({ decision, by, at }: HitDecision): string {
  const who = by === '' ? '' : ` by ${by}`
  return `${decision === 'clear' ? 'cleared' : 'confirmed'}${who}${at === '' ? '' : `, ${at.slice(0, 10)}`}`
}
