/** Whether the company numbers of a list are reliable: judged from the list, the same for any order, and heeded by the decision. */
import { describe, expect, it } from 'vitest'
import { factsOf } from '../../../../src/service/data-cleaning/processing/list-sample.ts'
import { ALONE, absentEvidence, buildIndex, match, type Query, rowEvidence } from '../../../../src/service/matching/index.ts'
import type { Engine } from '../../../../src/service/registers/engine.ts'
import { company } from './companies.ts'

const SYLLABLES = 'bar cel dor fen gul hos jat kim lom nuv pel rov'.split(' ')
const nameOf = (at: number): string =>
  `${[at % 12, Math.floor(at / 12) % 12, (at * 5 + 3) % 12].map(of => SYLLABLES[of]!).join('')} ${SYLLABLES[(at * 7) % 12]}works`
const numberOf = (at: number): string => String(10_000_000 + at * 7919)

const SIZE = 140
const register = Array.from({ length: SIZE }, (_, at) =>
  company({ id: `${at}`, name: `${nameOf(at)} Ltd`, country: 'GB', orgNumber: numberOf(at), postcode: `AB${at % 20} 1AA` }),
)
const index = buildIndex(register)
const engine: Pick<Engine, 'rowEvidence' | 'absentEvidence' | 'size'> = {
  rowEvidence: query => rowEvidence(index, query),
  absentEvidence: (query, at) => absentEvidence(index, query, at),
  size: SIZE,
}

/** A list whose rows have the number of `numbered`. */
const listOf = (size: number, numbered: (at: number) => string): Query[] =>
  Array.from({ length: size }, (_, at) => ({ name: nameOf(at), orgNumber: numbered(at), country: 'GB' }))

async function numbersOf(rows: readonly Query[]): Promise<string> {
  return (
    await factsOf(
      (async function* () {
        yield* rows
      })(),
      engine,
      { pace: async () => {}, precision: undefined },
    )
  ).companyNumbers
}

describe('the company numbers of a list are', () => {
  it('reliable where they belong to the companies named, to renamed ones, or to none of the register', async () => {
    expect(await numbersOf(listOf(SIZE, numberOf))).toBe('reliable')
    expect(await numbersOf(listOf(SIZE, numberOf).map((row, at) => ({ ...row, name: `Quobix ${at}` })))).toBe('reliable')
    expect(
      await numbersOf(listOf(SIZE, at => `9${at}00000`.slice(0, 8)).map(row => ({ ...row, name: `Zwenk ${row.orgNumber}` }))),
    ).toBe('reliable')
    expect(await numbersOf(listOf(SIZE, () => ''))).toBe('reliable')
  })

  it('unreliable where one in ten belongs to another company, in any order', async () => {
    const rows = listOf(SIZE, at => numberOf(at % 10 === 0 ? (at + 3) % SIZE : at))
    expect(await numbersOf(rows)).toBe('unreliable')
    expect(await numbersOf(rows.toReversed())).toBe('unreliable')
    expect(await numbersOf(listOf(SIZE, at => (at % 50 === 0 ? numberOf(at + 3) : numberOf(at))))).toBe('reliable')
  })

  it('unreliable where the company named has another number', async () => {
    expect(await numbersOf(listOf(40, at => (at % 4 === 0 ? '99999999' : numberOf(at))))).toBe('unreliable')
  })

  it('unreliable where check digits fail', async () => {
    const french = ['732829320', '552100554', '732829321', '552100555']
    const rows = french.flatMap(orgNumber =>
      Array.from({ length: 10 }, (_, at) => ({ name: `Quobix ${orgNumber} ${at}`, orgNumber, country: 'FR' })),
    )
    expect(await numbersOf(rows)).toBe('unreliable')
    expect(await numbersOf(rows.slice(0, 20))).toBe('reliable')
  })

  it('reliable with one typing error in a short list', async () => {
    expect(await numbersOf(listOf(5, at => numberOf(at === 0 ? 3 : at)))).toBe('reliable')
  })
})

it('an unreliable number alone makes no match of another name, and does not hinder one of the same name', () => {
  const unreliable = { ...ALONE, companyNumbers: 'unreliable' } as const
  const renamed = { name: 'Sandmoor Foundry', orgNumber: numberOf(7), postcode: 'AB7 1AA', country: 'GB' }
  expect(match(index, renamed).decision).toBe('matched')
  expect(match(index, renamed, 5, unreliable)).toMatchObject({ decision: 'review', reason: 'number-and-name-disagree' })
  const named = { ...renamed, name: nameOf(7) }
  expect(match(index, named, 5, unreliable)).toEqual(match(index, named))
  const nameless = { orgNumber: numberOf(7), country: 'GB' }
  expect(match(index, nameless, 5, unreliable).decision).toBe('matched')
})
