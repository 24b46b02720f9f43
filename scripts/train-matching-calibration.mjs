/**
 * Chooses how the log-odds of shortened names are calibrated: of all values on a grid those under which the out-of-fold answers are most
 * likely. Knows the engine's calibration, no weights.
 */
import { calibrate } from '../build/service/matching/decide/score.js'
import { AT } from '../build/service/matching/features.js'

const SLOPES = Array.from({ length: 21 }, (_, at) => (at + 10) / 10)
const MOST = Array.from({ length: 17 }, (_, at) => 3 + at / 4)

const isShortened = vector => vector[AT.shortened] === 1

/** The log-odds of each candidate of a choice, calibrated. */
export const calibratedOdds = ({ rows, odds }, calibration) =>
  odds.map((one, at) => calibrate(isShortened(rows[at]), one, calibration))

/** The best calibration for choices with out-of-fold log-odds, of which the best candidate counts. */
export function fitCalibration(choices) {
  const answers = choices.flatMap(({ rows, odds, right, weight }) => {
    const best = odds.indexOf(Math.max(...odds))
    return best >= 0 && isShortened(rows[best]) ? [{ odds: odds[best], isRight: best === right, weight }] : []
  })
  const lossOf = calibration =>
    answers.reduce((sum, { odds, isRight, weight }) => {
      const own = calibrate(true, odds, calibration)
      return sum + weight * Math.log1p(Math.exp(isRight ? -own : own))
    }, 0)
  let best = null
  for (const slope of SLOPES)
    for (const most of MOST) {
      const loss = lossOf({ slope, most })
      if (best === null || loss < best.loss - 1e-9) best = { loss, slope, most }
    }
  return { slope: best.slope, most: best.most }
}
