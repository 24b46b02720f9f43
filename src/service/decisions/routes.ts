/**
 * Routes of the decision engine. A tree is a decision table, given in `configurationVariables` of its instance; it reads the company from the
 * register and its other fields from the request. Every decision is logged with its inputs, the rule and the version of the table.
 */
import type { FastifyInstance } from 'fastify'
import { DECISION_STATUSES, TAGS } from '../../contract/index.ts'
import { Decider, fieldOf } from '../../decide/decide.ts'
import { tableProblems, testTable } from '../../decide/problems.ts'
import { columnsOf, type DecisionTable, namedFields, tableSchema } from '../../decide/table.ts'
import { instant } from '../data-cleaning/job-rules.ts'
import type { AppDeps } from '../deps.ts'
import { readTags } from '../enrichment/tags.ts'
import { runIdempotent } from '../http/idempotency.ts'
import { createRouter, findWindow, nameIgnored } from '../http/route.ts'
import type { Company } from '../matching/types.ts'
import { badRequest, notFound, Refusal } from '../refusal.ts'
import type { Decision, Made, Outcome, Tree, TreeContent } from './store.ts'

const TYPE = 'Bespoke'
const DAY_MS = 86_400_000
/** Characters of a value in a request. */
const LONGEST_VALUE = 1_000
const SHOWN_PROBLEMS = 5

/** What a tree answers until its outcomes are changed. */
const OUTCOMES: readonly Outcome[] = [
  { status: DECISION_STATUSES.accept, label: 'Accept' },
  { status: DECISION_STATUSES.refer, label: 'Refer' },
  { status: DECISION_STATUSES.decline, label: 'Decline' },
]

const isoDate = (millis: number): string => new Date(millis).toISOString()

/** Throws a 400 that names the first problems of a table. */
function readTable(given: unknown, today: string): DecisionTable {
  const parsed = tableSchema.safeParse(given)
  const problems = parsed.success
    ? tableProblems(given).filter(({ severity }) => severity === undefined)
    : parsed.error.issues.map(({ path, code, message }) => ({
        path,
        message: code === 'unrecognized_keys' ? message : `expected ${message}`,
      }))
  const failed =
    parsed.success && problems.length === 0 ? testTable(parsed.data, today).flatMap(({ failure }) => failure ?? []) : []
  const texts = [...problems, ...failed].map(({ path, message }) => {
    const place = path.map(step => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('')
    return `configurationVariables${place}: ${message}`
  })
  if (parsed.success && texts.length === 0) return parsed.data
  const more = texts.length > SHOWN_PROBLEMS ? ` (and ${texts.length - SHOWN_PROBLEMS} more)` : ''
  throw badRequest('The decision table is not acceptable', texts.slice(0, SHOWN_PROBLEMS).join('; ') + more)
}

/** The tag of the register that a field is read from; undefined for one that a request gives. */
const tagOf = (table: DecisionTable, field: string): string | undefined =>
  columnsOf(table, field).find(column => TAGS.standard.includes(column))

/** The fields that a request gives. */
const requestFields = (table: DecisionTable): string[] => namedFields(table).filter(field => tagOf(table, field) === undefined)

const FIELD_TYPES = { text: 'Text', number: 'Integer', date: 'Text', age: 'Text' } as const

function readInput(name: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  if (!isPlain) throw badRequest('The request is not acceptable', `${name}: must be a text, a number, true or false`)
  const text = String(value)
  if (text.length <= LONGEST_VALUE) return text
  throw badRequest('The request is not acceptable', `${name}: has more than ${LONGEST_VALUE} characters`)
}

const isSame = (before: TreeContent, after: TreeContent): boolean => {
  const text = ({ name, templateId, customerId, inputParams, scalarVariables, table, isReviewed, outcomes }: TreeContent) =>
    JSON.stringify([name, templateId, customerId, inputParams, scalarVariables, table, isReviewed, outcomes])
  return text(before) === text(after)
}

const instanceRecord = (tree: Tree, correlationId: string) => ({
  correlationId,
  templateId: tree.templateId,
  guid: tree.guid,
  decisionTreeName: tree.name,
  customerId: tree.customerId ?? undefined,
  inputParams: tree.inputParams ?? {},
  configurationVariables: tree.table,
  scalarVariables: tree.scalarVariables ?? {},
  version: tree.version,
  modifiedDate: isoDate(tree.modifiedAt),
})

const outcomeRecord = ({ isReviewed, outcomes }: Tree) => ({
  includeInManualReview: isReviewed,
  decisionOutcomes: { items: outcomes },
})

const logRecord = (made: Decision) => ({
  decisionLogId: made.id,
  provenirId: made.guid,
  friendlyName: made.treeName,
  userId: made.by,
  companyId: made.companyId,
  companyName: made.companyName,
  response: made.response,
  decisionDate: isoDate(made.at),
  originationId: made.originationId,
  status: made.status,
  notes: made.notes,
  inputs: made.inputs,
  rule: made.rule,
  version: made.version,
})

/** What the tree decides about a company. */
function decide(
  tree: Tree,
  company: Company,
  inputs: ReadonlyMap<string, string>,
  { asOf, originationId }: { readonly asOf: string; readonly originationId: string | null },
): Made {
  const { table, guid, version, name: treeName } = tree
  const decider = new Decider(table, asOf)
  const cells = decider.fields.map(field => {
    const tag = tagOf(table, field)
    return tag === undefined ? inputs.get(field) : readTags(company, [tag])[tag]
  })
  const { decision, rule, why } = decider.decide(cells)
  const status = DECISION_STATUSES[decision]
  // A log has texts only.
  const values = decider.fields.flatMap((field, at) => {
    const cell = cells[at]
    return cell === undefined ? [] : [{ RuleName: field, description: cell }]
  })
  const response = {
    Decision: tree.outcomes.find(outcome => outcome.status === status)?.label ?? decision,
    DecisionText: why,
    Audits: [{ RuleName: 'Rule', description: rule }, { RuleName: 'Version', description: String(version) }, ...values],
    originationId,
    statusCode: String(status),
  }
  const read = decider.fields.flatMap((field, at) => (cells[at] === undefined ? [] : [[field, cells[at]] as const]))
  return {
    ...{ guid, version, treeName, companyId: company.connectId, companyName: company.name },
    ...{ inputs: Object.fromEntries(read), rule, status, response, originationId },
  }
}

export function decisionRoutes(app: FastifyInstance, deps: AppDeps): void {
  instanceRoutes(app, deps)
  treeRoutes(app, deps)
  runRoute(app, deps)
  logRoutes(app, deps)
}

/** Adds a version of the tree, unless it has the same content as `before`. */
function saveTree(
  { decisions, limits }: AppDeps,
  user: Parameters<typeof decisions.addVersion>[0],
  { guid, before }: { readonly guid: string; readonly before: Tree | null },
  content: TreeContent,
): Tree {
  if (before !== null && isSame(before, content)) return before
  if (decisions.countVersions(user.id) >= limits.treeVersions)
    throw new Refusal(
      507,
      'Insufficient storage',
      `this user has ${limits.treeVersions} versions of decision trees; no more are allowed`,
    )
  return decisions.addVersion(user, guid, before, content)
}

function instanceRoutes(app: FastifyInstance, deps: AppDeps): void {
  const route = createRouter(app, deps)
  const { decisions, objects, users, clock, transaction } = deps

  route('listDecisionInstances', ({ user, query, request }) => {
    const isOwn =
      query.userId === undefined || [...users.values()].some(({ id, person }) => id === user.id && person === query.userId)
    const trees = isOwn ? decisions.trees(user.id) : []
    const instances = trees.map(({ guid, name }) => ({ guid, decisionTreeName: name }))
    return { correlationId: request.id, instances }
  })

  route('readDecisionInstance', ({ user, params, request }) => instanceRecord(objects.tree(user, params.guid ?? ''), request.id))

  route('changeDecisionInstance', ({ user, params, body, request }) => {
    if (body.guid !== params.guid) throw badRequest('The request is not acceptable', 'guid: must be the guid of the path')
    const { templateId, decisionTreeName, customerId, inputParams, configurationVariables, scalarVariables } = body
    const given = configurationVariables && readTable(configurationVariables, isoDate(clock.now()).slice(0, 10))
    const tree = transaction(() => {
      const before = objects.heldTree(user, body.guid)
      const table = given ?? before?.table
      if (table === undefined)
        throw badRequest('The request is not acceptable', 'configurationVariables: a new tree needs a decision table')
      return saveTree(
        deps,
        user,
        { guid: body.guid, before },
        {
          ...{ name: decisionTreeName, templateId, table },
          customerId: customerId ?? before?.customerId ?? null,
          inputParams: inputParams ?? before?.inputParams ?? null,
          scalarVariables: scalarVariables ?? before?.scalarVariables ?? null,
          isReviewed: before?.isReviewed ?? true,
          outcomes: before?.outcomes ?? OUTCOMES,
        },
      )
    })
    return instanceRecord(tree, request.id)
  })
}

function treeRoutes(app: FastifyInstance, deps: AppDeps): void {
  const route = createRouter(app, deps)
  const { decisions, objects, transaction } = deps

  route('listDecisionTrees', ({ user, query, request }) => {
    const trees = query.type === undefined || query.type === TYPE ? decisions.trees(user.id) : []
    const GUIDList = trees.map(tree => ({
      ...{ friendlyName: tree.name, GUID: tree.guid, type: TYPE, serviceLine: null },
      ...(query.decisionOutcome === true ? outcomeRecord(tree) : {}),
    }))
    return { correlationId: request.id, GUIDList: query.sortDir === 'desc' ? GUIDList.reverse() : GUIDList }
  })

  route('listDecisionFields', ({ user, params, request }) => {
    const { guid, table } = objects.tree(user, params.provenirId ?? '')
    const fields = requestFields(table).map((name, at) => ({
      ...{
        orderIndex: (at + 1) * 100,
        label: name,
        paramName: name,
        fieldType: FIELD_TYPES[fieldOf(table, name).type ?? 'text'],
      },
      // A missing value refers the company, unless no rule needs it.
      ...{ mandatory: false, dropdownDetails: null, validation: null },
    }))
    return { correlationId: request.id, decisionEngineId: guid, fields }
  })

  route('readDecisionOutcome', ({ user, params, request }) => ({
    correlationId: request.id,
    ...outcomeRecord(objects.tree(user, params.guid ?? '')),
  }))

  route('changeDecisionOutcome', ({ user, params, body, request }) => {
    transaction(() => {
      const tree = objects.tree(user, params.guid ?? '')
      const { includeInManualReview: isReviewed = tree.isReviewed, decisionOutcomes = [] } = body
      const changed = new Map([...tree.outcomes, ...decisionOutcomes].map(outcome => [outcome.status, outcome]))
      const outcomes = [...changed.values()].sort((a, b) => a.status - b.status)
      saveTree(deps, user, { guid: tree.guid, before: tree }, { ...tree, isReviewed, outcomes })
    })
    return { correlationId: request.id, message: 'Decision outcome updated' }
  })
}

function runRoute(app: FastifyInstance, deps: AppDeps): void {
  const route = createRouter(app, deps)
  const { decisions, objects, search, clock } = deps

  route('runDecision', async call => {
    const { user, params, query, body, reply } = call
    const { table } = objects.tree(user, params.provenirId ?? '')
    const names = requestFields(table)
    const given = body as Readonly<Record<string, unknown>>
    nameIgnored(reply, new Set(Object.keys(given).filter(key => !names.includes(key))))
    const values = names.flatMap(name => {
      const value = Object.hasOwn(given, name) ? readInput(name, given[name]) : undefined
      return value === undefined ? [] : [[name, value] as const]
    })
    const company = await search.find(query.companyId)
    return runIdempotent(deps, call, () => {
      if (company === null) throw notFound('Company')
      const tree = objects.tree(user, params.provenirId ?? '')
      const asOf = isoDate(clock.now()).slice(0, 10)
      const made = decide(tree, company, new Map(values), { asOf, originationId: query.originationId ?? null })
      decisions.add(user, made)
      return made.response
    })
  })
}

function logRoutes(app: FastifyInstance, deps: AppDeps): void {
  const route = createRouter(app, deps)
  const { decisions, objects, transaction } = deps

  route('listDecisionLogs', ({ user, query, request }) => {
    const { provenirId: guid, companyId, companyName, status, fromDate, toDate } = query
    const [from, end] = [instant(fromDate, 'fromDate') ?? undefined, instant(toDate, 'toDate') ?? undefined]
    // A day is meant to its end.
    const until = end === undefined ? undefined : end + (toDate?.length === 10 ? DAY_MS : 1)
    const filter = { owner: user.id, guid, companyId, companyName, status, from, until }
    const { total, decisions: found } = decisions.list(filter, findWindow(query, 1))
    return { correlationId: request.id, totalCount: total, usageLog: found.map(logRecord) }
  })

  const answer = (made: Decision, correlationId: string) => ({
    correlationId,
    ...logRecord(made),
    modifiedDate: isoDate(made.modifiedAt),
  })

  route('readDecisionLog', ({ user, params, request }) => answer(objects.decision(user, params.decisionLogId ?? ''), request.id))

  route('changeDecisionLog', ({ user, params, body, request }) => {
    const id = params.decisionLogId ?? ''
    transaction(() => {
      const made = objects.decision(user, id)
      if (body.statusCode !== undefined && !objects.tree(user, made.guid).isReviewed)
        throw badRequest('The request is not acceptable', 'statusCode: includeInManualReview of the tree is false')
      decisions.annotate(made, user.person, { status: body.statusCode, notes: body.notes })
    })
    return answer(objects.decision(user, id), request.id)
  })
}
