/** Routes of AML searches for businesses and persons: contract §6.1 to §6.3. */
import type { FastifyInstance } from 'fastify'
import type { z } from 'zod'
import {
  type createBusinessSearch,
  isDataset,
  joinFullName,
  type NewIndividualSearch,
  OPERATIONS,
  pathOf,
  RISK_RATINGS,
  SEARCH_STATUSES,
  type SearchUpdate,
  searchUpdate,
} from '../../contract/index.ts'
import { normaliseCountry } from '../../normalise/country.ts'
import { splitWords } from '../../normalise/text.ts'
import type { User } from '../auth/users.ts'
import type { AppDeps } from '../deps.ts'
import { runIdempotent } from '../http/idempotency.ts'
import { type Call, checkBody, createRouter, findWindow } from '../http/route.ts'
import { badRequest, Refusal } from '../refusal.ts'
import { looseBatch, runBatch } from './batch.ts'
import { changesRoute, ListsKeys } from './changes-route.ts'
import type { PersonName } from './entry.ts'
import { hitRoutes, TITLES } from './hit-routes.ts'
import { searchRecord, userNames } from './records.ts'
import type { Question } from './screener.ts'
import type { Search, SearchPatch } from './searches-store.ts'

type Common = Pick<z.infer<typeof createBusinessSearch>, 'datasets' | 'countryCodes'>

const common = ({ datasets, countryCodes }: Common): Pick<Question, 'datasets' | 'countryCodes'> => ({
  // One valid code is enough; the record has the codes that were searched.
  datasets: [...new Set(datasets.filter(isDataset))],
  countryCodes: [
    ...new Set(
      (countryCodes ?? []).map((code, at) => {
        if (normaliseCountry(code) === code.toUpperCase()) return code.toUpperCase()
        throw badRequest('The request is not acceptable', `countryCodes[${at}]: ${code} is not a country`)
      }),
    ),
  ],
})

/** Throws a 400 for a name in which nothing can be searched: no hits would read as clean. */
function searchable(name: string): string {
  if (splitWords(name).length > 0) return name.trim()
  throw badRequest('The request is not acceptable', 'name: it has no letter and no digit that could be searched for')
}

/** Throws a 400 that names an invalid country code. */
const businessQuestion = (body: z.infer<typeof createBusinessSearch>): Question => ({
  type: 'business',
  name: searchable(body.name),
  person: null,
  threshold: body.threshold,
  ...common(body),
  ...{ dateOfBirth: null, isDobRequired: false, gender: null, pepTiers: [] },
})

const personIn = ({ firstName, middleName, lastName }: NewIndividualSearch): PersonName | null =>
  (firstName ?? '') === '' || (lastName ?? '') === ''
    ? null
    : { first: firstName?.trim() ?? '', middle: middleName?.trim() ?? '', last: lastName?.trim() ?? '' }

/** Throws a 400 that names an invalid country code. */
const individualQuestion = (body: NewIndividualSearch): Question => ({
  type: 'individual',
  name: searchable(joinFullName(body)),
  person: personIn(body),
  threshold: body.threshold,
  ...common(body),
  dateOfBirth: body.dateOfBirth ?? null,
  isDobRequired: body.isDobRequired ?? false,
  gender: body.gender ?? null,
  pepTiers: (body.pepTiers ?? []).map(tier => Number(tier.slice(-1))),
})

/** Credits per search (contract §12). */
const COST = 1

type AnyCall = Call<unknown, unknown>

/** Spends the credits of a search. Throws a 403 where they are not left. */
export function chargeSearch({ credits }: Pick<AppDeps, 'credits'>, { id }: Pick<User, 'id'>): void {
  if (credits.spend(id, COST)) return
  const spent = `${credits.used(id)} of ${credits.limit} credits are spent`
  throw new Refusal(403, `Access forbidden: ${spent}, and this costs ${COST} more`)
}

export function showCredits({ credits }: Pick<AppDeps, 'credits'>, { user, reply }: Pick<AnyCall, 'user' | 'reply'>): void {
  reply.header('X-Credits-Used', credits.used(user.id))
  if (credits.limit !== null) reply.header('X-Credits-Limit', credits.limit)
}

type Update = { readonly [Key in 'assignedToUserId' | 'status' | 'riskRating' | 'note']?: SearchUpdate[Key] }

const invalid = (details: string): Error => badRequest('The update is not acceptable', details)

export function screeningRoutes(app: FastifyInstance, deps: AppDeps): void {
  const route = createRouter(app, deps)
  const { objects, searches, screener, users } = deps
  const lists = deps.play.matchColumns ? new ListsKeys(screener) : null
  if (lists !== null) changesRoute(app, deps, lists)
  const nameOf = userNames(deps)

  const create = async (call: AnyCall, question: Question): Promise<unknown> => {
    const { user, request } = call
    await screener.ready()
    const record = runIdempotent(deps, call, () => {
      chargeSearch(deps, user)
      const made = searches.create(user, question, screener.search(question))
      const hasNulls = question.type === 'individual'
      return { ...searchRecord(made, nameOf, { correlationId: request.id, hasNulls }), listsKey: lists?.key }
    })
    showCredits(deps, call)
    return record
  }
  route('createBusinessSearch', call => create(call, businessQuestion(call.body)))
  route('createIndividualSearch', call => create(call, individualQuestion(call.body)))

  /** Absent and null fields stay unchanged. Throws a 400 that names an invalid field. */
  const makePatch = ({ owner }: Search, { assignedToUserId, status, riskRating, note }: Update): SearchPatch => {
    const isUnknown = (word: string | null | undefined, words: readonly string[]): boolean =>
      (word ?? null) !== null && !words.includes(word ?? '')
    if (isUnknown(status, SEARCH_STATUSES)) throw invalid(`status: must be one of ${SEARCH_STATUSES.join(', ')}`)
    if (isUnknown(riskRating, RISK_RATINGS)) throw invalid(`riskRating: must be one of ${RISK_RATINGS.join(', ')}`)
    const assigned = assignedToUserId ?? null
    // Users of another tenant could not see the search, and their existence is not disclosed.
    const isColleague = [...users.values()].some(({ id, person }) => id === owner && person === assigned)
    if (assigned !== null && !isColleague) throw invalid(`assignedToUserId: there is no user ${assigned}`)
    const patch = { assignedTo: assigned, status, riskRating, note }
    return Object.fromEntries(Object.entries(patch).filter(([, value]) => (value ?? null) !== null)) as SearchPatch
  }
  const update = (search: Search, user: User, changes: Update): Search =>
    searches.change(search, user.person, makePatch(search, changes))

  for (const type of ['business', 'individual'] as const) {
    const title = TITLES[type]
    route(`list${title}Searches`, ({ user, query, request }) => {
      const { items, total } = searches.list(user.id, type, findWindow(query, 1), query.isScheduled)
      const records = items.map(search => searchRecord(search, nameOf, { hasNulls: true }))
      return { items: records, totalSize: total, correlationId: request.id }
    })

    const updateMany = ({ user, body, request, reply }: Call<z.infer<typeof looseBatch>, unknown>): unknown =>
      runBatch(body.items, {
        work: item => {
          const { searchId, ...changes } = checkBody(searchUpdate, structuredClone(item), reply)
          const search = update(objects.search(user, type, searchId), user, changes)
          return searchRecord(search, nameOf, { hasNulls: type === 'business' })
        },
        pathOf: ({ searchId }) => `/v1${pathOf(OPERATIONS[`read${title}Search`], { searchId: String(searchId) })}`,
        correlationId: request.id,
      })
    route(`update${title}Searches`, updateMany, { body: looseBatch })

    const findSearch = ({ user, params }: Pick<AnyCall, 'user' | 'params'>): Search =>
      objects.search(user, type, params.searchId ?? '')
    route(`read${title}Search`, call =>
      searchRecord(findSearch(call), nameOf, { correlationId: call.request.id, hasNulls: type === 'individual' }),
    )

    route(`update${title}Search`, call =>
      searchRecord(update(findSearch(call), call.user, call.body), nameOf, { correlationId: call.request.id, hasNulls: false }),
    )

    hitRoutes(app, deps, type)
  }
}
