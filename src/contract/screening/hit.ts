/** Hits of AML searches on the wire: contract §6.4 to §6.7. Answers keep unknown fields; requests are strict. */
import { z } from 'zod'
import { zonedDate } from '../dates.ts'
import { lazy } from '../lazy.ts'
import { needsOneOf, orNull, wholeNumber, written } from '../written.ts'
import { businessResults, hitSource, individualResults } from './aml-results.ts'
import { answeredDate, batchOf, oneWord, pageOf, uuid } from './search.ts'
import { HIT_DECISIONS, REQUESTED_DECISIONS } from './words.ts'

const text = orNull(z.string())
const texts = z.array(z.string()).nullish()

const hitFields = {
  id: uuid,
  hitScore: wholeNumber(),
  name: z.string().nullish(),
  match: z.string().nullish(),
  note: z.string().nullish(),
  countries: texts,
  datasets: texts,
  modifiedAt: zonedDate.nullish(),
  createdAt: zonedDate.nullish(),
  modifiedById: z.number().int().nullish(),
  modifiedBy: z.string().nullish(),
  decision: oneWord(HIT_DECISIONS),
}

const personFields = {
  firstName: z.string().nullish(),
  middleName: z.string().nullish(),
  lastName: z.string().nullish(),
  gender: text,
  datesOfBirth: z.array(answeredDate).nullish(),
  profileImages: texts,
  pepTier: z.string().nullish(),
}

const withSuperseded = <Shape extends z.core.$ZodLooseShape>(fields: Shape) =>
  z.looseObject({ ...fields, supersededHit: z.looseObject(fields).nullish(), correlationId: z.string().optional() })

/** A business hit in lists and after an update. */
export const businessHit = lazy(() => withSuperseded(hitFields))

/** An individual hit in lists and after an update. */
export const individualHit = lazy(() => withSuperseded({ ...hitFields, ...personFields }))

const address = lazy(() =>
  z.looseObject({
    postalCode: text,
    line1: text,
    line2: text,
    type: text,
    county: text,
    countryCode: text,
    city: text,
  }),
)
const typed = lazy(() => z.looseObject({ type: text, value: text }))
const ownership = { relationship: text, ownershipPercentage: orNull(z.number().int()), datasets: texts }
const individualLink = lazy(() => z.looseObject({ ...ownership, firstName: text, middleName: text, lastName: text }))

const fullFields = {
  ...hitFields,
  profileImages: texts,
  screeningNotes: texts,
  identifiers: z.array(typed).nullish(),
  addresses: z.array(address).nullish(),
  contacts: z.array(typed).nullish(),
  businessLinks: z
    .array(z.looseObject({ ...ownership, name: text, individualLinks: z.array(individualLink).nullish() }))
    .nullish(),
  individualLinks: z.array(individualLink).nullish(),
  sources: z.array(hitSource).nullish(),
  correlationId: z.string().optional(),
}

export const individualHitFull = lazy(() =>
  z.looseObject({
    ...fullFields,
    ...personFields,
    datesOfDeath: z.array(answeredDate).nullish(),
    isDeceased: z.boolean().nullish(),
    aliases: z.array(z.looseObject({ type: text, firstName: text, middleName: text, lastName: text })).nullish(),
    amlResults: individualResults.nullish(),
  }),
)

export const businessHitFull = lazy(() =>
  z.looseObject({
    ...fullFields,
    aliases: z.array(z.looseObject({ type: text, name: text })).nullish(),
    description: text,
    businessTypes: texts,
    activities: texts,
    amlResults: businessResults.nullish(),
  }),
)

const note = z.string().max(10_000).nullish()

/** Body of a decision on one hit; the word is read in any case (contract §14.3). */
export const decideHit = lazy(() =>
  z
    .strictObject({ decision: written(z.string().max(200), { type: 'string', enum: REQUESTED_DECISIONS }).nullish(), note })
    .refine(one => (one.decision ?? null) !== null || (one.note ?? null) !== null, 'must hold a decision or a note')
    .meta(needsOneOf(['decision'], ['note'])),
)

export const noteHit = lazy(() => z.strictObject({ note: z.string().max(10_000).nullable() }))

/** One element of a batch of decisions; elements and their words are judged one by one, so that a wrong one fails alone. */
export const hitDecision = lazy(() =>
  z.strictObject({ hitId: z.string().min(1).max(200), decision: z.string().max(200).nullish(), note }),
)

export const decideHits = lazy(() => z.strictObject({ items: z.array(hitDecision) }))

const anything = z.unknown().optional()

/** The element of the batch that failed, as it was sent. */
const failedDecision = lazy(() => z.looseObject({ hitId: anything, decision: anything, note: anything }))

export const businessHitBatch = lazy(() => batchOf(failedDecision, businessHit))

export const individualHitBatch = lazy(() => batchOf(failedDecision, individualHit))

export const businessHitPage = lazy(() => pageOf(businessHit))

export const individualHitPage = lazy(() => pageOf(individualHit))

/** Where the PDF of a hit can be fetched, and until when. */
export const hitDownload = lazy(() =>
  z.looseObject({
    downloadUrl: z.string().min(1),
    fileName: z.string(),
    expiresAt: zonedDate,
    searchId: uuid.optional(),
    hitId: uuid.optional(),
    correlationId: z.string().optional(),
  }),
)

export type BusinessHit = z.infer<typeof businessHit>
export type IndividualHit = z.infer<typeof individualHit>
export type BusinessHitFull = z.infer<typeof businessHitFull>
export type IndividualHitFull = z.infer<typeof individualHitFull>
