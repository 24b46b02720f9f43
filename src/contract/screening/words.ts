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

export type Dataset = keyof typeof DATASETS

export const isDataset = (text: string): text is Dataset => Object.hasOwn(DATASETS, text)

/** The scores a business search may ask for (contract §12). */
export const THRESHOLDS = [75, 80, 85, 90, 95, 100] as const

/** Statuses of a search; any may follow any (contract §14.3). */
export const SEARCH_STATUSES = ['new', 'approved', 'declined', 'pending', 'cancelled', 'referred', 'closed'] as const

export type SearchStatus = (typeof SEARCH_STATUSES)[number]

export const RISK_RATINGS = ['notApplicable', 'veryLow', 'low', 'medium', 'high', 'veryHigh'] as const

export type RiskRating = (typeof RISK_RATINGS)[number]

export const HIT_DECISIONS = ['undecided', 'trueMatch', 'falsePositive', 'discarded'] as const

/** The decisions that may be requested of one hit; `discarded` is a word of answers and batches (contract §6.6). */
export const REQUESTED_DECISIONS = ['undecided', 'trueMatch', 'falsePositive'] as const

export type HitDecision = (typeof HIT_DECISIONS)[number]

/** The decision a text means, in any case (contract §14.3); null for any other text. */
export const readDecision = (text: string): HitDecision | null =>
  HIT_DECISIONS.find(decision => decision.toLowerCase() === text.trim().toLowerCase()) ?? null
