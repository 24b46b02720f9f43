/** Decisions about hits over any changes of the lists: none hides a hit that it was not made about, and none is lost by a new id. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Facts, Hit } from '../../../../src/model/hit-facts.ts'
import { type HitDecision, hitLine } from '../../../../src/results/hits/hit-decisions.ts'
import { countJudged, decideAbout, HitDecisions } from '../../../../src/results/hits/judge-hits.ts'

const DAY = '2026-11-28'
const company = (name = 'Acme Ltd') => ({ id: 'GB-1', name })
const hit = (entry: string, facts: Facts, more: Partial<Hit> = {}): Hit => ({
  ...{ list: 'ours', entry, name: facts.name?.[0] ?? '', score: 90, datasets: ['SAN'], facts },
  ...more,
})
const decide = (about: Hit, decision: HitDecision['decision'], name?: string, expires = ''): HitDecision => ({
  ...{ ...hitLine(company(name), about), decision, by: 'ann', at: `${DAY}T10:00:00Z`, expires },
})
const judge = (lines: readonly HitDecision[], hits: readonly Hit[], name?: string) =>
  new HitDecisions(lines, DAY).judge(company(name), hits)
const states = (lines: readonly HitDecision[], hits: readonly Hit[], name?: string) =>
  judge(lines, hits, name).map(({ state, changed }) => [state, ...changed])

const ACME = { name: ['ACME'], regime: ['Russia'] }

describe('a cleared hit', () => {
  test('stays cleared when its entry has another id, and comes back when its facts or the company changed', () => {
    const line = decide(hit('1', ACME), 'clear')
    expect(states([line], [hit('9', ACME)])).toEqual([['cleared']])
    expect(states([line], [hit('1', { ...ACME, regime: ['Iran'] })])).toEqual([['back', 'regime: Russia -> Iran']])
    expect(states([line], [hit('9', { ...ACME, birth: ['1970'] })])).toEqual([['back', 'birth: - -> 1970']])
    expect(states([line], [hit('1', ACME)], 'Acme Holding Ltd')).toEqual([['back', 'company: Acme Ltd -> Acme Holding Ltd']])
    expect(states([line], [hit('1', ACME, { list: 'other' })])).toEqual([['back', 'list: ours -> other']])
    expect(states([line], [hit('2', { name: ['OTHER'] })])).toEqual([['open']])
    // Found at another score, it is the same entry.
    expect(states([line], [hit('1', ACME, { score: 75, datasets: [] })])).toEqual([['cleared']])
  })

  test('comes back after its last day, and is open once the decision is taken back', () => {
    const line = decide(hit('1', ACME), 'clear', undefined, '2026-11-27')
    expect(states([line], [hit('1', ACME)])).toEqual([['back', 'the decision was valid until 2026-11-27']])
    expect(states([{ ...line, expires: DAY }], [hit('1', ACME)])).toEqual([['cleared']])
    expect(
      states(
        [
          { ...line, expires: '' },
          { ...line, decision: 'undo' },
        ],
        [hit('1', ACME)],
      ),
    ).toEqual([['open']])
  })

  test('is distinguished from an entry with the same facts by its id alone', () => {
    const line = decide(hit('1', ACME), 'clear')
    expect(states([line], [hit('1', ACME), hit('2', ACME)])).toEqual([['cleared'], ['open']])
    const alike = ['back', 'several entries have these facts']
    expect(states([line], [hit('7', ACME), hit('8', ACME)])).toEqual([alike, alike])
    const both = [line, decide(hit('2', ACME), 'clear')]
    expect(states(both, [hit('7', ACME), hit('8', ACME)])).toEqual([['cleared'], ['cleared']])
    const mixed = [line, decide(hit('2', ACME), 'confirm')]
    expect(states(mixed, [hit('2', ACME), hit('1', ACME)])).toEqual([['confirmed'], ['cleared']])
    expect(states(mixed, [hit('7', ACME), hit('8', ACME)]).map(([state]) => state)).toEqual(['back', 'back'])
  })

  test('does not stay behind a later confirmation: facts that were cleared before are open again', () => {
    const changed = hit('1', { ...ACME, regime: ['Iran'] })
    const old = [decide(hit('1', ACME), 'clear')]
    const judged = judge(old, [changed]).map(found => ({ ...found, company: company() }))
    const lines = decideAbout(old, judged, [decide(changed, 'confirm')])
    expect(states(lines, [changed])).toEqual([['confirmed']])
    expect(states(lines, [hit('1', ACME)])).toEqual([['back', 'regime: Iran -> Russia']])
  })
})

test('only cleared hits leave the counts that rules decide by', () => {
  const [one, two, three] = [hit('1', ACME), hit('2', { name: ['B'] }), hit('3', { name: ['C'] }, { datasets: ['SAN', 'ENF'] })]
  const judged = judge([decide(one, 'clear'), decide(two, 'confirm')], [one, two, three])
  const found = { id: 'GB-1', hits: 4, risks: { SAN: 3, ENF: 1 } }
  expect(countJudged(found, judged)).toMatchObject({
    ...{ hits: 3, risks: { SAN: 2, ENF: 1 }, cleared: 1, confirmed: 1, back: 0, state: 'confirmed', why: '' },
  })
  expect(countJudged({ ...found, hits: 0, risks: {} }, [])).toMatchObject({ hits: 0, state: 'clear' })
  // A hit that the service counted and did not list cannot be cleared.
  expect(countJudged({ ...found, hits: 2, risks: { SAN: 1 } }, judged.slice(0, 1))).toMatchObject({ hits: 1, state: 'open' })
})

/** An entry of the lists; the id may change, `key` is what it is. */
interface Listed {
  readonly key: number
  readonly id: number
  readonly facts: Facts
}

/** What was decided about an entry last: the facts, the name of the company, and the word. */
interface Decided {
  readonly facts: string
  readonly id: number
  readonly name: string
  readonly decision: 'clear' | 'confirm'
}

const NAMES = ['Acme Ltd', 'Acme Holding Ltd'] as const
const step = fc.oneof(
  fc.record({ do: fc.constant('edit' as const), at: fc.nat(9), field: fc.constantFrom('regime', 'birth'), to: fc.nat(2) }),
  fc.record({ do: fc.constantFrom('renumber', 'swap', 'remove', 'return', 'add', 'rename' as const), at: fc.nat(9) }),
  fc.record({ do: fc.constantFrom('clear', 'confirm' as const), at: fc.nat(9) }),
)

test('any changes of the lists and decisions: no cleared unchanged hit is shown, every changed one is, and nothing else is hidden', () => {
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 40 }), steps => {
      let next = 1
      let name: string = NAMES[0]
      const make = (): Listed => ({ key: next, id: next++, facts: { name: [`ENTRY ${next}`], regime: ['0'] } })
      let listed = [make(), make()]
      const removed: Listed[] = []
      const decided = new Map<number, Decided>()
      let lines: readonly HitDecision[] = []
      const toHit = ({ id, facts }: Listed): Hit => hit(`id-${id}`, facts)
      for (const { at, ...step } of steps) {
        const entry = listed[at % Math.max(1, listed.length)]
        const replace = (change: Partial<Listed>, key = entry?.key): void => {
          listed = listed.map(other => (other.key === key ? { ...other, ...change } : other))
        }
        if (step.do === 'add') listed = [...listed, make()]
        else if (step.do === 'rename') name = name === NAMES[0] ? NAMES[1] : NAMES[0]
        else if (step.do === 'return') listed = [...listed, ...removed.splice(0, 1).map(gone => ({ ...gone, id: next++ }))]
        else if (entry === undefined) continue
        else if (step.do === 'edit') replace({ facts: { ...entry.facts, [step.field]: [String(step.to)] } })
        else if (step.do === 'renumber') replace({ id: next++ })
        else if (step.do === 'swap') {
          const other = listed[(at + 1) % listed.length]!
          replace({ id: other.id })
          replace({ id: entry.id }, other.key)
        } else if (step.do === 'remove') {
          // Another entry under its old id would be one that changed its name.
          if (listed.some(({ key, id }) => key !== entry.key && id === decided.get(entry.key)?.id)) continue
          listed = listed.filter(({ key }) => key !== entry.key)
          removed.push(entry)
        } else {
          const judged = judge(lines, listed.map(toHit), name).map(found => ({ ...found, company: company(name) }))
          lines = decideAbout(lines, judged, [decide(toHit(entry), step.do, name)])
          decided.set(entry.key, { facts: JSON.stringify(entry.facts), id: entry.id, name, decision: step.do })
        }
        const judged = judge(lines, listed.map(toHit), name)
        for (const [index, { key, facts }] of listed.entries()) {
          const { state, changed } = judged[index]!
          const before = decided.get(key)
          const isSame = before?.facts === JSON.stringify(facts) && before.name === name
          expect(state).toBe(
            before === undefined ? 'open' : isSame ? (before.decision === 'clear' ? 'cleared' : 'confirmed') : 'back',
          )
          expect(changed.length > 0).toBe(state === 'back')
        }
      }
    }),
    { numRuns: 500 },
  )
})

test('with entries of the same facts, ids that are used again and names that change, no more is hidden than was cleared', () => {
  const facts = fc.record({ name: fc.constantFrom(['A'], ['B']), regime: fc.constantFrom(['1'], ['2']) })
  const entries = fc.array(fc.tuple(fc.nat(4).map(String), facts), { maxLength: 5 })
  fc.assert(
    fc.property(fc.array(fc.tuple(entries, fc.nat(4), fc.boolean()), { maxLength: 8 }), nights => {
      let lines: readonly HitDecision[] = []
      const cleared: Hit[] = []
      for (const [listed, at, clears] of nights) {
        const unique = [...new Map(listed).entries()].map(([entry, facts]) => hit(entry, facts))
        const judged = judge(lines, unique)
        for (const { facts } of unique) {
          const isAlike = (other: Hit): boolean => JSON.stringify(other.facts) === JSON.stringify(facts)
          const hidden = judged.filter(({ state, hit }) => state === 'cleared' && isAlike(hit)).length
          expect(hidden).toBeLessThanOrEqual(cleared.filter(isAlike).length)
        }
        const chosen = unique[at]
        if (chosen === undefined) continue
        const about = judged.map(found => ({ ...found, company: company() }))
        lines = decideAbout(lines, about, [decide(chosen, clears ? 'clear' : 'confirm')])
        if (clears) cleared.push(chosen)
      }
    }),
    { numRuns: 500 },
  )
})
