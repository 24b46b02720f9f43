/**
 * The features of a comparison between a query and a company: name, meaning and position in the vector. The weights table, the
 * explanations and docs/matching.md use these names. features.json has the comparisons of the names first, then of the other fields. A field
 * that one side does not give is 0.
 */
import TABLE from './features.json' with { type: 'json' }

export const MEANINGS = { ...TABLE.name, ...TABLE.context }

export type Feature = keyof typeof MEANINGS

export const FEATURES = Object.keys(MEANINGS) as readonly Feature[]

/** The number of name features; they come first. */
export const NAME_FEATURES = Object.keys(TABLE.name).length

export const AT = Object.fromEntries(FEATURES.map((feature, at) => [feature, at])) as Readonly<Record<Feature, number>>

/** One value per feature, in their order. A plain array, because allocating thousands of typed arrays a second is slow. */
export type Vector = number[]

const ZEROS: Vector = Array.from(FEATURES, () => 0.5).fill(0)

/** @public training and the benchmark of name pairs fill vectors */
export const newVector = (): Vector => ZEROS.slice()

/** The vectors of one row, used again for the next one: a row compares some hundred names. */
export class RowVectors {
  readonly #all: Vector[] = []
  #used = 0

  /** A vector of zeros. */
  take(): Vector {
    const known = this.#all[this.#used++]
    if (known === undefined) {
      const vector = newVector()
      this.#all.push(vector)
      return vector
    }
    // `fill` takes longer for so few.
    for (let at = 0; at < known.length; at++) known[at] = 0
    return known
  }

  /** None of them is needed any more. */
  clear(): void {
    this.#used = 0
  }
}

/** Row and company have one postcode or address. */
export const samePlace = (vector: Vector): boolean => vector[AT.postcodeEqual] === 1 || vector[AT.address]! > 0.5

/** The features of a vector that are not 0, by name, rounded to four places. */
export function namedFeatures(vector: Vector): Record<string, number> {
  const named: Record<string, number> = {}
  for (const feature of FEATURES) {
    const value = Math.round(vector[AT[feature]]! * 1e4) / 1e4
    if (value !== 0) named[feature] = value
  }
  return named
}
