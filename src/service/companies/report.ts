/**
 * The company report: built from the register without sections that have no data, as JSON or PDF, and its routes (contract §9.3, §14.3). A
 * large report is returned as a redirect to a signed link, valid for a while without a token. The link contains the order, and the report is
 * built again from it.
 */
import type { FastifyInstance } from 'fastify'
import type { CompanyReport, ReportReply } from '../../contract/index.ts'
import type { User } from '../auth/users.ts'
import type { AppDeps } from '../deps.ts'
import { safeNumber } from '../enrichment/tags.ts'
import { type PdfSection, renderPdf, requirePdf } from '../http/pdf.ts'
import { readsRelativeLinks } from '../http/public-address.ts'
import { type Call, createRouter, type LinkRoute } from '../http/route.ts'
import type { Company, Figures } from '../matching/types.ts'
import { badRequest, notFound, Refusal } from '../refusal.ts'
import type { Officer } from '../registers/officers.ts'
import { listDirectors } from './directors.ts'
import { listActivities, readAddress, readStatus, withoutEmpty } from './facts.ts'

/** Reasons to order a report in Germany; the code is the position from 1. */
const REASONS = [
  'credit decision',
  'assessment of a future business connection',
  'assessment of an existing business connection',
  'collection of receivables',
  'purchase contract',
  'goods credit insurance',
  'lease or rent',
  'insurance contract',
]

export const listCustomData = (country: string) =>
  country === 'DE'
    ? [{ key: 'de_reason_code', optional: false, allowedValues: REASONS.map((_, at) => String(at + 1)), description: REASONS }]
    : []

/** Throws a 400 when required custom data is missing. */
function requireCustomData(country: string, customData = ''): void {
  for (const { key, allowedValues } of listCustomData(country)) {
    const value = /(?:^|[,;&|\s])de_reason_code::(\d+)(?=$|[,;&|\s])/.exec(customData)?.[1]
    if (value !== undefined && allowedValues.includes(value)) continue
    const why = `customData: ${country} requires ${key}::n, where n is one of ${allowedValues.join(', ')}`
    throw badRequest('The report cannot be ordered', why)
  }
}

export function makeReport(company: Company, officers: readonly Officer[]): CompanyReport {
  const { connectId: companyId, name, country, orgNumber, vatNumber, tradingNames, previousNames, email, website } = company
  const { legalForm = '', incorporated = '', figures = {} } = company
  const { currency = '', employees = '' } = figures
  const [turnover, equity, profit] = [readAmount(figures.turnover), readAmount(figures.equity), readAmount(figures.profit)]
  const money = (value: number | undefined) => (value === undefined ? undefined : { value, ...withoutEmpty({ currency }) })
  const formerNames = previousNames.map((previous, at) => {
    const until = company.previousUntil?.[at] ?? ''
    return { name: previous, dateChanged: until === '' ? undefined : `${until}T00:00:00Z` }
  })
  const activities = listActivities(company)
  const [main] = activities
  const status = readStatus(company)
  const companyStatus = status === '' ? undefined : { status, description: company.status }
  const address = readAddress(company)
  const statement = {
    ...withoutEmpty({ currency }),
    profitAndLoss: { revenue: turnover, profitAfterTax: profit },
    balanceSheet: { totalShareholdersEquity: equity },
  }
  const hasStatement = turnover !== undefined || equity !== undefined || profit !== undefined
  const rating = readRating(figures)
  return {
    companyId,
    language: 'EN',
    companySummary: {
      ...withoutEmpty({ businessName: name, country, companyNumber: safeNumber(company), companyRegistrationNumber: orgNumber }),
      mainActivity: main,
      companyStatus,
      latestTurnoverFigure: money(turnover),
      latestShareholdersEquityFigure: money(equity),
    },
    companyIdentification: {
      basicInformation: {
        ...withoutEmpty({
          businessName: tradingNames[0] ?? name,
          registeredCompanyName: name,
          companyRegistrationNumber: orgNumber,
          country,
          vatRegistrationNumber: vatNumber,
        }),
        companyStatus,
        legalForm: legalForm === '' ? undefined : { description: legalForm },
        companyRegistrationDate: /^\d{4}-\d{2}-\d{2}$/.test(incorporated) ? `${incorporated}T00:00:00Z` : undefined,
        principalActivity: main,
        contactAddress: address,
      },
      activityClassifications: main === undefined ? undefined : [{ activities }],
      previousNames: formerNames.length === 0 ? undefined : formerNames,
      tradingNames: tradingNames.length === 0 ? undefined : tradingNames.map(trading => ({ name: trading })),
    },
    contactInformation: {
      mainAddress: address,
      emailAddresses: email === '' ? undefined : [email],
      websites: website === '' ? undefined : [website],
    },
    creditScore: rating === undefined ? undefined : { currentCreditRating: rating },
    directors: officers.length === 0 ? undefined : listDirectors(officers),
    otherInformation: employees === '' ? undefined : { employeesInformation: [{ numberOfEmployees: employees }] },
    financialStatements: hasStatement ? [statement] : undefined,
  }
}

/** Undefined for a text that is not an amount. */
function readAmount(text = ''): number | undefined {
  const amount = Number(text.replaceAll(/[\s,]/g, ''))
  return text === '' || Number.isNaN(amount) ? undefined : amount
}

/** Band, score and credit limit; undefined where the register has none of them. */
function readRating({ rating = '', score = '', limit = '', currency = '' }: Figures) {
  const value = readAmount(limit)
  if (rating === '' && score === '' && value === undefined) return undefined
  return {
    commonValue: rating || undefined,
    providerValue: score === '' ? undefined : { value: score },
    creditLimit: value === undefined ? undefined : { value: String(value), ...withoutEmpty({ currency }) },
  }
}

/** `companyRegistrationNumber` becomes `Company registration number`. */
const formatLabel = (key: string): string => {
  const words = key.replace(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const isPlain = (value: unknown): boolean => typeof value !== 'object' || value === null

function listRows(value: unknown, key: string): [string, string][] {
  if (value === null || value === undefined || value === '') return []
  if (Array.isArray(value)) {
    if (value.every(isPlain)) return [[key, value.join('\n')]]
    return value.flatMap((element, at) => listRows(element, `${key} ${at + 1}`.trim()))
  }
  if (typeof value === 'object') {
    return Object.entries(value).flatMap(([name, inner]) =>
      listRows(inner, key === '' ? formatLabel(name) : `${key}: ${formatLabel(name).toLowerCase()}`),
    )
  }
  // The midnight of a day is how the wire writes the day.
  return [[key, String(value).replace(/^(\d{4}-\d{2}-\d{2})T00:00:00Z$/, '$1')]]
}

/** A section for every non-empty part of the record. */
export const listSections = (record: object): PdfSection[] =>
  Object.entries(record).flatMap(([key, value]) => {
    const rows = listRows(value, isPlain(value) ? formatLabel(key) : '')
    return rows.length === 0 ? [] : [{ heading: formatLabel(key), rows }]
  })

const JSON_AND_PDF = 'application/json+pdf'
const TEMPLATE = 'full'

type Order = { readonly connectId: string; readonly userId: number; readonly withPdf: boolean }

/** Counts a report, or throws a 403 when the user's quota for this country is exhausted. */
export function countReport({ usage, limits }: AppDeps, user: User, product: 'company' | 'person', country: string): void {
  if (usage.used(user.id, product, country) >= limits.reports) throw new Refusal(403, 'Access forbidden')
  usage.count(user.id, product, country)
}

export function reportRoutes(app: FastifyInstance, deps: AppDeps): void {
  const route = createRouter(app, deps)
  const { search, officers, clock, limits, links, addressOf } = deps

  const answer = async (company: Company, { userId, withPdf }: Order, id: string): Promise<ReportReply> => {
    const report = makeReport(company, officers.ofCompany(company.connectId))
    const { connectId } = company
    const common = { failedSections: [], dateOfOrder: new Date(clock.now()).toISOString(), language: 'EN' }
    if (!withPdf) return { correlationId: id, ...common, companyId: connectId, userId, report }
    const { companyId: _id, language: _language, ...sections } = report
    const order = { Company: connectId, 'Date of order': common.dateOfOrder }
    const pdf = await renderPdf(company.name, [{ heading: 'Order', rows: Object.entries(order) }, ...listSections(sections)])
    const pdfReportStream = pdf.toString('base64')
    return { correlationID: id, ...common, companyID: connectId, userID: userId, report, pdfReportStream }
  }

  const chooseType = ({ withPdf }: Order): string => (withPdf ? JSON_AND_PDF : 'application/json; charset=utf-8')

  type ReportCall = Call<undefined, { template: string; customData?: string }>
  const order = async ({ user, id, query, request, reply }: ReportCall): Promise<unknown> => {
    if (query.template !== TEMPLATE)
      throw badRequest('The report cannot be ordered', `template: this service supports only ${TEMPLATE}`)
    const company = await search.find(id)
    if (company === null) throw notFound('Company')
    requireCustomData(company.country, query.customData)
    const withPdf = request.headers.accept?.toLowerCase().includes(JSON_AND_PDF) === true
    // Before the report counts against the quota.
    if (withPdf) await requirePdf()
    countReport(deps, user, 'company', company.country)
    const ordered: Order = { connectId: company.connectId, userId: user.person, withPdf }
    const body = JSON.stringify(await answer(company, ordered, request.id))
    if (Buffer.byteLength(body) <= limits.reportBytes) return reply.type(chooseType(ordered)).send(body)
    const name = Buffer.from(JSON.stringify(ordered)).toString('base64url')
    const base = readsRelativeLinks(request) ? '' : addressOf(request.raw)
    return reply.redirect(`${base}/reports/${name}?${links.sign(`report ${name}`, user)}`, 302)
  }
  route('readReport', order)

  app.get<LinkRoute>('/reports/:name', async ({ params, query, id }, reply) => {
    if (links.check(`report ${params.name}`, query) === null)
      throw new Refusal(403, 'Access forbidden: the link has expired or is invalid')
    const ordered = JSON.parse(Buffer.from(params.name, 'base64url').toString()) as Order
    const company = await search.find(ordered.connectId)
    if (company === null) throw notFound('Company')
    return reply
      .headers({ 'Cache-Control': 'no-store' })
      .type(chooseType(ordered))
      .send(JSON.stringify(await answer(company, ordered, id)))
  })
}
