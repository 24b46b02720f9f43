/**
 * The weights table: what one unit of each feature adds to the log-odds that the company is the one meant. Read it as evidence:
 * +2.3 multiplies the odds by ten. Data only.
 *
 * Learned: logistic regression with a ridge of 1 by Newton's method with bounds, so that evidence for never counts against and the other
 * way round; on the `train` queries of three labelled sets (British employers by name, by name and postcode, by name and
 * address, by all; listed companies; SEC filers), each right company against its twelve strongest rivals of the last of
 * three rounds. Stated by judgement: numbers, VAT, domain, phone, town, status, former names, for which there are
 * no labelled rows, and the most that differing numbers in a name and surplus words may count.
 */
import type { Feature } from './features.ts'

/** Log-odds per unit of a feature. */
export const WEIGHTS: Readonly<Record<Feature, number>> = {
  // learned
  bias: -6.22,
  coverBoth: 0,
  jaroWinkler: 0,
  pairs: 0.92,
  exact: 5.73,
  exactRare: 0.98,
  matched: 4.78,
  missCompany: -0.95,
  extraQuery: -0.3,
  extraCompany: -0.41,
  allPaired: 1.96,
  queryPaired: 0.34,
  firstWord: 0.19,
  prefix: 1.39,
  acronym: 3.89,
  legalDiffer: -2.12,
  numbersDiffer: -1.5,
  domainName: 5.06,
  singleWord: -0.21,
  countryAgree: 1.63,
  countryDiffer: -3.09,
  postcodeEqual: 2.49,
  postcodeNear: -0.89,
  postcodeDiffer: -1.43,
  address: 1.18,
  addressNone: -1.72,
  // by judgement
  former: -0.3,
  townEqual: 1,
  townDiffer: -1.2,
  idEqual: 12,
  numberEqual: 8,
  numberDiffer: -3,
  vatEqual: 7,
  vatDiffer: -2,
  domainEqual: 3.5,
  phoneEqual: 3,
  inactive: -0.4,
}
