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

/** The share that is taken for a row alone, and that a short list is drawn towards. */
export const DEFAULT_SHARE = 0.85

/** The list of a row alone. */
export const ALONE: ListFacts = { inRegister: DEFAULT_SHARE, companyNumbers: 'reliable' }

/** Log-odds per unit of a feature. */
export const WEIGHTS: Readonly<Record<Feature, number>> = {
  // learned
  bias: -6.53,
  coverBoth: 0,
  pairs: 2,
  exact: 2.43,
  exactRare: 0.73,
  matched: 6.59,
  missCompany: -1.87,
  extraQuery: -0.03,
  extraCompany: -0.68,
  allPaired: 0.19,
  pairedRare: 2.51,
  queryPaired: 0.86,
  firstWord: 1.14,
  prefix: 0.67,
  acronym: 0.53,
  legalAgree: 0.06,
  exactLegal: 3.2,
  legalDiffer: -1.77,
  numbersDiffer: -1.5,
  domainName: 4.03,
  countryAgree: 1.07,
  countryDiffer: -3.64,
  postcodeEqual: 2.32,
  postcodeAlone: 1.76,
  placeMatched: -2.1,
  placeFirst: -3.34,
  placeMiss: 2.25,
  exactMoved: 1.61,
  postcodeNear: -0.18,
  postcodeDiffer: -1.58,
  address: 0,
  addressSame: 2.11,
  addressNone: -1.97,
  // by judgement
  sisterDiffer: -1,
  otherScript: 0,
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

/** Least score for `matched` by the kind of evidence, and least chance for `review`. */
export const THRESHOLDS = {
  // chosen
  sameName: 0.52, // every word has its counterpart
  partName: 0.82, // words are left over on either side
  partNameAddress: 0.92, // words are left over, and both have an address, which a sister company may share
  // by judgement
  review: 0.15,
} as const
