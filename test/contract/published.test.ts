/**
 * Types of the published description that earlier versions of the service did not keep: its answers are compared with our own description
 * by the contract suite, and this table compares the description with facts of the published one.
 */
import { expect, test } from 'vitest'
import { openApi } from '../../src/service/docs/openapi.ts'
import { PLAY_NAMES, PLAYS } from '../../src/service/plays.ts'

const text = { type: 'string' }
const time = { type: 'string', format: 'date-time' }
const texts = { type: 'array', items: { type: 'string' } }
const number = { type: 'integer', format: 'int32' }

/** A dot leads into an object, [] into the elements of a list. */
const FACTS = [
  ...(['assignedUser', 'note'] as const).map(field => ['BusinessSearch', field, text] as const),
  ['BusinessSearch', 'assignedToUserId', number],
  ['BusinessSearch', 'scheduleId', { type: 'string', format: 'uuid' }],
  ['IndividualHitFull', 'pepTier', text],
  ['IndividualHit', 'pepTier', text],
  // The specification wins where it says array of string since 2025-02-10.
  ['IndividualHitFull', 'datasets', texts],
  ['IndividualHitFull', 'profileImages', texts],
  ['ReportReply', 'dateOfOrder', time],
  ['Director', 'dateOfBirth', time],
  ['Director', 'resignationDate', time],
  ['Director', 'positions.[].dateAppointed', time],
  ['Director', 'gender', { type: 'string', enum: ['Male', 'Female', 'Unknown', 'NotApplicable'] }],
  ['FoundPerson', 'dateOfBirth', time],
  ['OwnUserReply', 'isActive', text],
  ['SharingReply', 'data.portfolioId', text],
  ['SharedReply', 'data.portfolioId', text],
] as const

// biome-ignore lint/suspicious/noExplicitAny: a schema of any form.
const fieldIn = (schema: any, path: string): unknown =>
  path.split('.').reduce((one, step) => (step === '[]' ? one?.items : one?.properties?.[step]), schema)

test.each(PLAY_NAMES)('%s: fields have the types of the published description', play => {
  const { components } = openApi('0.0.0', 'http://localhost/v1', PLAYS[play]) as {
    components: { schemas: Record<string, object> }
  }
  const { schemas } = components
  const offered = FACTS.filter(([name]) => Object.hasOwn(schemas, name))
  expect(offered.length).toBeGreaterThan(10)
  for (const [name, path, form] of offered) expect(fieldIn(schemas[name], path), `${name}.${path}`).toEqual(form)
})
