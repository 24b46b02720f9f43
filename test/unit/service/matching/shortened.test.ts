/** Shortened names: recognised by full stops and suffixes of exchanges, and calibrated as a kind of evidence. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { evidenceByField } from '../../../../src/service/matching/decide/explain.ts'
import { calibrate } from '../../../../src/service/matching/decide/score.ts'
import { buildIndex, type ListFacts, match } from '../../../../src/service/matching/index.ts'
import { CALIBRATION, startingOddsOf } from '../../../../src/service/matching/weights.ts'
import { COMPANIES } from './companies.ts'

const index = buildIndex(COMPANIES)
const listOf = (share: number): ListFacts => {
  const odds = startingOddsOf(share)
  return { inRegister: { from: share, to: share, startingOdds: odds, matchingOdds: odds }, companyNumbers: 'reliable' }
}
const asked = (name: string, inRegister = 0.06) => match(index, { name, country: 'GB' }, 5, listOf(inRegister))

it('a name that shows that it is shortened proves more than the same letters without a sign of it', () => {
  for (const shortened of ['THORNBURY CAST. LTD', 'THORNBURY CAST  EO 1']) {
    const [signed, bare] = [asked(shortened), asked('Thornbury Cast Ltd')]
    expect([signed.candidates[0]?.company, bare.candidates[0]?.company]).toEqual([0, 0])
    expect(signed.score).toBeGreaterThan(bare.score)
    expect(signed.candidates[0]!.features).toMatchObject({ shortened: 1, allPaired: 1 })
    expect(bare.candidates[0]!.features).not.toHaveProperty('shortened')
  }
})

it('a name that is the same, or has words left over, is never a shortened one', () => {
  for (const name of ['THORNBURY CASTINGS. LTD', 'THORNBURY CAST. SOUTHERN'])
    expect(asked(name).candidates[0]!.features).not.toHaveProperty('shortened')
})

it('the calibration keeps the order of any log-odds, changes only shortened names, and lowers none', () => {
  const odds = fc.double({ min: -30, max: 30, noNaN: true })
  fc.assert(
    fc.property(odds, odds, (one, other) => {
      const [low, high] = [Math.min(one, other), Math.max(one, other)]
      expect(calibrate(false, one)).toBe(one)
      expect(calibrate(true, low)).toBeLessThanOrEqual(calibrate(true, high))
      expect(calibrate(true, one)).toBeGreaterThanOrEqual(one)
      if (one <= 0 || one >= CALIBRATION.most) expect(calibrate(true, one)).toBe(one)
    }),
  )
})

it('the evidence by field of a shortened name adds up to its log-odds', () => {
  for (const share of [0.06, 0.5, 0.85]) {
    const [best] = asked('THORNBURY CAST. LTD', share).candidates
    const parts = Object.values(evidenceByField(best!.features, startingOddsOf(share)))
    const logOdds = Math.log(best!.chance / (1 - best!.chance))
    expect(Math.abs(parts.reduce((sum, part) => sum + part, 0) - logOdds)).toBeLessThanOrEqual(0.05 * parts.length + 0.01)
  }
})
