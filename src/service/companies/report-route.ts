/**
 * Routes of the company report: contract §9.3. A large report is returned as a redirect to a signed link, valid for a while
 * without a token. The link contains the order, and the report is built again from it.
 */

import type { FastifyInstance } from 'fastify'
import type { ReportReply } from '../../contract/index.ts'
import type { User } from '../auth/users.ts'
import type { AppDeps } from '../deps.ts'
import { type PdfSection, pdfOf, requirePdf } from '../http/pdf.ts'
import { readsRelativeLinks } from '../http/public-address.ts'
import { sectionsOf } from '../http/readable.ts'
import { type Call, route } from '../http/route.ts'
import type { Company } from '../matching/types.ts'
import { badRequest, notFound, Refusal } from '../refusal.ts'
import { requireCustomData } from './custom-data.ts'
import { reportOf } from './report.ts'

const JSON_AND_PDF = 'application/json+pdf'
const TEMPLATE = 'full'

interface Order {
  readonly connectId: string
  readonly userId: number
  readonly withPdf: boolean
}

interface LinkRoute {
  Params: { name: string }
  Querystring: Record<string, unknown>
}

/** Counts a report, or throws a 403 when the user's quota for this country is exhausted. */
export function countReport({ usage, limits }: AppDeps, user: User, product: 'company' | 'person', country: string): void {
  if (usage.used(user.id, product, country) >= limits.reports) throw new Refusal(403, 'Access forbidden')
  usage.count(user.id, product, country)
}

export function reportRoutes(app: FastifyInstance, deps: AppDeps): void {
  const { search, officers, clock, limits, links, addressOf } = deps

  const answer = async (company: Company, { userId, withPdf }: Order, id: string): Promise<ReportReply> => {
    const report = reportOf(company, officers.ofCompany(company.connectId))
    const at = clock.now()
    const { connectId } = company
    const common = { failedSections: [], dateOfOrder: new Date(at).toISOString(), language: 'EN' }
    if (!withPdf) return { correlationId: id, ...common, companyId: connectId, userId, report }
    const { companyId: _id, language: _language, ...sections } = report
    const order: PdfSection = {
      heading: 'Order',
      rows: [
        ['Company', connectId],
        ['Date of order', new Date(at).toISOString()],
      ],
    }
    const pdf = await pdfOf(company.name, [order, ...sectionsOf(sections)])
    const pdfReportStream = pdf.toString('base64')
    return { correlationID: id, ...common, companyID: connectId, userID: userId, report, pdfReportStream }
  }

  const typeOf = ({ withPdf }: Order): string => (withPdf ? JSON_AND_PDF : 'application/json; charset=utf-8')

  type ReportCall = Call<undefined, { template: string; customData?: string | undefined }>
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
    if (Buffer.byteLength(body) <= limits.reportBytes) return reply.type(typeOf(ordered)).send(body)
    const name = Buffer.from(JSON.stringify(ordered)).toString('base64url')
    return reply.redirect(
      `${readsRelativeLinks(request) ? '' : addressOf(request.raw)}/reports/${name}?${links.sign(`report ${name}`, user)}`,
      302,
    )
  }
  route(app, deps, 'readReport', order)

  app.get<LinkRoute>('/reports/:name', async ({ params, query, id }, reply) => {
    if (links.check(`report ${params.name}`, query) === null)
      throw new Refusal(403, 'Access forbidden: the link has expired or is invalid')
    const ordered = JSON.parse(Buffer.from(params.name, 'base64url').toString()) as Order
    const company = await search.find(ordered.connectId)
    if (company === null) throw notFound('Company')
    return reply
      .headers({ 'Cache-Control': 'no-store' })
      .type(typeOf(ordered))
      .send(JSON.stringify(await answer(company, ordered, id)))
  })
}
