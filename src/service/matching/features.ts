/**
 * The features of a comparison between a query and a company: name, meaning and position in the vector. The weights table, the
 * explanations and docs/matching.md use these names.
 */

const NAME_MEANINGS = {
  bias: 'always 1',
  coverBoth: 'share of the words found on the other side, by rarity (harmonic mean of both sides); asked for, not weighed',
  pairs: 'shared letter pairs of the names without spaces (Dice)',
  exact: 'the same letters, or the same words in another order',
  exactRare: 'the same, by the rarity of the words',
  matched: 'rarity of all that agrees, summed; a third of it, at most 1',
  missCompany: 'heaviest word of the company that the row lacks',
  extraQuery: 'words of the row that the company lacks: a third each, at most 1',
  extraCompany: 'words of the company that the row lacks: a third each, at most 1',
  allPaired: 'not the same words, but each has its counterpart: cut off, abbreviated or misspelt',
  pairedRare: 'the same, by the rarity of the words',
  shortened:
    'each word has its counterpart, and the name in the row shows that it is shortened: by a full stop (`RES.`) or the suffix of an exchange',
  queryPaired: 'every word of the row has its counterpart, but not every word of the company',
  firstWord: 'how alike the first words are',
  prefix: 'one name begins with the other: share of its length',
  acronym: 'one name is the initials of the other',
  legalAgree: 'legal forms of one class',
  exactLegal: 'the same words and legal forms of one class',
  legalDiffer: 'legal forms of two classes',
  numbersDiffer: 'the numbers in the names are not the same: 1, or 0.5 when one side has none',
  sisterDiffer:
    'a number, numeral, letter, point of the compass, country or word in brackets that is another: 1; a word such as Trading: 0.5',
  sisterExtra:
    'a word in brackets in front of the legal form, or International, that one of the names lacks; asked for, not weighed',
  domainName: "the company's web domain is the name in the row: 1, or the share of it that begins it",
  otherScript: 'one of the names is transliterated, the other is written in Latin letters; asked for, not weighed',
  former: 'compared with a previous name of the company',
  confirmed: 'compared with a name that a person confirmed for the company; asked for, not weighed',
} as const

/** Comparisons of the other fields. A field that one side does not give is 0. */
const CONTEXT_MEANINGS = {
  countryAgree: 'the same country',
  countryDiffer: 'two countries',
  postcodeEqual: 'the same postcode',
  postcodeAlone: 'the same postcode, and no other company of the register has it',
  placeMatched:
    'at the same postcode, with words left over: what agrees of the names once more, since a group shares name and address',
  placeFirst: 'at the same postcode, with words left over: the same first word, as sister companies have it',
  placeMiss: 'at the same postcode: the heaviest word that the row lacks once more, since a renamed company stays where it is',
  exactMoved: 'the same words at another address: companies move',
  postcodeNear: 'the same district, another postcode',
  postcodeDiffer: 'another district',
  address: 'shared address words, by rarity',
  addressSame: 'the same address, word for word',
  addressNone: 'both give an address and share almost nothing',
  townEqual: 'the same town',
  townDiffer: 'two towns',
  idEqual: "the register's own id",
  numberEqual: 'the same organisation number, in its canonical form',
  numberPlace: 'the same organisation number, and the same postcode or address',
  numberNear: 'two organisation numbers that a typing error explains: the check digits fail, or name and place are the same',
  numberDiffer: 'two organisation numbers of one country',
  vatEqual: 'the same VAT number',
  vatDiffer: 'two VAT numbers',
  domainEqual: 'the mail domain of the row is the web or mail domain of the company (free mail does not count)',
  phoneEqual: 'the last eight digits of the phone are the same',
  inactive: 'the register calls the company dissolved',
} as const

export const MEANINGS = { ...NAME_MEANINGS, ...CONTEXT_MEANINGS }

export type Feature = keyof typeof MEANINGS

export const FEATURES = Object.keys(MEANINGS) as readonly Feature[]

/** The number of name features; they come first. */
export const NAME_FEATURES = Object.keys(NAME_MEANINGS).length

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
