/** Schedules, which put AML searches under monitoring, and the alerts of them, on the wire. Answers keep unknown fields; requests are strict. */
import { z } from 'zod'
import { zonedDate } from '../dates.ts'
import { fieldsOf, lazy, orNull, written } from '../schemas.ts'
import { hitFields, personFields } from './hit.ts'
import { answeredDate, datasets, makeBatch, oneWord, pageOf, uuid } from './search.ts'
import { THRESHOLDS } from './words.ts'

const terms = {
  threshold: written(z.literal(THRESHOLDS), { type: 'integer', enum: [...THRESHOLDS] }).nullish(),
  datasets: datasets.nullish(),
  isEmailRequired: z.boolean().nullish(),
  emailRecipients: z.array(z.string().max(320)).max(100).nullish(),
}

const anyId = z.string().min(1).max(200)

/** Body of the change of one schedule; what is absent or null stays unchanged. */
export const updateSchedule = lazy(() => z.strictObject(terms))

/** One element of a batch; elements are judged one by one, so that a wrong one fails alone. */
export const scheduleRequest = lazy(() => z.strictObject({ searchId: anyId, ...terms }))
export const scheduleUpdate = lazy(() => z.strictObject({ scheduleId: anyId, ...terms }))

export const createSchedules = lazy(() => z.strictObject({ items: z.array(scheduleRequest) }))
export const updateSchedules = lazy(() => z.strictObject({ items: z.array(scheduleUpdate) }))
export const deleteSchedules = lazy(() => z.strictObject({ items: z.array(anyId) }))

/** A schedule with the criteria of its search; what they leave open is absent. */
export const schedule = lazy(() =>
  z.looseObject({
    id: uuid,
    searchId: uuid,
    isEmailRequired: z.boolean().optional(),
    emailRecipients: z.array(z.string()).nullish(),
    ...fieldsOf(z.number().int().optional(), 'createdById', 'modifiedById'),
    ...fieldsOf(z.string().optional(), 'createdBy', 'modifiedBy', 'type'),
    ...fieldsOf(zonedDate.optional(), 'createdAt', 'modifiedAt'),
    ...fieldsOf(z.string().nullish(), 'name', 'firstName', 'middleName', 'lastName', 'gender'),
    dateOfBirth: answeredDate.nullish(),
    threshold: z.number().int().optional(),
    ...fieldsOf(z.array(z.string()).nullish(), 'countries', 'datasets', 'pepTiers'),
    correlationId: z.string().optional(),
  }),
)

export const schedulePage = lazy(() => pageOf(schedule))

const failedTerms = fieldsOf(z.unknown().optional(), 'threshold', 'datasets', 'isEmailRequired', 'emailRecipients')
const anything = z.unknown().optional()

export const createdSchedules = lazy(() => makeBatch(z.looseObject({ searchId: anything, ...failedTerms }), schedule))
export const updatedSchedules = lazy(() => makeBatch(z.looseObject({ scheduleId: anything, ...failedTerms }), schedule))
export const deletedSchedules = lazy(() => makeBatch(z.string(), uuid))

/** A hit of a scheduled search; this service has no profiles and no key parties. */
export const scheduleAlert = lazy(() =>
  z.looseObject({
    ...hitFields,
    ...personFields,
    ...fieldsOf(uuid, 'searchId', 'scheduleId'),
    ...fieldsOf(orNull(uuid), 'profileId', 'keyPartyId'),
    searchType: oneWord(['individual', 'business']),
  }),
)

export const scheduleAlertPage = lazy(() => pageOf(scheduleAlert))

export type Schedule = z.infer<typeof schedule>
export type ScheduleAlert = z.infer<typeof scheduleAlert>
export type ScheduleTerms = z.infer<typeof updateSchedule>
