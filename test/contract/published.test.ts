/**
 * Types of the published description that earlier versions of the service did not keep: its answers are compared with our own description
 * by the contract suite, and this table compares the description with facts of the published one.
 */
import { expect, test } from 'vitest'
import { OPERATIONS, OTHER_GROUPS, RETIRED } from '../../src/contract/index.ts'
import { openApi } from '../../src/service/docs/openapi.ts'
import { PLAY_NAMES, PLAYS } from '../../src/service/plays.ts'
import published from './published/operations.json' with { type: 'json' }

const text = { type: 'string' }
const time = { type: 'string', format: 'date-time' }
const texts = { type: 'array', items: { type: 'string' } }
const number = { type: 'integer', format: 'int32' }

/** Null in lists, where nothing is known. */
const orNull = (form: { readonly type: string; readonly format?: string }) => ({ ...form, type: [form.type, 'null'] })

/** A dot leads into an object, [] into the elements of a list. */
const FACTS = [
  ...(['assignedUser', 'note'] as const).map(field => ['BusinessSearch', field, orNull(text)] as const),
  ['BusinessSearch', 'assignedToUserId', orNull(number)],
  ['BusinessSearch', 'scheduleId', orNull({ type: 'string', format: 'uuid' })],
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

/** Named by the specification, or a part of it that the published description does not have; without the names of parameters. */
const SPECIFIED = [
  ...(['GET /companies/global', 'PATCH /monitoring/notificationEvents/{}'] as const),
  'PATCH /monitoring/portfolios/{}/notificationEvents/{}',
  ...['businesses', 'individuals'].flatMap(kind => [
    `GET /compliance/kyc-protect/searches/${kind}/{}/hits/{}/download`,
    `PUT /compliance/kyc-protect/searches/${kind}/{}/hits/{}/note`,
  ]),
  ...['', '/searchcriteria', '/{}'].map(path => `GET /localSolutions/DE/nonLtdCompanies${path}`),
  'GET /localSolutions/GB/bankVerification/sortCode/{}',
]

test('the tables have the operations of the published description and of the specification', () => {
  const nameless = ({ method, path }: { readonly method: string; readonly path: string }) =>
    `${method} ${path.replace(/\{\w+\}/g, '{}')}`
  const described = Object.entries(published).flatMap(([path, methods]) =>
    methods.split(' ').map(method => nameless({ method, path })),
  )
  expect(described.length).toBeGreaterThan(200)
  const isCurrent = (row: string): boolean => !row.includes(` ${RETIRED}`)
  const known = [...Object.values(OPERATIONS), ...OTHER_GROUPS].map(nameless)
  expect(known.filter(isCurrent).sort()).toEqual([...described.filter(isCurrent), ...SPECIFIED].sort())
})
