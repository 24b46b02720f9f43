/** What a list shows of itself: how much of it is in the register, and how much evidence its matches need; the same for any way of reading it. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { digestCells, sampleRows } from '../../../../src/list-sample.ts'
import { factsOf } from '../../../../src/service/data-cleaning/processing/list-sample.ts'
import { estimateInRegister } from '../../../../src/service/matching/decide/list-facts.ts'
import {
  ALONE,
  absentEvidence,
  buildIndex,
  type ListFacts,
  match,
  type Query,
  type RowEvidence,
  rowEvidence,
} from '../../../../src/service/matching/index.ts'
import { runs } from '../../../support/runs.ts'
import { company } from './companies.ts'

/** Invented names of three words, no two of which share a word. */
const WORDS = 'bar cel dor fen gul hos jat kim lom nuv pel rov sek tul vam wix yor zed'.split(' ')
const nameOf = (at: number): string =>
  [at, at + 7, at + 11]
    .map((of, place) => `${WORDS[of % 18]}${WORDS[(of * 5 + at + place) % 18]}${WORDS[Math.floor(at / 18) % 18]}`)
    .join(' ')

const SIZE = 300
const register = Array.from({ length: SIZE }, (_, at) => company({ id: `${at}`, name: `${nameOf(at)} Ltd`, country: 'GB' }))
const index = buildIndex(register)
const engine = {
  rowEvidence: (query: Query) => rowEvidence(index, query),
  absentEvidence: (query: Query, at: number) => absentEvidence(index, query, at),
  size: SIZE,
}
const asked = (at: number): Query => ({ name: nameOf(at).toUpperCase(), country: 'GB' })
/** As a list may spell it: a letter doubled in the first word, the second left out, and words of its own at the end. */
const misspelt = (at: number): Query => {
  const [first = '', , third] = nameOf(at).split(' ')
  return { name: `${first.slice(0, 4)}${first.slice(3)} ${third} ${at % 2 === 0 ? 'PURCHASING OFFICE' : 'LABORATORY SUPPLIES'}` }
}

async function* listOf(present: number, absent: number, row = asked): AsyncGenerator<Query> {
  for (let at = 0; at < Math.max(present, absent); at++) {
    if (at < present) yield row(at % SIZE)
    if (at < absent) yield { name: `Quob${at}ix Zwenk${at * 7}um`, country: 'GB' }
  }
}
const factsOfRows = (rows: AsyncIterable<Query>, precision?: number): Promise<ListFacts> =>
  factsOf(rows, engine, { pace: async () => {}, precision })
const shareOf = async (rows: AsyncIterable<Query>) => (await factsOfRows(rows)).inRegister

describe('the share of a list that is in the register', () => {
  it.each([
    [200, 0],
    [160, 40],
    [100, 100],
    [40, 160],
    [10, 190],
  ])('is within the interval that is found without labels: %i rows of the register, %i others', async (present, absent) => {
    const { from, to } = await shareOf(listOf(present, absent))
    const share = present / (present + absent)
    expect(from).toBeLessThanOrEqual(share)
    expect(to).toBeGreaterThanOrEqual(share)
    expect(from).toBeGreaterThan(share - 0.12)
  })

  it('is not taken for small where the rows are spelt badly, nor are those withheld', async () => {
    const list = await factsOfRows(listOf(166, 34, misspelt))
    expect(list.inRegister.to).toBeGreaterThan(0.83)
    expect(list.inRegister.matchingOdds).toBeGreaterThan(ALONE.inRegister.matchingOdds)
    const matched = (facts: ListFacts): number =>
      Array.from({ length: 166 }, (_, at) => match(index, misspelt(at), 5, facts)).filter(
        ({ decision, candidates }, at) => decision === 'matched' && candidates[0]?.company === at,
      ).length
    expect(matched(list)).toBeGreaterThan(matched(ALONE))
  })

  it('of few rows, or none, is not estimated: each is decided as a row alone', async () => {
    for (const count of [0, 1, 3, 49]) expect(await shareOf(listOf(0, count))).toEqual(ALONE.inRegister)
    expect((await shareOf(listOf(0, 60))).from).toBeLessThan(0.1)
  })

  it('of few rows needs more evidence for a higher precision', async () => {
    const odds = async (precision: number) => (await factsOfRows(listOf(20, 0), precision)).inRegister.matchingOdds
    expect(await odds(0.98)).toBe(ALONE.inRegister.matchingOdds)
    expect(await odds(0.99)).toBeCloseTo(ALONE.inRegister.matchingOdds - Math.log(99 / 49), 10)
    expect(await odds(0.95)).toBeGreaterThan(ALONE.inRegister.matchingOdds)
  })

  it('does not count rows without anything to look for', async () => {
    async function* padded(): AsyncGenerator<Query> {
      for await (const query of listOf(50, 50)) {
        yield query
        yield { country: 'GB' }
      }
    }
    const { from, to } = await shareOf(padded())
    const bare = await shareOf(listOf(50, 50))
    expect([from, to]).toEqual([bare.from, bare.to])
  })

  const NEVER = Number.POSITIVE_INFINITY
  const wholeName = (matchedFrom: number | null, wholeNameFrom: number): RowEvidence => ({
    matchedFrom,
    wholeNameFrom,
    besides: 'nothing',
    numberHolds: null,
  })
  const row = (matchedFrom: number | null): RowEvidence => wholeName(matchedFrom, NEVER)
  const odds = fc.oneof(fc.double({ min: -40, max: 40, noNaN: true }), fc.constantFrom(Number.POSITIVE_INFINITY))

  it('needs no less evidence for a higher precision', () => {
    fc.assert(
      fc.property(
        fc.array(odds, { minLength: 50, maxLength: 90 }),
        fc.array(odds, { maxLength: 60 }),
        fc.tuple(fc.double({ min: 0.51, max: 0.999, noNaN: true }), fc.double({ min: 0.51, max: 0.999, noNaN: true })),
        (rows, absent, precisions) => {
          const [low, high] = precisions.sort((a, b) => a - b)
          const oddsAt = (precision: number) => estimateInRegister(rows.map(row), absent.map(row), precision).matchingOdds
          expect(oddsAt(high!)).toBeLessThanOrEqual(oddsAt(low!))
        },
      ),
    )
  })

  it('is between 0 and 1 and never falls when a row is found more easily', () => {
    fc.assert(
      fc.property(
        fc.array(odds, { minLength: 50, maxLength: 90 }),
        fc.array(odds, { maxLength: 60 }),
        fc.nat(),
        fc.double({ min: 0, max: 9, noNaN: true }),
        (rows, absent, which, less) => {
          const estimate = (list: readonly number[]) => estimateInRegister(list.map(row), absent.map(row))
          const { from, to, matchingOdds, startingOdds } = estimate(rows)
          expect(from).toBeGreaterThanOrEqual(0)
          expect(to).toBeLessThanOrEqual(1)
          expect(from).toBeLessThanOrEqual(to)
          expect(Math.abs(matchingOdds)).toBeLessThanOrEqual(6)
          expect(matchingOdds - startingOdds).toBeLessThanOrEqual(2.251)
          expect(estimate(rows)).toEqual({ from, to, matchingOdds, startingOdds })
          const easier = rows.map((found, at) => (at === which % rows.length ? found - less : found))
          expect(estimate(easier).from).toBeGreaterThanOrEqual(from - 0.02)
        },
      ),
      { numRuns: runs(100, 1000) },
    )
  })

  it('needs more evidence the more often companies are matched that the register lacks', () => {
    const rows = Array.from({ length: 200 }, (_, at) => row(at < 120 ? -4 + at / 20 : Number.POSITIVE_INFINITY))
    const strangers = (often: number) =>
      Array.from({ length: 1000 }, (_, at) => row(at < often ? -3 + at / often : Number.POSITIVE_INFINITY))
    const needed = [0, 20, 60, 200].map(often => estimateInRegister(rows, strangers(often)).matchingOdds)
    expect(needed).toEqual([...needed].sort((a, b) => b - a))
    expect(needed[0]).toBeGreaterThan(needed[3]!)
  })

  it('gives rows that begin with a whole name more odds where companies that the register lacks seldom do', () => {
    const found = Array.from({ length: 100 }, (_, at) => row(-4 + at / 20))
    const begins = Array.from({ length: 40 }, () => wholeName(NEVER, 5))
    const absent = Array.from({ length: 60 }, () => row(NEVER))
    const strangers = (often: number) => Array.from({ length: 1000 }, (_, at) => (at < often ? wholeName(NEVER, 5) : row(NEVER)))
    const oddsAt = (often: number) => estimateInRegister([...found, ...begins, ...absent], strangers(often)).wholeNameOdds
    expect([0, 5, 50, 500].map(oddsAt)).toEqual([6, 6, undefined, undefined])
    expect(estimateInRegister([...found, ...absent], strangers(0)).wholeNameOdds).toBeUndefined()
  })
})

describe('the sample', () => {
  async function* numbers(count: number, step = 1): AsyncGenerator<Query> {
    for (let at = 0; at < count; at++) yield { name: `${(at * step) % count}`, country: 'GB' }
  }
  const numbersOf = async (rows: AsyncIterable<Query>, size: number): Promise<number[]> =>
    (await sampleRows(rows, digestCells, size)).map(({ name }) => Number(name))

  it('of a short list has each different row once, in any order of rows and cells', async () => {
    async function* turned(): AsyncGenerator<Query> {
      for await (const { name } of numbers(40, 7)) yield { country: 'GB', name: name! }
      yield* numbers(40)
    }
    const sample = await sampleRows(numbers(40), digestCells, 40)
    expect(sample.map(({ name }) => Number(name)).sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, at) => at))
    expect(await sampleRows(turned(), digestCells, 40)).toEqual(sample)
  })

  it('of a long list has its size, is spread over the list and is the same in another order', async () => {
    const sample = await numbersOf(numbers(50_000), 1000)
    expect(sample).toHaveLength(1000)
    for (let part = 0; part < 10; part++)
      expect(Math.abs(sample.filter(at => Math.floor(at / 5000) === part).length - 100)).toBeLessThan(40)
    expect(await numbersOf(numbers(50_000, 7), 1000)).toEqual(sample)
  })

  it('of a list that lost a hundredth of its rows and got as many others differs by as much', async () => {
    async function* later(): AsyncGenerator<Query> {
      let at = 0
      for await (const row of numbers(20_000)) yield at++ % 100 === 0 ? { name: `other ${at}` } : row
    }
    const [before, after] = [new Set(await numbersOf(numbers(20_000), 1000)), await numbersOf(later(), 1000)]
    expect(after.filter(at => !before.has(at)).length).toBeLessThan(40)
  })

  it('of fewer rows is a part of one of more rows', () =>
    fc.assert(
      fc.asyncProperty(fc.nat(400), fc.integer({ min: 1, max: 60 }), async (count, size) => {
        const larger = await sampleRows(numbers(count), digestCells, size + 20)
        const smaller = await sampleRows(numbers(count), digestCells, size)
        expect(smaller).toHaveLength(Math.min(size, count))
        expect(larger).toEqual(expect.arrayContaining(smaller))
      }),
      { numRuns: runs(30, 300) },
    ))
})

describe('the decision', () => {
  const listWith = (matchingOdds: number, startingOdds = matchingOdds): ListFacts => ({
    inRegister: { from: 0, to: 1, startingOdds, matchingOdds },
    companyNumbers: 'reliable',
  })
  const letters = fc
    .integer({ min: 0, max: SIZE - 1 })
    .chain(at => fc.constantFrom(asked(at).name!, asked(at).name!.slice(0, -4), asked(at).name!.split(' ').slice(0, 2).join(' ')))
  const odds = fc.double({ min: -6, max: 6, noNaN: true })

  it('never gives a higher score at lower odds', () => {
    fc.assert(
      fc.property(letters, odds, odds, (name, one, other) => {
        const [less, more] = [Math.min(one, other), Math.max(one, other)].map(of => match(index, { name }, 5, listWith(of)))
        expect(less!.score).toBeLessThanOrEqual(more!.score + 1e-12)
        if (less!.decision === 'matched') expect(more!.decision).not.toBe('unmatched')
      }),
      { numRuns: runs(100, 1000) },
    )
  })

  it('depends on the odds of matching alone; only the score of what is not matched has other odds', () => {
    fc.assert(
      fc.property(letters, odds, fc.double({ min: 0, max: 2, noNaN: true }), (name, matching, behind) => {
        const [plain, other] = [
          match(index, { name }, 5, listWith(matching)),
          match(index, { name }, 5, listWith(matching, matching - behind)),
        ]
        expect([other.decision, other.reason]).toEqual([plain.decision, plain.reason])
        if (plain.decision === 'matched') expect(other.score).toBeCloseTo(plain.score, 9)
        else expect(other.score).toBeLessThanOrEqual(plain.score + 1e-12)
      }),
      { numRuns: runs(100, 1000) },
    )
  })

  it('takes half a name for a match in a list that the register has; in one that it lacks a person decides', () => {
    const half = { name: nameOf(5).split(' ').slice(0, 2).join(' '), country: 'GB' }
    const [best, few] = [match(index, half, 5, listWith(3)), match(index, half, 5, listWith(-4))]
    expect([best.candidates[0]?.company, few.candidates[0]?.company]).toEqual([5, 5])
    expect(best.decision).toBe('matched')
    expect(few).toMatchObject({ decision: 'review', reason: 'between-thresholds' })
  })
})
