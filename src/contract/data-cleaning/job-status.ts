/**
 * The statuses of a data-cleaning job and the phase of each: contract §5.5. An open set: the service may add words at any time.
 */

/** What a status means for a caller that waits: the next call is due, keep waiting, done, or failed. */
export type Phase = 'idle' | 'wait' | 'done' | 'failed'

/** [phase while waiting for matching, phase while waiting for enrichment] */
const PHASES = {
  created: ['idle', 'idle'],
  uploading: ['wait', 'wait'],
  uploadError: ['failed', 'failed'],
  uploaded: ['idle', 'idle'],
  ready: ['idle', 'idle'],
  matching: ['wait', 'wait'],
  matchingError: ['failed', 'failed'],
  matched: ['wait', 'idle'],
  addingToPortfolio: ['done', 'wait'],
  addedToPortfolio: ['done', 'done'],
  addedToPortfolioError: ['done', 'failed'],
  aggregating: ['wait', 'wait'],
  aggregatingComplete: ['wait', 'wait'],
  aggregatingError: ['failed', 'failed'],
  transformFileError: ['failed', 'failed'],
  generateTrilliumFileError: ['failed', 'failed'],
  jobMatchingComplete: ['done', 'idle'],
  jobMatchingCompletionError: ['failed', 'failed'],
  readyForEnriching: ['done', 'wait'],
  enriching: ['done', 'wait'],
  enrichmentError: ['done', 'failed'],
  enriched: ['done', 'wait'],
  enrichmentComplete: ['done', 'done'],
  enrichmentCompletionError: ['done', 'failed'],
  pdfGenerationError: ['done', 'failed'],
} as const satisfies Record<string, readonly [Phase, Phase]>

export type KnownStatus = keyof typeof PHASES

/** The 25 statuses of the contract, in its order. */
export const JOB_STATUSES = Object.keys(PHASES) as KnownStatus[]

export const isKnownStatus = (status: string): status is KnownStatus => Object.hasOwn(PHASES, status)

const plainWord = (status: string): string => status.replace(/[\s_-]/g, '').toLowerCase()

const SPELLINGS = new Map(JOB_STATUSES.map(status => [plainWord(status), status]))

/** A status in the spelling of the contract: upper and lower case, `_`, `-` and spaces make no other status. */
export const spellStatus = (status: string): string => SPELLINGS.get(plainWord(status)) ?? status

const findPhase = (status: string, column: 0 | 1): Phase => {
  if (isKnownStatus(status)) return PHASES[status][column]
  return /(?:Error|Failed)$/.test(status) ? 'failed' : 'wait'
}

/**
 * The phase of a status for the matching stage. `matched` is done when no enrichment is asked, and waits otherwise
 * (contract §14.1). An unknown word that ends in Error or Failed is a failure, any other unknown word waits.
 */
export const matchPhase = (status: string, enrichmentAsked: boolean): Phase =>
  status === 'matched' && !enrichmentAsked ? 'done' : findPhase(status, 0)

/** The phase of a status for the enrichment stage: `idle` means that enriching is still to be asked for. */
export const enrichPhase = (status: string): Phase => findPhase(status, 1)

/** The statuses of a job without errors and without a portfolio, in order (contract §14.1). */
const WALK: readonly string[] = JOB_STATUSES.filter(status => !/Portfolio|Error$/.test(status))

/** Whether a job went backwards from one status to another; false for statuses outside the usual order. */
export const goesBack = (from: string, to: string): boolean => WALK.includes(to) && WALK.indexOf(to) < WALK.indexOf(from)

const BEFORE_UPLOAD = new Set(['created', 'uploading', 'uploadError'])
const BEFORE_SUBMIT = new Set([...BEFORE_UPLOAD, 'uploaded', 'ready'])
const ENRICHING = new Set([
  'enriching',
  'enriched',
  'enrichmentComplete',
  'enrichmentError',
  'enrichmentCompletionError',
  'pdfGenerationError',
])

/** A file has arrived: `uploaded` or anything that comes after it. */
export const hasUpload = (status: string): boolean => !BEFORE_UPLOAD.has(status)

/** Matching has been asked for: the job is past `ready`. */
export const hasSubmission = (status: string): boolean => !BEFORE_SUBMIT.has(status)

/**
 * Enriching has certainly been asked for. `readyForEnriching` does not prove it: choosing the tags may already lead there
 * (contract §5.6).
 */
export const hasEnrichment = (status: string): boolean => ENRICHING.has(status)
