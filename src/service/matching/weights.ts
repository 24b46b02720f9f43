/**
 * The weights of the features and the thresholds of the decision. A weight is what one unit of a feature adds to the log-odds that
 * the company is the right one: +2.3 multiplies the odds by ten. `npm run train:matching` writes the learned and chosen values.
 *
 * Learned: conditional logit over the candidates and "none of them", fitted by Newton's method with a ridge of 1 and with bounds, so
 * that positive evidence never counts against a company and negative evidence never for it; on the `train` queries of three labelled
 * sets (British employers by name, by name and postcode, by name and address, by all; listed companies with and without country; SEC
 * filers). Set by judgement, because no labelled rows exist: numbers, VAT, domain, phone, town, status, former names, and the minimum
 * for differing numbers in a name.
 */
import type { Feature } from './features.ts'
import type { ListFacts } from './types.ts'

/** The share of rows in the register for which the weights are learned. */
export const TRAINED_SHARE = 0.5

/** The share that is taken for a row alone and for a short list. */
export const DEFAULT_SHARE = 0.85

/** The share of the matches that should be right, unless a list asks for a different one. */
export const PRECISION = 0.98

export const toLogOdds = (share: number): number => Math.log(share / (1 - share))

/** What a share adds to the log-odds of every company: the weights are learned for TRAINED_SHARE. */
export const startingOddsOf = (share: number): number => toLogOdds(share) - toLogOdds(TRAINED_SHARE)

/** The list of a row alone. */
export const ALONE: ListFacts = {
  inRegister: {
    from: DEFAULT_SHARE,
    to: DEFAULT_SHARE,
    startingOdds: startingOddsOf(DEFAULT_SHARE),
    matchingOdds: startingOddsOf(DEFAULT_SHARE),
  },
  companyNumbers: 'reliable',
}

/** Log-odds per unit of a feature. */
export const WEIGHTS: Readonly<Record<Feature, number>> = {
  // learned
  bias: -6.59,
  coverBoth: 0,
  pairs: 2.09,
  exact: 2.45,
  exactRare: 0.76,
  matched: 6.49,
  missCompany: -1.85,
  extraQuery: 0,
  extraCompany: -0.69,
  allPaired: 0,
  pairedRare: 1.91,
  shortened: 1.02,
  queryPaired: 0.78,
  firstWord: 1.16,
  prefix: 0.63,
  acronym: 0.65,
  legalAgree: 0.06,
  exactLegal: 3.18,
  legalDiffer: -1.89,
  numbersDiffer: -1.5,
  domainName: 4.6,
  countryAgree: 1.09,
  countryDiffer: -3.8,
  postcodeEqual: 2.34,
  postcodeAlone: 1.76,
  placeMatched: -2.06,
  placeFirst: -3.35,
  placeMiss: 2.23,
  exactMoved: 1.59,
  postcodeNear: -0.15,
  postcodeDiffer: -1.57,
  address: 0,
  addressSame: 2.11,
  addressNone: -1.94,
  // by judgement
  sisterDiffer: -1,
  sisterExtra: 0,
  legalAbroad: 0,
  otherScript: 0,
  reading: -2.5,
  former: -0.3,
  confirmed: 0,
  townEqual: 1,
  townDiffer: -1.2,
  idEqual: 12,
  numberEqual: 8,
  numberPlace: 4,
  numberNear: 1.5,
  numberDiffer: -3,
  vatEqual: 7,
  vatDiffer: -2,
  domainEqual: 3.5,
  phoneEqual: 3,
  inactive: -0.4,
}

/**
 * How the log-odds of a shortened name (feature `shortened`) are calibrated before the share of the list is added: above 0 they are
 * multiplied by `slope`, up to `most`; log-odds above `most` stay as they are.
 */
export const CALIBRATION = {
  slope: 1.8,
  most: 4.5,
}

/** Least score for `matched` by the kind of evidence, and least chance for `review`. */
export const THRESHOLDS = {
  // chosen
  sameName: 0.46, // every word has its counterpart
  partName: 0.8, // words are left over on either side
  partNameAddress: 0.9, // words are left over, and both have an address, which a sister company may share
  // by judgement
  addressAlone: 0.97, // the names are less than half alike, no other company has the address, and the list is found well
  review: 0.15, // at the default share
} as const
