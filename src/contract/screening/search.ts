/** AML searches on the wire: contract §6.1 to §6.3. Answers keep unknown fields; requests are strict. */
import { z } from 'zod'
import { zonedDate } from '../dates.ts'
import { PLAIN_TEXT, plainName } from '../query.ts'
import { fieldsOf, lazy, needsOneOf, optionalTexts, orNull, written } from '../schemas.ts'
import { DATASETS, isDataset, RISK_RATINGS, SEARCH_STATUSES, THRESHOLDS } from './words.ts'

const count = z.number().int().nonnegative()

/** `YYYY` or `YYYY-MM-DD` (contract §2.2). */
export const amlDate = z.string().regex(/^\d{4}(?:-\d{2}-\d{2})?$/, 'must be YYYY or YYYY-MM-DD')

/** The same in an answer, kept as text: lists hold months, and times of day. */
export const answeredDate = z.string().describe('date; a month or a year where no more is known')

/** Longest name of a search; of a person counted as `{lastName} {firstName} {middleName}` (contract §12). */
const LONGEST_NAME = 200

const plain = z.string().max(LONGEST_NAME).regex(PLAIN_TEXT, 'must not hold control characters')

const name = plainName(LONGEST_NAME)

export const datasets = written(
  z
    .array(z.string().max(40))
    .max(50)
    .refine(codes => codes.some(isDataset), 'must hold at least one dataset code'),
  {
    ...{ type: 'array', minItems: 1, maxItems: 50, items: { type: 'string', maxLength: 40 } },
    // Other codes are ignored.
    contains: { enum: Object.keys(DATASETS) },
  },
)

/** The service checks the codes, which may be in any case. */
const countryCodes = written(z.array(z.string().regex(/^[A-Za-z]{2}$/, 'must be an ISO 3166 alpha-2 code')).max(300), {
  ...{ type: 'array', maxItems: 300 },
  items: { $ref: '#/components/schemas/CountryCode' },
})

export const createBusinessSearch = lazy(() =>
  z.strictObject({ name, threshold: z.literal(THRESHOLDS), datasets, countryCodes: countryCodes.nullish() }),
)

/** Body of a new individual search: `name`, or `firstName` and `lastName`. */
export const createIndividualSearch = lazy(() =>
  z
    .strictObject({
      threshold: z.number().int().min(1).max(100),
      datasets,
      name: name.nullish(),
      firstName: name.nullish(),
      middleName: plain.nullish(),
      lastName: name.nullish(),
      countryCodes: countryCodes.nullish(),
      dateOfBirth: amlDate.nullish(),
      gender: z.enum(['male', 'female']).nullish(),
      pepTiers: z.array(z.enum(['pepTier1', 'pepTier2', 'pepTier3'])).nullish(),
      isDobRequired: z.boolean().optional(),
    })
    .refine(
      search => (search.name ?? null) !== null || ((search.firstName ?? null) !== null && (search.lastName ?? null) !== null),
      {
        path: ['name'],
        error: 'is needed, or firstName and lastName',
      },
    )
    .refine(search => joinFullName(search).length <= LONGEST_NAME, {
      path: ['name'],
      error: `is longer than ${LONGEST_NAME} characters`,
    })
    .refine(search => search.isDobRequired !== true || (search.dateOfBirth ?? null) !== null, {
      path: ['dateOfBirth'],
      error: 'is needed where isDobRequired is true',
    })
    .meta({
      ...needsOneOf(['name'], ['firstName', 'lastName']),
      dependentSchemas: {
        isDobRequired: { if: { properties: { isDobRequired: { enum: [false, null] } } }, else: needsOneOf(['dateOfBirth']) },
      },
    }),
)

/** The name a search for a person goes by and is measured by: `{lastName} {firstName} {middleName}`, or `name`. */
export const joinFullName = (partial: Partial<Record<'name' | 'firstName' | 'middleName' | 'lastName', string | null>>): string =>
  partial.name ?? [partial.lastName, partial.firstName, partial.middleName].filter(part => (part ?? '') !== '').join(' ')

/** Ours are UUIDs. */
export const uuid = written(z.string().min(1), { type: 'string', format: 'uuid' })

/** A word of a known list. */
export const oneWord = (words: readonly string[]) => written(z.string(), { type: 'string', enum: words })

export const businessSearch = lazy(() =>
  z.looseObject({
    id: uuid,
    name: z.string().nullish(),
    countryCodes: z.array(z.string()).nullish(),
    threshold: z.number().int(),
    type: z.string().optional(),
    datasets: z.array(z.string()),
    status: oneWord(SEARCH_STATUSES),
    riskRating: oneWord(RISK_RATINGS).nullish(),
    assignedToUserId: orNull(z.number().int()),
    assignedUser: orNull(z.string()),
    createdById: z.number().int().optional(),
    createdBy: z.string().optional(),
    createdAt: zonedDate.optional(),
    modifiedById: z.number().int().nullish(),
    modifiedBy: z.string().nullish(),
    modifiedAt: zonedDate.nullish(),
    note: orNull(z.string()),
    scheduleId: orNull(uuid),
    ...fieldsOf(count.optional(), 'totalHitCount', 'truePositiveHitsCount', 'falsePositiveHitsCount', 'undecidedHitsCount'),
    listsKey: z
      .string()
      .optional()
      .describe("The lists that were searched. fettle's own service writes it for a new search; the interface does not know it."),
    correlationId: z.string().optional(),
  }),
)

export const individualSearch = businessSearch.extend({
  ...fieldsOf(orNull(z.string()), 'firstName', 'middleName', 'lastName', 'gender'),
  dateOfBirth: orNull(answeredDate),
  pepTiers: z.array(z.string()).nullish(),
  isDobRequired: z.boolean().nullish(),
})

const userId = z.number().int().nonnegative().nullish()
const note = z.string().max(10_000).nullish()

/** Body of the update of one business search; what is absent or null stays unchanged. */
export const updateBusinessSearch = lazy(() =>
  z.strictObject({
    assignedToUserId: userId,
    status: z.enum(SEARCH_STATUSES).nullish(),
    riskRating: z.enum(RISK_RATINGS).nullish(),
    note,
  }),
)

/** The same of a search for a person, where status and rating are required. */
export const updateIndividualSearch = updateBusinessSearch.extend({
  status: z.enum(SEARCH_STATUSES),
  riskRating: z.enum(RISK_RATINGS),
})

/** One element of a batch; elements and their words are judged one by one, so that a wrong one fails alone. */
export const searchUpdate = lazy(() =>
  z.strictObject({
    searchId: z.string().min(1).max(200),
    riskRating: z.string().max(200).nullish(),
    assignedToUserId: userId,
    status: z.string().max(200).nullish(),
    note,
  }),
)

export const updateSearches = lazy(() => z.strictObject({ items: z.array(searchUpdate) }))

/** Why one element of a batch was refused (RFC 7807). */
const itemError = lazy(() =>
  z.looseObject({
    ...optionalTexts('type', 'title'),
    status: z.number().int().optional(),
    ...optionalTexts('detail', 'instance'),
  }),
)

/** The answer of a batch: what was refused with its element, and what was done. */
export const makeBatch = <Item extends z.ZodType, Done extends z.ZodType>(item: Item, done: Done) =>
  z.looseObject({
    failed: z.array(z.looseObject({ failedItem: item, error: itemError })),
    successful: z.array(done),
    correlationId: z.string().optional(),
  })

const anything = z.unknown().optional()

/** The element of the batch that failed, as it was sent. */
const failedUpdate = lazy(() => z.looseObject(fieldsOf(anything, 'searchId', 'riskRating', 'assignedToUserId', 'status', 'note')))

export const businessSearchBatch = lazy(() => makeBatch(failedUpdate, businessSearch))

export const individualSearchBatch = lazy(() => makeBatch(failedUpdate, individualSearch))

export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.looseObject({ items: z.array(item), totalSize: count, correlationId: z.string().optional() })

export const businessSearchPage = lazy(() => pageOf(businessSearch))

export const individualSearchPage = lazy(() => pageOf(individualSearch))

export type BusinessSearch = z.infer<typeof businessSearch>
export type IndividualSearch = z.infer<typeof individualSearch>
export type NewIndividualSearch = z.infer<typeof createIndividualSearch>
export type SearchUpdate = z.infer<typeof searchUpdate>
