/**
 * The weights table: what one unit of each feature adds to the log-odds that the company is the one meant. Read it as evidence:
 * +2.3 multiplies the odds by ten. Data only.
 *
 * Learned: logistic regression with a ridge of 1 by Newton's method with bounds, so that evidence for never counts against and the other
 * way round; on the `train` queries of three labelled sets (British employers by name, by name and postcode, by name and
 * address, by all; listed companies; SEC filers), each right company against its twelve strongest rivals, right companies whose name
 * shares almost nothing with the row counting 0.4. Stated by judgement: numbers, VAT, domain, phone, town, status, former names, for which there are
 * no labelled rows, and the most that differing numbers in a name and surplus words may count.
 */
import type { Feature } from './features.ts'

/** Log-odds per unit of a feature. */
export const WEIGHTS: Readonly<Record<Feature, number>> = {
  // learned
  bias: -6.84,
  coverQuery: 0.34,
  coverCompany: 0.29,
  coverBoth: 0.46,
  jaroWinkler: 0.03,
  pairs: 1.47,
  exact: 4.76,
  exactRare: 0.87,
  matched: 4.99,
  missQuery: -0.2,
  missCompany: -1.08,
  missBoth: 0,
  extraQuery: -0.3,
  extraCompany: -0.53,
  firstWord: 0.31,
  prefix: 1.09,
  acronym: 4.36,
  legalAgree: 0,
  legalDiffer: -2.2,
  numbersAgree: 0,
  numbersDiffer: -1.5,
  domainName: 4.97,
  singleWord: 0,
  countryAgree: 1.56,
  countryDiffer: -3.09,
  postcodeEqual: 1.98,
  postcodeNear: -1.15,
  postcodeDiffer: -1.45,
  address: 1.33,
  addressNone: -1.69,
  namePostcode: 0,
  nameAddress: 0,
  missAtPlace: 0,
  // by judgement
  former: -0.3,
  townEqual: 1,
  townDiffer: -0.7,
  idEqual: 12,
  numberEqual: 8,
  numberDiffer: -3,
  vatEqual: 7,
  vatDiffer: -2,
  domainEqual: 3.5,
  phoneEqual: 3,
  inactive: -0.4,
}
