/**
 * How the embedded service behaves like another service of the interface. A play is a table of differences; nothing else in the
 * service depends on its name.
 */
import { formatWireDate, type KnownStatus, type OperationName } from '../contract/index.ts'
import type { Company } from './matching/types.ts'
import type { Engine } from './registers/engine.ts'

export interface Play {
  /** The operations that exist, the others are 404; null: all. */
  readonly operations: ReadonlySet<OperationName> | null
  /**
   * What follows a status without a request; a status without an entry waits for one. After `enriched`, a job that names a portfolio is
   * `addingToPortfolio`.
   */
  readonly next: Partial<Readonly<Record<KnownStatus, KnownStatus>>>
  /** Statuses that last until a client has read them, or for `patience` times `matchedMs`. */
  readonly held: readonly KnownStatus[]
  readonly patience: number
  /** The status in place of one for a failure that this service does not have. */
  readonly errors: Partial<Readonly<Record<KnownStatus, KnownStatus>>>
  /**
   * The statuses in which the fields "available after enrichment" have their values; in the others they are null. Null: each field is
   * absent until its value is known.
   */
  readonly enrichedAt: readonly KnownStatus[] | null
  readonly source: 'dataCleaning' | 'prospects'
  /** How dates of jobs and files are written. */
  readonly dateOf: (millis: number) => string
  /** Whether rows in review count as matched by hand, with their best candidate. */
  readonly matchesByHand: boolean
  /** Whether the enriched file has fettle's own columns `match.…`. */
  readonly matchColumns: boolean
  /** Digits of a Safe Number. With 15, two companies of one country practically never share one. */
  readonly safeDigits: 8 | 15
}

const ADDED = ['addedToPortfolio', 'addedToPortfolioError'] as const

const own: Play = {
  operations: null,
  next: {
    matching: 'matched',
    matched: 'aggregating',
    aggregating: 'aggregatingComplete',
    aggregatingComplete: 'jobMatchingComplete',
    readyForEnriching: 'enriching',
    enriching: 'enriched',
    enriched: 'enrichmentComplete',
    addingToPortfolio: 'addedToPortfolio',
  },
  held: ['matched', 'addingToPortfolio'],
  patience: 1,
  errors: {},
  enrichedAt: null,
  source: 'dataCleaning',
  dateOf: formatWireDate,
  matchesByHand: false,
  matchColumns: true,
  safeDigits: 15,
}

const vendor: Play = {
  ...own,
  held: ['matched', 'aggregating', 'readyForEnriching', 'addingToPortfolio'],
  enrichedAt: ['enriched', 'enrichmentComplete', 'addingToPortfolio', ...ADDED],
  matchesByHand: true,
  matchColumns: false,
  safeDigits: 8,
}

const seed: Play = {
  ...vendor,
  operations: new Set<OperationName>([
    // In detail.
    ...(['authenticate', 'readJob', 'upload', 'setMappings'] as const),
    ...(['createBusinessSearch', 'listBusinessSearches', 'updateBusinessSearches'] as const),
    ...(['readIndividualHit', 'decideIndividualHit', 'downloadIndividualHit'] as const),
    ...(['listCompanyEvents', 'listEventRules', 'listCountryEventRules', 'listNotificationEvents'] as const),
    // By name.
    ...(['readReport', 'matchCompanies', 'readBusinessHit'] as const),
    // Not shown, but nothing leads to the others without them.
    ...(['createJob', 'listJobs', 'searchCompanies', 'listBusinessHits'] as const),
    ...(['createIndividualSearch', 'listIndividualHits'] as const),
    ...(['listPortfolios', 'createPortfolio', 'addCompany', 'setEventRules'] as const),
  ]),
  next: { ready: 'matching', matching: 'matched', matched: 'addingToPortfolio', addingToPortfolio: 'addedToPortfolio' },
  held: ['ready', 'matched', 'addingToPortfolio'],
  // Here a client waits for `matched`, which leads to nothing that it could ask for.
  patience: 15,
  errors: { transformFileError: 'matchingError', addedToPortfolioError: 'matchingError' },
  enrichedAt: ['matched', 'addingToPortfolio', ...ADDED],
  source: 'prospects',
  dateOf: millis => new Date(millis).toISOString(),
}

/** fettle's own service · the published description of the interface · the specification, with the operations that it details. */
export const PLAYS = { own, vendor, seed } as const satisfies Record<string, Play>

/** A service to imitate. */
export type PlayName = keyof typeof PLAYS

/** The names of the plays, `own` first. */
export const PLAY_NAMES = Object.keys(PLAYS) as PlayName[]

/** The engine with companies whose Safe Numbers have the digits of the play. */
export function engineIn({ safeDigits }: Play, engine: Engine): Engine {
  if (safeDigits === own.safeDigits) return engine
  const marked = (company: Company): Company => ({ ...company, safeDigits })
  const find = (connectId: string): Company | null => {
    const company = engine.find(connectId)
    return company === null ? null : marked(company)
  }
  return { ...engine, find, at: position => marked(engine.at(position)) }
}
