/** Routes of schedules, which put AML searches under monitoring, and of the alerts of them. */

import type { FastifyInstance } from 'fastify'
import type { z } from 'zod'
import { isDataset, OPERATIONS, pathOf, type ScheduleTerms, scheduleRequest, scheduleUpdate } from '../../contract/index.ts'
import { defined } from '../../defined.ts'
import type { User } from '../auth/users.ts'
import type { AppDeps } from '../deps.ts'
import { runIdempotent } from '../http/idempotency.ts'
import { type Call, checkBody, createRouter, findWindow } from '../http/route.ts'
import { conflict } from '../refusal.ts'
import { looseBatch, runBatch } from './batch.ts'
import { parseDecisions } from './hit-routes.ts'
import { alertRecord, scheduleRecord, userNames } from './records.ts'
import { chargeSearch, showCredits } from './routes.ts'
import type { Mailing, Schedule } from './schedules-store.ts'
import type { Search } from './searches-store.ts'

type BatchCall = Call<z.infer<typeof looseBatch>, unknown>

const pathFor = (id: unknown): string => `/v1${pathOf(OPERATIONS.readSchedule, { scheduleId: String(id) })}`

const mailing = ({ isEmailRequired, emailRecipients }: ScheduleTerms): Mailing =>
  defined({
    isEmailRequired: isEmailRequired == null ? undefined : isEmailRequired === true,
    emailRecipients: emailRecipients ?? undefined,
  })

/** Makes and changes schedules; each screens again, for a credit, when its terms differ from the terms of the search. */
function createChanges(deps: AppDeps) {
  const { objects, schedules, searches, screener } = deps

  const screenAgain = (user: User, search: Search, { threshold, datasets }: ScheduleTerms): Search => {
    const terms = {
      threshold: threshold ?? search.threshold,
      datasets: [...new Set((datasets ?? search.datasets).filter(isDataset))],
    }
    const isSame = new Set([...terms.datasets, ...search.datasets]).size === search.datasets.length
    if (isSame && terms.datasets.length === search.datasets.length && terms.threshold === search.threshold) return search
    chargeSearch(deps, user)
    const again = searches.rescreen(search, user.person, terms, screener.search({ ...search, ...terms }))
    schedules.markScreened(search, screener.key)
    return again
  }

  const add = (user: User, searchId: string, terms: ScheduleTerms): Schedule => {
    const search = objects.anySearch(user, searchId)
    if (search.scheduleId !== null) {
      throw conflict('The search is under monitoring already', `searchId: its schedule is ${search.scheduleId}`)
    }
    return schedules.create(screenAgain(user, search, terms), user.person, mailing(terms))
  }

  const change = (user: User, scheduleId: string, terms: ScheduleTerms): Schedule => {
    const schedule = objects.schedule(user, scheduleId)
    const search = screenAgain(user, schedule.search, terms)
    return schedules.change({ ...schedule, search }, user.person, mailing(terms))
  }

  return { add, change }
}

export function scheduleRoutes(app: FastifyInstance, deps: AppDeps): void {
  batchRoutes(app, deps)
  singleRoutes(app, deps)
}

function batchRoutes(app: FastifyInstance, deps: AppDeps): void {
  const route = createRouter(app, deps)
  const { objects, schedules, screener } = deps
  const { add, change } = createChanges(deps)
  const nameOf = userNames(deps)

  /** Runs a batch that may screen. Effects and answer are one transaction, and the body was opened before it. */
  const runAll = async <Item>(call: BatchCall, work: (item: BatchCall['body']['items'][number]) => Item, idOf: string) => {
    await screener.ready()
    const pathOfItem = (item: Readonly<Record<string, unknown>>): string => pathFor(item[idOf])
    const { id: correlationId } = call.request
    const answer = runIdempotent(deps, call, () => runBatch(call.body.items, { work, pathOf: pathOfItem, correlationId }))
    showCredits(deps, call)
    return answer
  }

  const createMany = (call: BatchCall): unknown => {
    const { user, reply } = call
    const work = (item: object) => {
      const { searchId, ...terms } = checkBody(scheduleRequest, structuredClone(item), reply)
      return scheduleRecord(add(user, searchId, terms), nameOf)
    }
    return runAll(call, work, 'searchId')
  }
  route('createSchedules', createMany, { body: looseBatch })

  const updateMany = (call: BatchCall): unknown => {
    const { user, reply } = call
    const work = (item: object) => {
      const { scheduleId, ...terms } = checkBody(scheduleUpdate, structuredClone(item), reply)
      return scheduleRecord(change(user, scheduleId, terms), nameOf)
    }
    return runAll(call, work, 'scheduleId')
  }
  route('updateSchedules', updateMany, { body: looseBatch })

  route('deleteSchedules', call =>
    runIdempotent(deps, call, () =>
      runBatch(call.body.items, {
        work: id => {
          schedules.remove(objects.schedule(call.user, id))
          return id
        },
        pathOf: pathFor,
        correlationId: call.request.id,
      }),
    ),
  )
}

function singleRoutes(app: FastifyInstance, deps: AppDeps): void {
  const route = createRouter(app, deps)
  const { objects, schedules, screener } = deps
  const { change } = createChanges(deps)
  const nameOf = userNames(deps)

  route('listSchedules', ({ user, query, request }) => {
    const { items, total } = schedules.list(user.id, findWindow(query, 1))
    return { items: items.map(item => scheduleRecord(item, nameOf)), totalSize: total, correlationId: request.id }
  })

  route('listScheduleAlerts', ({ user, query, request }) => {
    const { items, total } = schedules.alerts(user.id, parseDecisions(query.hitDecisions), findWindow(query, 1))
    return { items: items.map(item => alertRecord(item, nameOf)), totalSize: total, correlationId: request.id }
  })

  route('readSchedule', ({ user, params, request }) => ({
    ...scheduleRecord(objects.schedule(user, params.scheduleId ?? ''), nameOf),
    correlationId: request.id,
  }))

  route('updateSchedule', async call => {
    const { user, params, body, request } = call
    await screener.ready()
    const record = runIdempotent(deps, call, () => scheduleRecord(change(user, params.scheduleId ?? '', body), nameOf))
    showCredits(deps, call)
    return { ...record, correlationId: request.id }
  })

  route('deleteSchedule', ({ user, params }) => schedules.remove(objects.schedule(user, params.scheduleId ?? '')))
}
