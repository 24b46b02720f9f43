/** The words of AML screening: dataset codes (contract §6.8), statuses, risk ratings, decisions (§6.2, §6.6). */

/** What a dataset code means, in the order of the contract. */
export const DATASETS = {
  PEP: 'politically exposed persons (all)',
  'PEP-LINKED': 'linked PEPs only (by association)',
  SAN: 'sanctioned (all)',
  'SAN-CURRENT': 'current sanctions only',
  'SAN-FORMER': 'former sanctions only',
  INS: 'insolvency',
  AM: 'adverse media',
  POI: 'profile of interest',
  ENF: 'enforcement',
  SOE: 'state owned enterprises (all)',
  'SOE-CURRENT': 'current SOE only',
  'SOE-FORMER': 'former SOE only',
} as const

/** A dataset code. */
export type Dataset = keyof typeof DATASETS

/** Whether a text is a dataset code. */
export const isDataset = (text: string): text is Dataset => Object.hasOwn(DATASETS, text)

/** The scores a business search may ask for (contract §12). */
export const THRESHOLDS = [75, 80, 85, 90, 95, 100] as const

/** Statuses of a search; any may follow any (contract §14.3). */
export const SEARCH_STATUSES = ['new', 'approved', 'declined', 'pending', 'cancelled', 'referred', 'closed'] as const

/** A status of a search. */
export type SearchStatus = (typeof SEARCH_STATUSES)[number]

/** Risk ratings of a search. */
export const RISK_RATINGS = ['notApplicable', 'veryLow', 'low', 'medium', 'high', 'veryHigh'] as const

/** A risk rating of a search. */
export type RiskRating = (typeof RISK_RATINGS)[number]

/** What can be decided of a hit. */
export const HIT_DECISIONS = ['undecided', 'trueMatch', 'falsePositive', 'discarded'] as const

/** A decision on a hit. */
export type HitDecision = (typeof HIT_DECISIONS)[number]

/** The decision a text means, in any case (contract §14.3); null for any other text. */
export const readDecision = (text: string): HitDecision | null =>
  HIT_DECISIONS.find(one => one.toLowerCase() === text.trim().toLowerCase()) ?? null
