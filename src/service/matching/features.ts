/**
 * The features: what is compared between a query and a company, each with a name of its own, and the vector that holds them. The
 * weights table and the reasons speak of features by these names.
 */

/** Comparisons of two names. */
export const NAME_FEATURES = [
  'bias', // always 1
  'coverBoth', // share of the words found on the other side, by rarity: harmonic mean of query and company; not weighed, but asked for
  'jaroWinkler', // of the names without spaces; not weighed, but asked for
  'pairs', // shared letter pairs (Dice)
  'exact', // the same letters, or the same words
  'exactRare', // the same letters, by the rarity of the words
  'matched', // rarity of what agrees, summed
  'missCompany', // heaviest word of the company that the query lacks
  'extraQuery', // how many words of the query the company lacks: a third each, at most 1
  'extraCompany',
  'allPaired', // not the same words, but each has its counterpart: cut off, abbreviated or misspelt
  'queryPaired', // the same for the query's words only
  'firstWord', // similarity of the first words
  'prefix', // one name begins with the other: share of its length
  'acronym', // one is the initials of the other
  'legalDiffer', // of two classes
  'numbersDiffer', // they are not: 1, or 0.5 when one side has none
  'domainName', // the company's web domain is the query's name: 1, or the share of it that begins it
  'singleWord', // the query is a single word
  'former', // compared with a previous name
] as const

/** Comparisons of everything else. */
const CONTEXT_FEATURES = [
  'countryAgree',
  'countryDiffer',
  'postcodeEqual',
  'postcodeNear', // same district
  'postcodeDiffer',
  'address', // shared address words by rarity
  'addressNone', // both give an address and share almost nothing
  'townEqual',
  'townDiffer',
  'idEqual',
  'numberEqual',
  'numberDiffer',
  'vatEqual',
  'vatDiffer',
  'domainEqual',
  'phoneEqual',
  'inactive', // the company is dissolved
] as const

/** All features, in the order of the vector. */
export const FEATURES = [...NAME_FEATURES, ...CONTEXT_FEATURES] as const

/** The name of a feature. */
export type Feature = (typeof FEATURES)[number]

/** Position of each feature in the vector. */
export const AT = Object.fromEntries(FEATURES.map((feature, at) => [feature, at])) as Readonly<Record<Feature, number>>

/** The features of a vector that are not 0, by name, rounded to four places. */
export function namedFeatures(vector: Float64Array): Record<string, number> {
  const named: Record<string, number> = {}
  for (const feature of FEATURES) {
    const value = Math.round(vector[AT[feature]]! * 1e4) / 1e4
    if (value !== 0) named[feature] = value
  }
  return named
}
