/** What a hit is known for: `amlResults` and its nested objects (contract §6.4, §6.5). Answers keep unknown fields. */
import { z } from 'zod'
import { wireDate } from '../dates.ts'
import { lazy } from '../lazy.ts'
import { orNull } from '../written.ts'

const text = orNull(z.string())
const texts = z.array(z.string()).nullish()

export const hitSource = lazy(() =>
  z.looseObject({
    title: text,
    description: text,
    link: text,
    dateAdded: text,
    isCopyrighted: z.boolean().or(z.string()).nullish(),
    datePublished: text,
    documentLink: text,
    datasets: texts,
  }),
)

const event = lazy(() =>
  z.looseObject({
    id: text,
    type: text,
    date: text,
    amount: orNull(z.number().int()),
    currencyCode: text,
    duration: text,
    sources: z.array(hitSource).nullish(),
  }),
)

const entryOf = <Value extends z.ZodType>(value: Value) =>
  z.looseObject({
    events: z.array(event).nullish(),
    sources: z.array(hitSource).nullish(),
    type: z.string().optional(),
    value: value.nullish(),
  })

const category = lazy(() => entryOf(z.looseObject({ category: text, subCategory: text })))

const insolvency = lazy(() =>
  entryOf(
    z.looseObject({
      insolvencyIdNumber: text,
      type: text,
      debtAmount: text,
      startDate: orNull(wireDate),
      endDate: orNull(wireDate),
      caseReferenceNumbers: z.array(z.string()).nullish(),
      solicitor: text,
      court: z
        .looseObject({ name: text, petitioner: text, hearingDate: orNull(wireDate), petitionPresentedDate: orNull(wireDate) })
        .nullish(),
      orderDate: orNull(wireDate),
      gazetteIssuedDate: orNull(wireDate),
      awardDate: orNull(wireDate),
    }),
  ),
)

const interest = lazy(() =>
  entryOf(
    z.looseObject({
      category: text,
      positions: z.array(z.looseObject({ name: text, segment: text, country: text, fromDate: text, toDate: text })).nullish(),
    }),
  ),
)

const sanction = lazy(() =>
  entryOf(
    z.looseObject({
      sanctionId: text,
      issuingBody: text,
      origin: text,
      sanctionTypes: texts,
      measures: z.array(z.string()).nullish(),
      regime: text,
    }),
  ),
)

const disqualified = lazy(() =>
  entryOf(
    z.looseObject({
      referenceNumber: text,
      fromDate: orNull(wireDate),
      toDate: orNull(wireDate),
      organisations: z.array(z.string()).nullish(),
      reason: text,
    }),
  ),
)

const exposed = lazy(() => entryOf(z.looseObject({ country: text, position: text, fromDate: text, toDate: text, segment: text })))

const linked = lazy(() =>
  entryOf(
    z.looseObject({
      firstName: text,
      middleName: text,
      lastName: text,
      relationship: text,
      ownershipPercentage: orNull(z.number().int()),
      datasets: z.array(z.string()).nullish(),
    }),
  ),
)

const common = {
  AM: z.array(category).nullish(),
  ENF: z.array(category).nullish(),
  INS: z.array(insolvency).nullish(),
  POI: z.array(interest).nullish(),
  SAN: z.looseObject({ CURRENT: z.array(sanction).nullish(), FORMER: z.array(sanction).nullish() }).nullish(),
}

export const individualResults = lazy(() =>
  z.looseObject({
    ...common,
    DD: z.array(disqualified).nullish(),
    PEP: z
      .looseObject({
        CURRENT: z.array(exposed).nullish(),
        FORMER: z.array(exposed).nullish(),
        LINKED: z.array(linked).nullish(),
      })
      .nullish(),
  }),
)

/** What a business is known for; state ownership is one entry. */
export const businessResults = lazy(() =>
  z.looseObject({
    ...common,
    SOE: entryOf(z.looseObject({ type: text, level: text })).nullish(),
  }),
)
