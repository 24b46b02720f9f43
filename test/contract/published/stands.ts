/** Where requests and answers differ from the published description, each with the sentence of the specification that wins over it. */

/** Operation, status or `request`, and place with keyword; `*` is any text. */
type Row = readonly [operations: readonly string[], where: string, what: readonly string[], sentence: string]

const JOBS = ['createJob', 'listJobs', 'readJob', 'archive', 'upload'] as const
const TEXTS = 'The response field listing of string values is an array of strings (2025-02-10: corrected from a string).'

export const STANDS: readonly Row[] = [
  // The samples of the description have no zone, either.
  [
    JOBS,
    '200',
    ['*/createdAt format date-time', '*/modifiedAT format date-time', '*/modifiedAt format date-time'],
    '`date-time` is an ISO 8601 timestamp.',
  ],
  [
    JOBS,
    '200',
    ['countryCode type string', 'portfolioId type string', 'jobSummary type object', 'jobEnrichmentSettings type object'].map(
      one => `*/${one}`,
    ),
    'Available after enrichment: before it the play writes null.',
  ],
  [
    ['readBusinessHit', 'readIndividualHit'],
    '200',
    ['*/sanctionTypes type string or null', '*/datasets type string or null'],
    TEXTS,
  ],
  [['listIndividualHits'], '200', ['*/profileImages type string or null'], 'profileImages: array of string.'],
  [
    ['decideBusinessHit'],
    '200',
    ['name', 'match', 'note', 'modifiedBy'].map(one => `/supersededHit/${one} type object`),
    '`supersededHit` (object with the same fields except `supersededHit` and `correlationId`): `name`, `match`, `note`, `modifiedBy` are strings.',
  ],
  [['updateIndividualSearches'], 'request', ['/items/[]/riskRating type object'], 'riskRating: string.'],
  [['listCompanyNotificationEvents'], '200', ['status'], 'Response: Paged event list.'],
]

/** What only requests that the description does not allow are answered with. */
const REFUSALS: readonly Row[] = [
  // The element that failed is repeated as it was sent.
  [
    ['\\w+Searches', '\\w+Hits', '\\w+Schedules'],
    '200',
    ['/failed/[]/failedItem/*'],
    'Element fields of `failed` and `successful`: not shown.',
  ],
  [['\\w+'], '4..', ['status'], 'Error status codes per endpoint: not shown.'],
  [['removeCompany'], '404', ['type string'], 'Error response body shape: not shown.'],
]

const FORMS = [...STANDS, ...REFUSALS].map(row => {
  const [operations, where, what] = row
  const form = (text: string): string => text.replace(/[.[\](){}+?^$|\\]/g, '\\$&').replaceAll('*', '.*')
  return { row, form: new RegExp(`^(?:${operations.join('|')}) ${where} (?:${what.map(form).join('|')})$`) }
})

/** The row that a violation belongs to. */
export const rowOf = (violation: string): Row | undefined => FORMS.find(({ form }) => form.test(violation))?.row
