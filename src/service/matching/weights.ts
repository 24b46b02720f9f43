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

/** Log-odds per unit of a feature. */
export const WEIGHTS: Readonly<Record<Feature, number>> = {
  // learned
  bias: -5.71,
  coverBoth: 0,
  pairs: 2.46,
  exact: 4.17,
  exactRare: 1.61,
  matched: 6.35,
  missCompany: -1.37,
  extraQuery: -0.46,
  extraCompany: -0.88,
  allPaired: 1.28,
  queryPaired: 0.81,
  firstWord: 1.17,
  prefix: 1.26,
  acronym: 0.81,
  legalAgree: 0.37,
  legalDiffer: -1.59,
  numbersDiffer: -1.5,
  domainName: 4.37,
  countryAgree: 1.3,
  countryDiffer: -2.96,
  postcodeEqual: 2.11,
  postcodeAlone: 1.76,
  placeMatched: -1.79,
  placeFirst: -3.52,
  placeMiss: 2.63,
  postcodeNear: 0.76,
  postcodeDiffer: -1.7,
  address: 0.85,
  addressSame: 1.53,
  addressNone: -1.81,
  // by judgement
  sisterDiffer: -1,
  former: -0.3,
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

/** Least score for `matched` by the kind of evidence, and least chance for `review`. */
export const THRESHOLDS = {
  // chosen
  sameName: 0.76, // every word has its counterpart
  partName: 0.7, // words are left over on either side
  partNameAddress: 0.88, // words are left over, and both have an address, which a sister company may share
  // by judgement
  review: 0.15,
} as const
