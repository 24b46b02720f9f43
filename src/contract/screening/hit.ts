/** Hits of AML searches on the wire: contract §6.4 to §6.7. Answers keep unknown fields; requests are strict. */
import { z } from 'zod'
import { wireDate, zonedDate } from '../dates.ts'
import { fieldsOf, lazy, needsOneOf, orNull, wholeNumber, written } from '../schemas.ts'
import { answeredDate, makeBatch, oneWord, pageOf, uuid } from './search.ts'
import { HIT_DECISIONS, REQUESTED_DECISIONS } from './words.ts'

const text = orNull(z.string())
const list = z.array(z.string()).nullish()
const texts = <Name extends string>(...names: readonly Name[]) => fieldsOf(text, ...names)

export const hitSource = lazy(() =>
  z.looseObject({
    ...texts('title', 'description', 'link', 'dateAdded'),
    isCopyrighted: z.boolean().or(z.string()).nullish(),
    ...texts('datePublished', 'documentLink'),
    datasets: list,
  }),
)

const event = lazy(() =>
  z.looseObject({
    ...texts('id', 'type', 'date'),
    amount: orNull(z.number().int()),
    ...texts('currencyCode', 'duration'),
    sources: z.array(hitSource).nullish(),
  }),
)

const makeEntry = <Value extends z.ZodType>(value: Value) =>
  z.looseObject({
    events: z.array(event).nullish(),
    sources: z.array(hitSource).nullish(),
    type: z.string().optional(),
    value: value.nullish(),
  })

const category = lazy(() => makeEntry(z.looseObject(texts('category', 'subCategory'))))

const insolvency = lazy(() =>
  makeEntry(
    z.looseObject({
      ...texts('insolvencyIdNumber', 'type', 'debtAmount'),
      ...fieldsOf(orNull(wireDate), 'startDate', 'endDate'),
      caseReferenceNumbers: list,
      solicitor: text,
      court: z
        .looseObject({ ...texts('name', 'petitioner'), ...fieldsOf(orNull(wireDate), 'hearingDate', 'petitionPresentedDate') })
        .nullish(),
      ...fieldsOf(orNull(wireDate), 'orderDate', 'gazetteIssuedDate', 'awardDate'),
    }),
  ),
)

const interest = lazy(() =>
  makeEntry(
    z.looseObject({
      category: text,
      positions: z.array(z.looseObject(texts('name', 'segment', 'country', 'fromDate', 'toDate'))).nullish(),
    }),
  ),
)

const sanction = lazy(() =>
  makeEntry(
    z.looseObject({
      ...texts('sanctionId', 'issuingBody', 'origin'),
      ...fieldsOf(list, 'sanctionTypes', 'measures'),
      regime: text,
    }),
  ),
)

const disqualified = lazy(() =>
  makeEntry(
    z.looseObject({
      referenceNumber: text,
      ...fieldsOf(orNull(wireDate), 'fromDate', 'toDate'),
      organisations: list,
      reason: text,
    }),
  ),
)

const exposed = lazy(() => makeEntry(z.looseObject(texts('country', 'position', 'fromDate', 'toDate', 'segment'))))

const linked = lazy(() =>
  makeEntry(
    z.looseObject({
      ...texts('firstName', 'middleName', 'lastName', 'relationship'),
      ownershipPercentage: orNull(z.number().int()),
      datasets: list,
    }),
  ),
)

const common = {
  ...fieldsOf(z.array(category).nullish(), 'AM', 'ENF'),
  INS: z.array(insolvency).nullish(),
  POI: z.array(interest).nullish(),
  SAN: z.looseObject(fieldsOf(z.array(sanction).nullish(), 'CURRENT', 'FORMER')).nullish(),
}

export const individualResults = lazy(() =>
  z.looseObject({
    ...common,
    DD: z.array(disqualified).nullish(),
    PEP: z
      .looseObject({
        ...fieldsOf(z.array(exposed).nullish(), 'CURRENT', 'FORMER'),
        LINKED: z.array(linked).nullish(),
      })
      .nullish(),
  }),
)

/** What a business is known for; state ownership is one entry. */
export const businessResults = lazy(() =>
  z.looseObject({ ...common, SOE: makeEntry(z.looseObject(texts('type', 'level'))).nullish() }),
)

export const hitFields = {
  id: uuid,
  hitScore: wholeNumber(),
  ...fieldsOf(z.string().nullish(), 'name', 'match', 'note'),
  ...fieldsOf(list, 'countries', 'datasets'),
  ...fieldsOf(zonedDate.nullish(), 'modifiedAt', 'createdAt'),
  modifiedById: z.number().int().nullish(),
  modifiedBy: z.string().nullish(),
  decision: oneWord(HIT_DECISIONS),
}

export const personFields = {
  ...fieldsOf(z.string().nullish(), 'firstName', 'middleName', 'lastName'),
  gender: text,
  datesOfBirth: z.array(answeredDate).nullish(),
  profileImages: list,
  pepTier: z.string().nullish(),
}

const withSuperseded = <Shape extends z.core.$ZodLooseShape>(fields: Shape) =>
  z.looseObject({ ...fields, supersededHit: z.looseObject(fields).nullish(), correlationId: z.string().optional() })

/** A business hit in lists and after an update. */
export const businessHit = lazy(() => withSuperseded(hitFields))

/** An individual hit in lists and after an update. */
export const individualHit = lazy(() => withSuperseded({ ...hitFields, ...personFields }))

const address = lazy(() => z.looseObject(texts('postalCode', 'line1', 'line2', 'type', 'county', 'countryCode', 'city')))
const typed = lazy(() => z.looseObject(texts('type', 'value')))
const ownership = { relationship: text, ownershipPercentage: orNull(z.number().int()), datasets: list }
const individualLink = lazy(() => z.looseObject({ ...ownership, ...texts('firstName', 'middleName', 'lastName') }))

const fullFields = {
  ...hitFields,
  ...fieldsOf(list, 'profileImages', 'screeningNotes'),
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
    aliases: z.array(z.looseObject(texts('type', 'firstName', 'middleName', 'lastName'))).nullish(),
    amlResults: individualResults.nullish(),
  }),
)

export const businessHitFull = lazy(() =>
  z.looseObject({
    ...fullFields,
    aliases: z.array(z.looseObject(texts('type', 'name'))).nullish(),
    description: text,
    ...fieldsOf(list, 'businessTypes', 'activities'),
    amlResults: businessResults.nullish(),
  }),
)

const note = z.string().max(10_000).nullish()

/** Body of a decision on one hit; the word is read in any case (contract §14.3). */
export const decideHit = lazy(() =>
  z
    .strictObject({ decision: written(z.string().max(200), { type: 'string', enum: REQUESTED_DECISIONS }).nullish(), note })
    .refine(patch => (patch.decision ?? null) !== null || (patch.note ?? null) !== null, 'must hold a decision or a note')
    .meta(needsOneOf(['decision'], ['note'])),
)

export const noteHit = lazy(() => z.strictObject({ note: z.string().max(10_000).nullable() }))

/** One element of a batch of decisions; elements and their words are judged one by one, so that a wrong one fails alone. */
export const hitDecision = lazy(() =>
  z.strictObject({ hitId: z.string().min(1).max(200), decision: z.string().max(200).nullish(), note }),
)

export const decideHits = lazy(() => z.strictObject({ items: z.array(hitDecision) }))

/** The element of the batch that failed, as it was sent. */
const failedDecision = lazy(() => z.looseObject(fieldsOf(z.unknown().optional(), 'hitId', 'decision', 'note')))

export const businessHitBatch = lazy(() => makeBatch(failedDecision, businessHit))

export const individualHitBatch = lazy(() => makeBatch(failedDecision, individualHit))

export const businessHitPage = lazy(() => pageOf(businessHit))

export const individualHitPage = lazy(() => pageOf(individualHit))

/** Where the PDF of a hit can be fetched, and until when. */
export const hitDownload = lazy(() =>
  z.looseObject({
    downloadUrl: z.string().min(1),
    fileName: z.string(),
    expiresAt: zonedDate,
    ...fieldsOf(uuid.optional(), 'searchId', 'hitId'),
    correlationId: z.string().optional(),
  }),
)

export type BusinessHit = z.infer<typeof businessHit>
export type IndividualHit = z.infer<typeof individualHit>
export type BusinessHitFull = z.infer<typeof businessHitFull>
export type IndividualHitFull = z.infer<typeof individualHitFull>
