/**
 * Routes of rules and events and their wire records: contract §7, and §8 rows 46 to 48. Events are created when register changes are applied.
 */
import type { FastifyInstance } from 'fastify'
import { type CompanyEvent, type EventRule, formatSpacedDate, type NotificationEvent } from '../../contract/index.ts'
import { instant } from '../data-cleaning/job-rules.ts'
import type { AppDeps } from '../deps.ts'
import { type Call, createRouter, findWindow, makePaging } from '../http/route.ts'
import { isNumber } from '../object-access.ts'
import type { RuleSetting } from '../portfolios/store.ts'
import { badRequest, notFound, Refusal } from '../refusal.ts'
import { findRule, listRules, RULES, type Rule } from './events.ts'
import type { Notice, NoticeFilter } from './events-store.ts'

const ruleRecord = (rule: Rule): EventRule => ({
  isActive: false,
  ruleCode: rule.code,
  ruleCountryCode: rule.country,
  ruleType: rule.type,
  ruleTypeName: rule.typeName,
  name: rule.name,
  param0: '',
  param1: '',
})

/** A rule with the settings of a portfolio; off by default. */
const settingRecord = (rule: Rule, setting: RuleSetting | undefined): EventRule => {
  const [param0 = '', param1 = '', param2 = ''] = setting?.params ?? []
  return { ...ruleRecord(rule), isActive: setting?.active ?? false, param0, param1, param2 }
}

const companyEventRecord = (notice: Notice): CompanyEvent => {
  const rule = findRule(notice.rule)
  return {
    eventId: notice.event,
    companyId: notice.safeNumber ?? '',
    portfolioId: notice.portfolio,
    ruleName: notice.text,
    localEventCode: rule?.localCode ?? '',
    globalEventCode: rule?.globalCode ?? '',
    newValue: notice.new,
    oldValue: notice.old,
    eventDate: formatSpacedDate(notice.at),
    createdDate: formatSpacedDate(notice.created),
  }
}

/** A notification event. The service sends no mail, so `notificationId` is null; `processedDate` is the time of marking. */
const notificationRecord = (notice: Notice): NotificationEvent => {
  const rule = findRule(notice.rule)
  return {
    company: {
      id: notice.connectId,
      safeNumber: notice.safeNumber,
      name: notice.name,
      countryCode: notice.country,
      portfolioId: notice.portfolio,
      portfolioName: notice.portfolioName,
    },
    eventId: notice.event,
    notificationEventId: notice.id,
    notificationId: null,
    eventDate: formatSpacedDate(notice.at),
    processedDate: notice.processed === null ? null : formatSpacedDate(notice.processed),
    newValue: notice.new,
    oldValue: notice.old,
    ruleCode: notice.rule,
    ruleName: notice.text,
    summary: rule?.summary ?? null,
    ruleText: notice.text,
    localEventCode: rule?.localCode ?? null,
    isProcessed: notice.processed !== null,
  }
}

const DAY = 86_400_000

type Query = { readonly page: number; readonly pageSize: number; readonly startDate?: string; readonly endDate?: string }

/** Start and end of a query's period. The last day is included. */
const readSpan = ({ startDate, endDate }: Query): Pick<NoticeFilter, 'from' | 'to'> => {
  const [from, to] = [instant(startDate, 'startDate') ?? undefined, instant(endDate, 'endDate') ?? undefined]
  return { from, to: to !== undefined && endDate?.length === 10 ? to + DAY - 1 : to }
}

/** The rules of the country in the path. Throws a 400 for an invalid code, a 404 for an unknown country. */
function rulesIn({ countryCode = '' }: Readonly<Record<string, string>>, isPortfolio: boolean): Rule[] {
  const code = countryCode.toUpperCase()
  // PLC are companies listed worldwide, which have the rules of their countries.
  if (isPortfolio && code === 'PLC') return []
  // The word is the path of an operation, too.
  if (code === 'SETDEFAULT') throw new Refusal(405, 'Method not allowed', 'this path takes PUT', { Allow: 'PUT' })
  // Not ß, whose capitals are SS.
  if (!/^[A-Za-z]{2}$/.test(countryCode)) {
    throw badRequest('The request is not acceptable', `countryCode: must be two letters${isPortfolio ? ' or PLC' : ''}`)
  }
  const rules = listRules(code)
  if (rules.length === 0) throw notFound('EventRule resource')
  return rules
}

/** The settings in a body. Throws a 400 that names the first invalid element. */
const readSettings = (body: readonly EventRule[], rules: readonly Rule[]): RuleSetting[] =>
  body.map(({ ruleCode, isActive, param0, param1, param2 }, index) => {
    const invalid = (why: string): Error => badRequest('The rules are not acceptable', `[${index}].${why}`)
    const rule = rules.find(({ code }) => code === ruleCode)
    if (rule === undefined) throw invalid(`ruleCode: ${ruleCode} is not a rule of this country`)
    if (body.findIndex(other => other.ruleCode === ruleCode) < index) throw invalid(`ruleCode: ${ruleCode} occurs twice`)
    const params = [param0, param1, param2].map(param => String(param ?? ''))
    const bad = params.findIndex((param, place) => rule.params[place]?.test(param) !== true)
    if (bad >= 0) throw invalid(`param${bad}: is not a valid parameter of rule ${ruleCode}`)
    return { code: ruleCode, active: isActive === true || isActive === 1, params }
  })

export function monitoringRoutes(app: FastifyInstance, deps: AppDeps): void {
  const route = createRouter(app, deps)
  const { objects, portfolios, events } = deps
  const { portfolioOf } = objects

  const makePage = (call: Call<unknown, Query>, filter: Partial<NoticeFilter>, record: (notice: Notice) => unknown): unknown => {
    const { total, notices } = events.list({ ...filter, user: call.user, ...findWindow(call.query, 0) })
    return { correlationId: call.request.id, totalCount: total, paging: makePaging(call.query, total), data: notices.map(record) }
  }

  route('listCompanyEvents', call => {
    // No portfolio has the id -1: events of a company that left the user's portfolios are hidden.
    const portfolio = objects.watches(call.user, call.id) ? undefined : -1
    return makePage(call, { connectId: call.id, portfolio, ...readSpan(call.query) }, companyEventRecord)
  })

  route('listEventRules', () => RULES.map(ruleRecord))
  route('listCountryEventRules', ({ params }) => rulesIn(params, false).map(ruleRecord))

  route('listPortfolioEventRules', call => {
    const set = portfolios.rules(portfolioOf(call, 'View').id)
    return RULES.map(rule => settingRecord(rule, set.get(rule.code)))
  })

  route('listPortfolioCountryEventRules', call => {
    const set = portfolios.rules(portfolioOf(call, 'View').id)
    return rulesIn(call.params, true).map(rule => settingRecord(rule, set.get(rule.code)))
  })

  route('setEventRules', call => {
    const { id } = portfolioOf(call, 'Edit')
    portfolios.setRules(id, readSettings(call.body, rulesIn(call.params, true)))
  })

  route('resetEventRules', call => portfolios.resetRules(portfolioOf(call, 'Edit').id))

  type NotificationQuery = Query & { searchQuery?: string; filterByCreatedDate: boolean } & Pick<
      NoticeFilter,
      'sortBy' | 'sortDir'
    >
  const notifications = (call: Call<unknown, NotificationQuery>, portfolio?: number): unknown => {
    const { searchQuery, filterByCreatedDate, sortBy, sortDir } = call.query
    const dated = filterByCreatedDate ? 'created' : 'at'
    const filter = { portfolio, ...readSpan(call.query), dated, words: searchQuery, sortBy, sortDir } as const
    return makePage(call, filter, notificationRecord)
  }
  route('listNotificationEvents', call => notifications(call))
  route('listPortfolioNotificationEvents', call => notifications(call, portfolioOf(call, 'View').id))

  route('listCompanyNotificationEvents', call => {
    const { portfolio, connectId } = objects.company(portfolioOf(call, 'View'), call.params.companyId ?? '')
    const { searchQuery: words, isProcessed, sortBy, sortDir } = call.query
    const filter = { portfolio, connectId, words, isProcessed, sortBy, sortDir }
    return makePage(call, filter, notificationRecord)
  })

  route('markNotificationEvent', call => {
    const { id } = portfolioOf(call, 'Edit')
    const { notificationEventId = '' } = call.params
    if (!isNumber(notificationEventId) || !events.mark(id, Number(notificationEventId), call.body.isProcessed)) {
      throw notFound('NotificationEvent resource')
    }
  })

  route('markAnyNotificationEvent', ({ user, params: { notificationEventId = '' }, body }) => {
    const { id } = objects.notified(user, notificationEventId, 'Edit')
    events.mark(id, Number(notificationEventId), body.isProcessed)
  })
}
