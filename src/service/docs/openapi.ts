/**
 * Generates the OpenAPI 3.1 description from the operations table and its schemas: what the service takes and what it writes, in the
 * play that it serves. Only the login needs no token.
 */

import { z } from 'zod'
import * as contract from '../../contract/index.ts'
import {
  INTERFACE_VERSION,
  JSON_SCHEMA_OPTIONS,
  type JsonSchema,
  OPERATIONS,
  type Operation,
  type OperationName,
  roleOf,
  type Side,
  writtenForm,
} from '../../contract/index.ts'
import { defined } from '../../defined.ts'
import { COUNTRIES } from '../../normalise/country.ts'
import { isOptionalBody } from '../http/route.ts'
import { PLAYS, type Play } from '../plays.ts'

const TAGS = [
  ['/authenticate', 'login', 'Access tokens.'],
  ['/access', 'access', 'The account and its users.'],
  ['/dataCleaning', 'dataCleaning', 'Jobs that match and enrich a list.'],
  ['/compan', 'companies', 'Search, matching and reports of companies.'],
  ['/reportcustomdata', 'companies', ''],
  ['/people', 'people', 'Search and reports of directors.'],
  ['/compliance', 'screening', 'AML searches and their hits.'],
  ['/decisionEngine', 'decisions', 'Decision trees, and the decisions made by them.'],
  ['/monitoring/portfolios', 'portfolios', 'Portfolios, their companies, rules and events.'],
  ['/monitoring', 'monitoring', 'Events and rules of all portfolios.'],
] as const

const findTag = ({ path }: Operation): string => TAGS.find(([start]) => path.startsWith(start))?.[1] ?? 'other'

function describeTags(operations: readonly Operation[]) {
  const used = new Set(operations.map(findTag))
  const described = TAGS.filter(([, name, description]) => used.has(name) && description !== '')
  return described.map(([, name, description]) => ({ name, description }))
}

type Schemas = Readonly<Record<string, JsonSchema>>

/** Records with dates as `dateOf` of a play writes them. */
const DATED = ['Job', 'UploadedFile']
const SAFE_NUMBERS = ['safeNo', 'safeNumber']

const orNull = (form: JsonSchema): JsonSchema => ({ ...form, type: [...new Set([form.type, 'null'].flat())] })

/** What is null until the job is enriched. The summary has its own schema. */
const NULL_BEFORE = ['countryCode', 'portfolioId', 'jobEnrichmentSettings']

/** The schemas as a play changes them; the operations that it lacks are left out where they are listed. */
function inPlay(play: Play, schemas: Schemas): Schemas {
  const zoned = play.dateOf(0).endsWith('Z')
  const safeNumber = { type: 'string', pattern: `^[A-Z]{2}\\d{${play.safeDigits}}$` }
  const readField = (id: string, name: string, form: JsonSchema): JsonSchema => {
    if (SAFE_NUMBERS.includes(name)) return { ...safeNumber, type: form.type }
    if (zoned && DATED.includes(id) && /A[tT]$/.test(name)) return { type: 'string', format: 'date-time' }
    if (id === 'Job' && name === 'source') return { type: 'string', enum: [play.source] }
    return id === 'Job' && play.enrichedAt !== null && NULL_BEFORE.includes(name) ? orNull(form) : form
  }
  const changed = Object.entries(schemas).map(([id, schema]) => {
    const fields = Object.entries((schema.properties ?? {}) as Schemas).map(([name, form]) => [name, readField(id, name, form)])
    const form = fields.length === 0 ? schema : { ...schema, properties: Object.fromEntries(fields) }
    return [id, id === 'JobSummary' && play.enrichedAt !== null ? orNull(form) : form]
  })
  return Object.fromEntries(changed)
}

type Json = Record<string, unknown>

const SCHEMAS = '#/components/schemas/'
const RESPONSES = '#/components/responses/'
const title = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)
const listRows = ({ operations }: Play) =>
  (Object.entries(OPERATIONS) as [OperationName, Operation][]).filter(([name]) => operations?.has(name) ?? true)

type Rows = ReturnType<typeof listRows>

/** Schemas exported by the contract under their names, all others under the name of their operation. */
function namedSchemas(rows: Rows): ReturnType<typeof z.registry<{ id: string }>> {
  const named = z.registry<{ id: string }>()
  const add = (schema: unknown, id: string): void => {
    const isRecord = schema instanceof z.ZodType && ['object', 'array'].includes(schema._zod.def.type)
    if (isRecord && !named.has(schema)) named.add(schema, { id })
  }
  for (const [name, value] of Object.entries(contract)) add(value, title(name))
  for (const [name, { request, reply }] of rows) {
    add(request, `${title(name)}Request`)
    add(reply, `${title(name)}Reply`)
  }
  return named
}

/** The schemas that are used, in the form of the side that uses them. */
function makeComponents(named: ReturnType<typeof namedSchemas>) {
  const { schemas } = z.toJSONSchema(named, { ...JSON_SCHEMA_OPTIONS, uri: id => SCHEMAS + id })
  const used: Record<string, JsonSchema> = {}
  const use = (id: string, side: Side): void => {
    if (Object.hasOwn(used, id) || Object.hasOwn(WORDS, id)) return
    const { $schema: _schema, $id: _id, ...schema } = (schemas as Record<string, JsonSchema>)[id] ?? {}
    used[id] = writtenForm(schema, side)
    for (const [, inner = ''] of JSON.stringify(used[id]).matchAll(/"#\/components\/schemas\/(\w+)"/g)) use(inner, side)
  }
  const json = (schema: z.ZodType, side: Side, type = 'application/json'): Json => {
    const { id } = named.get(schema) as { id: string }
    use(id, side)
    return { [type]: { schema: { $ref: SCHEMAS + id } } }
  }
  return { json, used: () => Object.fromEntries(Object.entries(used).sort(([a], [b]) => (a < b ? -1 : 1))) }
}

type Components = ReturnType<typeof makeComponents>

const PAUSE = { 'Retry-After': { schema: { type: 'integer', format: 'int32' }, description: 'seconds to wait' } }

/** Refusals by the name of their response: when, and the body if it is not the usual one. */
const REFUSALS: Readonly<Record<string, readonly [description: string, body?: z.ZodType, headers?: Json]>> = {
  400: ['Malformed or not acceptable.'],
  401: ['The token is missing, has expired or is not valid.', contract.unauthorisedBody],
  LoginDenied: ['Access denied.', contract.messageBody],
  403: ['No right, not subscribed, or a host that is not this service.', contract.messageBody],
  404: ['Nothing has this id.'],
  409: ['It exists already, or was decided already.'],
  413: ['The body is too large.'],
  415: ['The media type or encoding of the body is not accepted.'],
  429: ['Throttled.', contract.messageBody, PAUSE],
  431: ['The headers are too large.'],
  501: ['An optional package is not installed.'],
  default: ['Any other refusal: 408, 422 for a reused Idempotency-Key, 500, 503 while stopping, 507 for a full disk or quota.'],
}

const nameRefusal = (status: string): string => (/^\d/.test(status) ? `Refused${status}` : title(status))

function describeRefusals(components: Components): Json {
  const described = Object.entries(REFUSALS).map(([status, [description, body = contract.faultBody, headers]]) => [
    nameRefusal(status),
    { description, headers, content: components.json(body, 'writes') },
  ])
  return Object.fromEntries(described)
}

/** Statuses of every operation besides its own. */
const ALWAYS = [401, 403, 429, 431]
const WITH_BODY = [413, 415]

/** What only the order of a report answers. */
const LARGE_REPORT = 'A large report; it is at the address in Location.'
const REPORT_STATUSES = { 302: { description: LARGE_REPORT, headers: { Location: { schema: { type: 'string' } } } } }
const REPORT_REFUSALS = [501]
const REPORT_TYPE = 'application/json+pdf'

function describeAnswers(name: OperationName, operation: Operation, components: Components): Json {
  const { reply, success = 200, summary, errors, request } = operation
  const isReport = name === 'readReport'
  const statuses = [...errors, ...ALWAYS, ...(request === null ? [] : WITH_BODY), ...(isReport ? REPORT_REFUSALS : [])]
  const refusals = [...new Set(statuses)].map(status => [
    status,
    { $ref: RESPONSES + nameRefusal(status === 401 && name === 'authenticate' ? 'LoginDenied' : String(status)) },
  ])
  const content = reply && components.json(reply, 'writes')
  if (content !== null && isReport) Object.assign(content, components.json(reply!, 'writes', REPORT_TYPE))
  const special = isReport ? REPORT_STATUSES : {}
  return {
    [success]: { description: summary, content: content ?? undefined },
    ...special,
    ...Object.fromEntries(refusals),
    default: { $ref: `${RESPONSES}Default` },
  }
}

const UUID = { type: 'string', format: 'uuid' }
const NUMBER = { type: 'integer', format: 'int64' }

/** Names in braces of paths that are not plain texts. */
const PATH_FORMS: Readonly<Record<string, Json>> = {
  ...{ searchId: UUID, hitId: UUID, portfolioId: NUMBER, notificationEventId: NUMBER },
  countryCode: { type: 'string', pattern: '^[A-Za-z]{2}$' },
}

/** A country of the rules of a portfolio; two letters for all rules. */
const RULES_FORM = { type: 'string', pattern: '^(?:[A-Za-z]{2}|[Pp][Ll][Cc])$' }

const CODES = Object.keys(COUNTRIES)
const ANY_CODE = `(?:${CODES.join('|')}|PLC)`

/** Lists of words that schemas of the contract refer to. */
const WORDS: Readonly<Record<string, Json>> = {
  CountryCode: { type: 'string', enum: CODES, description: 'ISO 3166-1 alpha-2; the service takes it in any case.' },
  CountryCodes: {
    ...{ type: 'string', pattern: `^${ANY_CODE}(?:,${ANY_CODE})*$`, maxLength: 2_000 },
    description: 'ISO 3166-1 alpha-2 codes, separated by commas; PLC means the listed companies of all countries.',
  },
  EnrichmentTag: { type: 'string', enum: contract.TAGS.standard },
}

/** What operations on companies and people take; others know fewer countries, or any two letters. */
const COUNTRY_FORMS: Readonly<Record<string, Json>> = {
  country: { $ref: `${SCHEMAS}CountryCode` },
  countryCode: { $ref: `${SCHEMAS}CountryCode` },
  countries: { $ref: `${SCHEMAS}CountryCodes` },
}

function describeParameters(operation: Operation): Json[] {
  const { path, query } = operation
  const countryForms = ['companies', 'people'].includes(findTag(operation)) ? COUNTRY_FORMS : {}
  const pathForms: Readonly<Record<string, Json>> =
    findTag(operation) === 'portfolios' ? { ...PATH_FORMS, countryCode: RULES_FORM } : PATH_FORMS
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    schema: countryForms[name] ?? pathForms[name] ?? { type: 'string', minLength: 1 },
  }))
  if (query === null) return inPath
  const { properties = {}, required = [] } = z.toJSONSchema(query, JSON_SCHEMA_OPTIONS)
  const inQuery = Object.entries(properties).map(([name, schema]) =>
    defined({
      name,
      in: 'query',
      required: required.includes(name),
      // Blank is absent.
      allowEmptyValue: required.includes(name) ? undefined : true,
      schema: countryForms[name] ?? writtenForm({ ...(schema as JsonSchema) }, 'takes'),
    }),
  )
  return [...inPath, ...inQuery]
}

/** Text fields of forms that hold something else. */
const FIELD_FORMS: Readonly<Record<string, Json>> = { hasHeader: { type: 'boolean' } }

function describeBody({ request, form }: Operation, components: Components): Json {
  if (request === null) return {}
  if (request !== 'multipart')
    return { requestBody: { required: !isOptionalBody(request), content: components.json(request, 'takes') } }
  const { file = 'file', fields = {} } = form ?? {}
  const texts = Object.keys(fields).map(name => [name, FIELD_FORMS[name] ?? { type: 'string' }])
  const schema = {
    type: 'object',
    properties: { ...Object.fromEntries(texts), [file]: { type: 'string', format: 'binary' } },
    required: [...Object.keys(fields).filter(name => fields[name]), file],
  }
  return { requestBody: { required: true, content: { 'multipart/form-data': { schema } } } }
}

const REPEATED = {
  free: 'A request without an answer can be sent again.',
  look: 'After a request without an answer, read the state before sending it again.',
  never: 'It costs or counts: a request without an answer must not be sent again by itself.',
} as const

function describe(operation: Operation, isLogin: boolean): string {
  const { summary, repeat, pages } = operation
  const role = isLogin ? 'It needs no token.' : `It needs the role ${roleOf(operation)}.`
  return [summary, role, REPEATED[repeat], ...(pages === undefined ? [] : [`The first page is ${pages.first}.`])].join(' ')
}

const ABOUT = `Company data: matching, data cleaning, screening and monitoring. It implements the operations listed here of version ${INTERFACE_VERSION} of the interface. \
Operations of the interface that are not listed need a separate subscription and are answered with 403, or with 404 if the service plays a different one \
that does not have them. Another method of a listed path is answered with 405, and an unknown path with 404. Keys of a body that are not listed are ignored and named in the header X-Ignored-Keys. Answers may get further keys.`

const usedWords = (components: Components, paths: Json): Json => {
  const text = JSON.stringify([components.used(), paths])
  return Object.fromEntries(Object.entries(WORDS).filter(([name]) => text.includes(`"${SCHEMAS}${name}"`)))
}

/** `version` is fettle's version, `server` the base address as the caller reaches it, `play` what the service plays. */
export function openApi(version: string, server: string, play: Play = PLAYS.own): Json {
  const rows = listRows(play)
  const components = makeComponents(namedSchemas(rows))
  const paths: Record<string, Json> = {}
  for (const [name, operation] of rows) {
    const isLogin = name === 'authenticate'
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: defined({
        operationId: name,
        tags: [findTag(operation)],
        summary: operation.summary,
        description: describe(operation, isLogin),
        parameters: describeParameters(operation),
        ...describeBody(operation, components),
        responses: describeAnswers(name, operation, components),
        security: isLogin ? [] : undefined,
      }),
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'fettle',
      version,
      description: ABOUT,
      license: { name: 'MIT', identifier: 'MIT' },
      'x-interface-version': INTERFACE_VERSION,
    },
    servers: [{ url: server }],
    security: [{ bearerToken: [] }],
    tags: describeTags(rows.map(([, operation]) => operation)),
    paths,
    components: {
      securitySchemes: { bearerToken: { type: 'http', scheme: 'bearer' } },
      responses: describeRefusals(components),
      schemas: { ...inPlay(play, components.used()), ...usedWords(components, paths) },
    },
  }
}
