/** The share of a list that is in the register: estimated from the list, the same for any way of reading it, and heeded by the decision. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { digestCells, sampleRows } from '../../../../src/list-sample.ts'
import { factsOf } from '../../../../src/service/data-cleaning/processing/list-sample.ts'
import {
  appliedShare,
  buildIndex,
  DEFAULT_SHARE,
  estimateShare,
  match,
  type Query,
  rowEvidence,
} from '../../../../src/service/matching/index.ts'
import type { Engine } from '../../../../src/service/registers/engine.ts'
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
const engine = { rowEvidence: (query: Query) => rowEvidence(index, query) } as Engine
const asked = (at: number): Query => ({ name: nameOf(at).toUpperCase(), country: 'GB' })

async function* listOf(present: number, absent: number): AsyncGenerator<Query> {
  for (let at = 0; at < Math.max(present, absent); at++) {
    if (at < present) yield asked(at % SIZE)
    if (at < absent) yield { name: `Quob${at}ix Zwenk${at * 7}um`, country: 'GB' }
  }
}
const shareOf = async (rows: AsyncIterable<Query>) => (await factsOf(rows, engine, async () => {})).inRegister
const estimated = (present: number, absent: number) => shareOf(listOf(present, absent))
const listWith = (inRegister: number) => ({ inRegister, companyNumbers: 'reliable' }) as const

describe('the share of a list that is in the register', () => {
  it.each([
    [200, 0],
    [160, 40],
    [100, 100],
    [40, 160],
    [10, 190],
  ])('is found without labels: %i rows of the register, %i others', async (present, absent) => {
    const share = await estimated(present, absent)
    expect(Math.abs(share - present / (present + absent))).toBeLessThan(0.06)
  })

  it('of one row, or none, is the default, and a short list is drawn towards it', async () => {
    expect(estimateShare([])).toBe(DEFAULT_SHARE)
    expect(estimateShare([-30])).toBe(DEFAULT_SHARE)
    expect(await estimated(0, 10)).toBeGreaterThan(0.3)
    expect(await estimated(0, 1000)).toBeLessThan(0.02)
  })

  it('does not count rows without anything to look for', async () => {
    async function* padded(): AsyncGenerator<Query> {
      for await (const query of listOf(50, 50)) {
        yield query
        yield { country: 'GB' }
      }
    }
    expect(await shareOf(padded())).toBe(await estimated(50, 50))
  })

  it('is between 0 and 1 and never falls when a row becomes more likely to be there', () => {
    const odds = fc.double({ min: -40, max: 40, noNaN: true })
    fc.assert(
      fc.property(
        fc.array(odds, { minLength: 2, maxLength: 60 }),
        fc.nat(),
        fc.double({ min: 0, max: 9, noNaN: true }),
        (rows, which, more) => {
          const share = estimateShare(rows)
          expect(share).toBeGreaterThan(0)
          expect(share).toBeLessThan(1)
          expect(estimateShare(rows)).toBe(share)
          const raised = rows.map((row, at) => (at === which % rows.length ? row + more : row))
          expect(estimateShare(raised)).toBeGreaterThanOrEqual(share - 0.001)
        },
      ),
      { numRuns: runs(100, 1000) },
    )
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

describe('the share that is applied', () => {
  it('is one of a few, near the estimate, and the default for a row alone', () => {
    expect(appliedShare(DEFAULT_SHARE)).toBe(DEFAULT_SHARE)
    const shares = Array.from({ length: 199 }, (_, at) => (at + 1) / 200)
    expect(new Set(shares.map(appliedShare)).size).toBeLessThan(30)
    const oddsOf = (share: number): number => Math.log(share / (1 - share))
    for (const share of shares) {
      expect(Math.abs(appliedShare(share) - share)).toBeLessThan(0.052)
      expect(Math.abs(oddsOf(appliedShare(share)) - oddsOf(share))).toBeLessThan(0.3)
      expect(appliedShare(appliedShare(share))).toBe(appliedShare(share))
    }
  })
})

describe('the decision', () => {
  it('never gives a higher score where less of the list is in the register', () => {
    const letters = fc
      .integer({ min: 0, max: SIZE - 1 })
      .chain(at =>
        fc.constantFrom(asked(at).name!, asked(at).name!.slice(0, -4), asked(at).name!.split(' ').slice(0, 2).join(' ')),
      )
    const share = fc.double({ min: 0.01, max: 0.99, noNaN: true })
    fc.assert(
      fc.property(letters, share, share, (name, one, other) => {
        const [less, more] = [Math.min(one, other), Math.max(one, other)].map(of => match(index, { name }, 5, listWith(of)))
        expect(less!.score).toBeLessThanOrEqual(more!.score + 1e-12)
        if (less!.decision === 'matched') expect(more!.decision).not.toBe('unmatched')
      }),
      { numRuns: runs(100, 1000) },
    )
  })

  it('takes half a name for a match in a list that the register has, and not in one that it lacks', () => {
    const half = { name: nameOf(5).split(' ').slice(0, 2).join(' '), country: 'GB' }
    const [best, few] = [match(index, half, 5, listWith(0.95)), match(index, half, 5, listWith(0.02))]
    expect([best.candidates[0]?.company, few.candidates[0]?.company]).toEqual([5, 5])
    expect(best.decision).toBe('matched')
    expect(few.decision).not.toBe('matched')
  })
})
