/** Rules of a portfolio, its companies and events, and the files that change them (contract §7.4, §8, rows 37, 45 to 47). */
import { type EventRule, type NotificationEvent, parseWireDate } from '../../contract/index.ts'
import { FettleError } from '../../errors.ts'
import type { CompanyEvent, PortfolioEntry, PortfolioRequests, PortfolioRule } from '../../model/requests.ts'
import type { Api } from './api.ts'

/** The largest page that is documented (contract §7.1). */
const PAGE_SIZE = 1000
const COLUMNS = ['Safe Number', 'Local Org No.', 'Country Code', 'Reference', 'Free Text', 'Personal Limit']
/** How a service answers that does not have an operation. */
const MISSING: readonly (number | null)[] = [403, 405, 501]
/** An event that is gone has nothing to mark. */
const NOT_MARKED: readonly (number | null)[] = [...MISSING, 404]

const ruleOf = ({ ruleCode, isActive, param0, param1, param2 }: EventRule): PortfolioRule => ({
  code: ruleCode,
  active: isActive === true || isActive === 1 || isActive === '1',
  params: [param0, param1, param2].map(param => String(param ?? '')) as [string, string, string],
})

/** A rule's name has places for parameters in the list of rules; the text of an event has their values. */
const ruleNameOf = ({ ruleName, ruleText }: Partial<NotificationEvent>): string =>
  ruleName == null || /\{\d\}/.test(ruleName) ? (ruleText ?? ruleName ?? '') : ruleName

/** Of an item of a list only the id is certain. */
const eventOf = (event: Partial<NotificationEvent> & Pick<NotificationEvent, 'notificationEventId'>): CompanyEvent => ({
  id: event.notificationEventId,
  at: event.eventDate ?? '',
  processed: event.isProcessed === true,
  company: { id: event.company?.id ?? '', name: event.company?.name ?? '', country: event.company?.countryCode ?? '' },
  rule: { code: event.ruleCode ?? null, name: ruleNameOf(event) },
  old: String(event.oldValue ?? ''),
  new: String(event.newValue ?? ''),
})

const cell = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** The file of an import, with every documented column; a connectId goes into the first. */
const importFile = (companies: readonly PortfolioEntry[]): Buffer =>
  Buffer.from(
    [COLUMNS, ...companies.map(({ id, reference, freeText, personalLimit }) => [id, '', '', reference, freeText, personalLimit])]
      .map(cells => cells.map(cell).join(','))
      .join('\r\n')
      .concat('\r\n'),
  )

export function createPortfolioSync(
  api: Api,
): Pick<
  PortfolioRequests,
  'readRules' | 'setRules' | 'countCompanies' | 'listCompanies' | 'sendCompanies' | 'listEvents' | 'markEvent'
> {
  return {
    async readRules(portfolio, country, options = {}) {
      const params = { portfolioId: String(portfolio), countryCode: country }
      return (await api.listPortfolioCountryEventRules(params, options)).map(ruleOf)
    },
    async setRules(portfolio, country, rules, options = {}) {
      const body = rules.map(({ code, active, params: [param0, param1, param2] }) => ({
        ...{ ruleCode: code, isActive: active ? (1 as const) : (0 as const) },
        ...{ param0, param1, param2 },
      }))
      await api.setEventRules({ portfolioId: String(portfolio), countryCode: country, body }, options)
    },
    async countCompanies(portfolio, options = {}) {
      const query = { page: 0, pageSize: 1 }
      return (await api.listPortfolioCompanies({ portfolioId: String(portfolio), query }, options)).totalCount
    },
    async listCompanies(portfolio, options = {}) {
      const found: PortfolioEntry[] = []
      const query = { pageSize: PAGE_SIZE }
      for await (const one of api.listPortfolioCompanies.all({ portfolioId: String(portfolio), query }, options))
        found.push({
          id: one.id,
          ...(one.safeNumber == null ? {} : { safeNumber: one.safeNumber }),
          reference: one.personalReference ?? '',
          freeText: one.freeText ?? '',
          personalLimit: String(one.personalLimit ?? ''),
        })
      return found
    },
    async listEvents(portfolio, since, options = {}) {
      const dated = since === null ? {} : { startDate: since, filterByCreatedDate: true }
      const query = { pageSize: PAGE_SIZE, sortBy: 'eventId' as const, ...dated }
      // A page may move while it is read: an event counts once.
      const found = new Map<number, CompanyEvent>()
      for await (const one of api.listPortfolioNotificationEvents.all({ portfolioId: String(portfolio), query }, options))
        found.set(one.notificationEventId, eventOf(one))
      const time = ({ at }: CompanyEvent): number => parseWireDate(at) ?? Number.POSITIVE_INFINITY
      return [...found.values()].sort((a, b) => time(a) - time(b))
    },
    async markEvent(portfolio, event, options = {}) {
      const params = { portfolioId: String(portfolio), notificationEventId: String(event) }
      try {
        await api.markNotificationEvent({ ...params, body: { isProcessed: true } }, options)
        return true
      } catch (error) {
        if (FettleError.is(error) && NOT_MARKED.includes(error.status)) return false
        throw error
      }
    },
    async sendCompanies(portfolio, kind, companies, options = {}) {
      const content = importFile(companies)
      const file = {
        filename: 'companies.csv',
        bytes: content.length,
        async *open() {
          yield content
        },
      }
      const call = kind === 'import' ? api.importCompanies : api.syncCompanies
      try {
        const { status } = await call({ portfolioId: String(portfolio), file }, options)
        // The answer of a write that succeeded may lack it.
        return String(status ?? '')
      } catch (error) {
        if (FettleError.is(error) && MISSING.includes(error.status)) return null
        throw error
      }
    },
  }
}
