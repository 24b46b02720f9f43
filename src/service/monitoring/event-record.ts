/** Converts rules and events to wire records: contract §7.2 to §7.4. */
import { type CompanyEvent, type EventRule, formatSpacedDate, type NotificationEvent } from '../../contract/index.ts'
import type { RuleSetting } from '../portfolios/store.ts'
import type { Notice } from './events-store.ts'
import { type Rule, ruleOf } from './rules.ts'

export const ruleRecord = (rule: Rule): EventRule => ({
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
export const settingRecord = (rule: Rule, setting: RuleSetting | undefined): EventRule => {
  const [param0 = '', param1 = '', param2 = ''] = setting?.params ?? []
  return { ...ruleRecord(rule), isActive: setting?.active ?? false, param0, param1, param2 }
}

export const companyEventRecord = (notice: Notice): CompanyEvent => {
  const rule = ruleOf(notice.rule)
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
export const notificationRecord = (notice: Notice): NotificationEvent => {
  const rule = ruleOf(notice.rule)
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
