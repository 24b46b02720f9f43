/**
 * The decision engine: trees that are decision tables, decisions about companies and the log of them (contract §11.5). Where the description
 * leaves the content of an instance open, it is here what fettle's own service keeps: a decision table in `configurationVariables`.
 */
import { z } from 'zod'
import { zonedDate } from './dates.ts'
import { DOCUMENTED, defineOperations, get, patch, post, put } from './operation.ts'
import { day, fromOne, maybe, oneOf, plainName, text, truth, whole } from './query.ts'
import { fieldsOf, lazy, orNull, wholeNumber } from './schemas.ts'

const correlationId = z.string().optional()
const LARGEST = 2 ** 31 - 1

/** Positive, pending and negative: what a decision table decides. */
export const DECISION_STATUSES = { accept: 1, refer: 2, decline: 3 } as const
/** The statuses of a decision; 5 and 6 are approved and rejected by a person. */
const STATUSES = [1, 2, 3, 5, 6] as const

const status = z.literal(STATUSES, `must be one of ${STATUSES.join(', ')}`)
const outcome = z.looseObject({ status: wholeNumber(), ...fieldsOf(z.string().nullish(), 'label', 'description') })

const outcomes = {
  includeInManualReview: z.boolean().optional(),
  decisionOutcomes: z.looseObject({ items: z.array(outcome) }).optional(),
}

export const decisionInstancesReply = lazy(() =>
  z.looseObject({
    correlationId,
    instances: z.array(z.looseObject({ guid: z.string(), decisionTreeName: z.string().optional() })),
  }),
)

const anyMap = z.record(z.string(), z.unknown())

/** An instance; `version` counts its changes. */
export const decisionInstance = lazy(() =>
  z.looseObject({
    correlationId,
    ...fieldsOf(z.string().nullish(), 'templateId', 'guid', 'decisionTreeName'),
    customerId: wholeNumber().nullish(),
    ...fieldsOf(anyMap.nullish(), 'inputParams', 'configurationVariables', 'scalarVariables'),
    version: wholeNumber().optional(),
    modifiedDate: zonedDate.optional(),
  }),
)

/** Words that are paths themselves. */
const GUID = /^(?!(?:instances?|GUID|usageLog|decisionOutcome)$)[\w.-]{1,100}$/

/** Body of a change; what is absent stays. */
export const decisionInstanceBody = lazy(() =>
  z.strictObject({
    templateId: text(100),
    guid: z.string().regex(GUID, 'must be 1 to 100 letters, digits, points, hyphens and underscores'),
    decisionTreeName: plainName(200),
    customerId: z.number().int().optional(),
    ...fieldsOf(anyMap.optional(), 'inputParams', 'configurationVariables', 'scalarVariables'),
  }),
)

export const decisionTreesReply = lazy(() =>
  z.looseObject({
    correlationId,
    GUIDList: z.array(
      z.looseObject({
        GUID: z.string(),
        ...fieldsOf(z.string().optional(), 'friendlyName', 'type'),
        serviceLine: orNull(z.string()),
        ...outcomes,
      }),
    ),
  }),
)

export const decisionFieldsReply = lazy(() =>
  z.looseObject({
    correlationId,
    decisionEngineId: z.string(),
    fields: z.array(
      z.looseObject({
        orderIndex: wholeNumber().optional(),
        label: z.string().optional(),
        paramName: z.string(),
        fieldType: z.string().optional(),
        mandatory: z.boolean().optional(),
        ...fieldsOf(orNull(z.array(z.looseObject({}))), 'dropdownDetails', 'validation'),
      }),
    ),
  }),
)

/** Values of the fields of a tree, by their `paramName`. */
export const decisionInputs = lazy(() => z.looseObject({}))

const decided = {
  ...fieldsOf(z.string().nullish(), 'Decision', 'DecisionText'),
  Audits: z.array(z.looseObject(fieldsOf(orNull(z.string()), 'description', 'RuleName'))).nullish(),
  originationId: orNull(z.string()),
  statusCode: z.string().nullish(),
}

/** A decision: `statusCode` is a text of a number. Its log has the number. */
export const decisionReply = lazy(() => z.looseObject({ correlationId, ...decided }))

export type MadeDecision = z.infer<typeof decisionReply>

const logged = {
  decisionLogId: wholeNumber(),
  ...fieldsOf(z.string().optional(), 'provenirId', 'friendlyName'),
  userId: wholeNumber().optional(),
  companyId: z.string().optional(),
  companyName: orNull(z.string()),
  response: z.looseObject(decided).optional(),
  decisionDate: zonedDate.optional(),
  originationId: orNull(z.string()),
  status: wholeNumber().optional(),
  notes: orNull(z.string()),
  // Of fettle's own service: what the decision was made from.
  inputs: anyMap.optional(),
  rule: z.string().optional(),
  version: wholeNumber().optional(),
}

export const decisionLogsReply = lazy(() =>
  z.looseObject({ correlationId, totalCount: wholeNumber(), usageLog: z.array(z.looseObject(logged)) }),
)

/** A decision as it was made, with the status and the notes that people gave it since. */
export const decisionLog = lazy(() => z.looseObject({ correlationId, ...logged, modifiedDate: zonedDate.optional() }))

export const decisionLogBody = lazy(() =>
  z
    .strictObject({ statusCode: status.optional(), notes: z.string().max(5_000).optional() })
    .refine(given => Object.keys(given).length > 0, 'needs statusCode or notes')
    .meta({ minProperties: 1 }),
)

export const decisionOutcomeReply = lazy(() => z.looseObject({ correlationId, ...outcomes }))

export const decisionOutcomeBody = lazy(() =>
  z
    .strictObject({
      includeInManualReview: z.boolean().optional(),
      decisionOutcomes: z
        .array(z.strictObject({ status, label: text(100), description: z.string().max(1_000).optional() }))
        .max(STATUSES.length)
        .optional(),
    })
    .refine(given => Object.keys(given).length > 0, 'needs includeInManualReview or decisionOutcomes')
    .meta({ minProperties: 1 }),
)

export const decisionMessage = lazy(() => z.looseObject({ correlationId, message: z.string() }))

const number = whole(0, LARGEST).optional()
const TYPES = ['Credit Approval', 'Bespoke', 'Demo'] as const

export const DECISION_ENGINE = defineOperations({
  listDecisionInstances: get('/decisionEngine/instances', {
    query: lazy(() => z.looseObject({ customerId: number, userId: number })),
    reply: decisionInstancesReply,
    summary: 'List the instances of decision trees.',
  }),
  readDecisionInstance: get('/decisionEngine/instance/{guid}', {
    reply: decisionInstance,
    summary: 'Read the configuration of a decision tree.',
  }),
  changeDecisionInstance: put('/decisionEngine/instance/{guid}', {
    request: decisionInstanceBody,
    reply: decisionInstance,
    summary: 'Change a decision tree.',
  }),
  listDecisionTrees: get('/decisionEngine/GUID', {
    query: lazy(() =>
      z.looseObject({
        type: oneOf(TYPES),
        sortBy: oneOf(['friendlyName']),
        sortDir: oneOf(['asc', 'desc']),
        decisionOutcome: truth,
      }),
    ),
    reply: decisionTreesReply,
    errors: [400, 401],
    summary: 'List the decision trees that can be run.',
  }),
  listDecisionFields: get('/decisionEngine/{provenirId}/userDataFields', {
    reply: decisionFieldsReply,
    summary: 'List the fields that a decision tree takes.',
  }),
  runDecision: post('/decisionEngine/{provenirId}', {
    query: lazy(() => z.looseObject({ companyId: text(200), originationId: maybe(200) })),
    request: decisionInputs,
    reply: decisionReply,
    repeat: 'never',
    summary: 'Decide about a company by a decision tree; may cost a credit.',
  }),
  listDecisionLogs: get('/decisionEngine/usageLog', {
    query: lazy(() =>
      z.looseObject({
        ...fieldsOf(maybe(200), 'provenirId', 'companyId', 'companyName'),
        status: number,
        fromDate: day,
        toDate: day,
        ...fromOne(),
      }),
    ),
    reply: decisionLogsReply,
    pages: { first: 1, items: 'usageLog' },
    errors: [400, 401],
    summary: 'List the decisions, last first.',
  }),
  readDecisionLog: get('/decisionEngine/usageLog/{decisionLogId}', {
    reply: decisionLog,
    summary: 'Read a decision.',
  }),
  changeDecisionLog: patch('/decisionEngine/usageLog/{decisionLogId}', {
    request: decisionLogBody,
    reply: decisionLog,
    summary: 'Set the status or the notes of a decision.',
  }),
  readDecisionOutcome: get('/decisionEngine/decisionOutcome/{guid}', {
    reply: decisionOutcomeReply,
    summary: 'Read the outcomes of a decision tree.',
  }),
  changeDecisionOutcome: patch('/decisionEngine/decisionOutcome/{guid}', {
    request: decisionOutcomeBody,
    reply: decisionMessage,
    errors: DOCUMENTED,
    summary: 'Change the outcomes of a decision tree.',
  }),
})
