/**
 * Routes of portfolios, their totals, sharing and companies, and their wire records: contract §2.3, §8 rows 31 to 45, 49, 49a. Some fields
 * have different names in lists and single records.
 */
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import { formatSpacedDate, type Permission, type Personal } from '../../contract/index.ts'
import { CsvFault } from '../csv/csv.ts'
import { CUSTOMER } from '../data-cleaning/job-record.ts'
import { acceptMultipart, type Form, notMultipart, receive, watchEnvelope } from '../data-cleaning/upload-route.ts'
import type { AppDeps } from '../deps.ts'
import { runIdempotent } from '../http/idempotency.ts'
import { type Call, createRouter, findWindow, makePaging, nameIgnored } from '../http/route.ts'
import type { Need } from '../object-access.ts'
import { badRequest, conflict, notFound, Refusal } from '../refusal.ts'
import type { Holding, Notes } from './holdings.ts'
import { checkImport, type PendingImport } from './importer.ts'
import type { Portfolio } from './store.ts'

/** A portfolio in a list: addresses are in `email`, and `isDefault` is text. */
const portfolioItem = ({ id, name, isDefault, settings, isShared }: Portfolio) => ({
  portfolioId: id,
  name,
  isDefault: String(isDefault),
  emails: (settings.emails ?? []).map(({ firstName = '', lastName = '', emailAddress: email = '' }) => ({
    firstName,
    lastName,
    email,
  })),
  isSharedPortfolio: Number(isShared),
})

const portfolioRecord = ({ id, name, isDefault, settings }: Portfolio) => ({
  portfolioId: id,
  name,
  isDefault,
  emailSubject: settings.emailSubject ?? '',
  emails: settings.emails ?? [],
})

const number = (text: string): number | null => (text === '' || Number.isNaN(Number(text)) ? null : Number(text))

/** A limit and a rating that the register does not have are null. */
const common = (holding: Holding) => ({
  safeNumber: holding.safeNumber,
  name: holding.facts.name,
  address: holding.facts.address,
  countryCode: holding.country,
  portfolioId: holding.portfolio,
  creditLimit: number(holding.facts.limit),
  dateLastEvent: holding.lastEvent === null ? null : formatSpacedDate(holding.lastEvent),
  freeText: holding.freeText,
  personalLimit: holding.personalLimit === null ? null : String(holding.personalLimit),
  personalReference: holding.reference,
  ratingCommon: holding.facts.rating || null,
  ratingLocal: holding.facts.score || null,
  companyStatus: holding.facts.status || null,
  dateAdded: formatSpacedDate(holding.added),
  dateModified: formatSpacedDate(holding.modified),
})

export function portfolioRoutes(app: FastifyInstance, deps: AppDeps): void {
  const route = createRouter(app, deps)
  const { limits, portfolios, holdings } = deps
  const { portfolioOf } = deps.objects

  route('listPortfolios', ({ user, query, request }) => {
    const { searchQuery = '' } = query
    const totalCount = portfolios.count(user.id, searchQuery)
    const own = portfolios.list(user.id, searchQuery, findWindow(query, 0))
    const shared = portfolios.sharedWith(user.person).map(({ id, name }) => ({ portfolioId: id, name }))
    const data = { portfolios: own.map(portfolioItem), sharedPortfolios: shared }
    return { correlationId: request.id, totalCount, paging: makePaging(query, totalCount), data }
  })

  route('createPortfolio', call =>
    runIdempotent(deps, call, () => {
      if (portfolios.count(call.user.id, '') >= limits.portfolios) {
        throw new Refusal(507, 'Insufficient storage', `this user has ${limits.portfolios} portfolios; no more are allowed`)
      }
      const isSame = (other: { readonly name: string }): boolean => other.name === call.body.name
      if (portfolios.list(call.user.id, call.body.name, { limit: limits.portfolios, offset: 0 }).some(isSame))
        throw conflict('The portfolio exists already', 'name: one of your portfolios has it')
      const { id, name, isDefault } = portfolios.create(call.user.id, call.body)
      return { correlationId: call.request.id, portfolioId: id, name, isDefault }
    }),
  )

  route('readPortfolio', call => ({ correlationId: call.request.id, ...portfolioRecord(portfolioOf(call, 'View')) }))

  route('changePortfolio', call => portfolios.change(portfolioOf(call, 'Edit'), call.body))

  route('deletePortfolio', call => {
    portfolios.remove(portfolioOf(call, 'Own').id)
    return { message: 'Portfolio deleted' }
  })

  route('listPortfolioCountries', call => holdings.countries(portfolioOf(call, 'View').id))

  route('readRiskSummary', call => {
    const { id } = portfolioOf(call, 'View')
    const totalCompanies = holdings.count(id)
    const ratings = holdings.ratings(id)
    const bands = ['A', 'B', 'C', 'D', 'E'].map(band => {
      const count = ratings.get(band) ?? 0
      const share = totalCompanies === 0 ? 0 : count / totalCompanies
      return { [`band${band}Count`]: count, [`band${band}pc`]: Math.round(share * 10_000) / 100 }
    })
    return Object.assign({ correlationId: call.request.id, totalCompanies }, ...bands)
  })

  sharingRoutes(app, deps)
  portfolioCompanyRoutes(app, deps)
  portfolioCopyRoutes(app, deps)
  app.register(async scope => portfolioImportRoutes(scope, deps))
}

function sharingRoutes(app: FastifyInstance, deps: AppDeps): void {
  const route = createRouter(app, deps)
  const { users, portfolios, transaction } = deps
  const { portfolioOf } = deps.objects

  route('readSharing', call => {
    const { id } = portfolioOf(call, 'Own')
    const names = new Map([...users.values()].map(({ person, username }) => [person, username]))
    const userPermission = [...portfolios.shares(id)].map(([csUserId, permissions]) => {
      return { csUserId, userName: names.get(csUserId) ?? null, permission: permissions.join(',') }
    })
    return { correlationId: call.request.id, data: { portfolioId: String(id), customerId: CUSTOMER.id, userPermission } }
  })

  route('changeSharing', call => {
    const { id, owner } = portfolioOf(call, 'Own')
    const { revokeAll, userPermissions = [] } = call.body
    const tenants = new Map([...users.values()].map(({ person, id }) => [person, id]))
    for (const [index, { csUserId }] of userPermissions.entries()) {
      const tenant = tenants.get(csUserId)
      if (tenant !== undefined && tenant !== owner) continue
      const why = tenant === undefined ? 'is not a user of this service' : 'is of the tenant that owns it'
      throw badRequest('The sharing is not acceptable', `userPermissions[${index}].csUserId: ${csUserId} ${why}`)
    }
    transaction(() => {
      if (revokeAll === 'true') portfolios.revokeAll(id)
      for (const { csUserId, permissions } of userPermissions) {
        const words = permissions.split(/, ?/).filter(word => word !== '') as Permission[]
        portfolios.share(id, csUserId, [...new Set(words)])
      }
    })
    return { correlationId: call.request.id, data: { portfolioId: String(id), customerId: CUSTOMER.id, status: 'Success' } }
  })
}

const readNotes = ({ personalReference: reference, freeText, personalLimit }: Personal): Notes => ({
  reference,
  freeText,
  personalLimit,
})

/** Throws a 400 unless the request names either all companies or some of them. */
function requireChoice(all: boolean, name: string, companies: readonly unknown[]): void {
  if (all === (companies.length === 0)) return
  const why = all ? `must be empty when ${name} is true` : `must name a company unless ${name} is true`
  throw badRequest('The request is not acceptable', `companies: ${why}`)
}

type CopyBody = { readonly portfolios: readonly number[]; readonly companies: readonly { readonly id: string }[] }

type PortfolioCall = Pick<Call<unknown, unknown>, 'user' | 'params'>

function portfolioCopyRoutes(app: FastifyInstance, deps: AppDeps): void {
  const route = createRouter(app, deps)
  const { objects, holdings } = deps
  const { portfolioOf } = objects

  /** The target portfolio of a copy, or the reason why the user cannot add to it. */
  const findTarget = ({ user }: PortfolioCall, id: number): Portfolio | string => {
    try {
      return objects.portfolio(user, id, 'Add')
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return error.status === 404 ? `portfolio ${id} is unknown` : `portfolio ${id} is not yours to add to`
    }
  }
  /** Copies a company; returns the reason of a failure, else null. */
  const copyCompany = (from: Portfolio, target: Portfolio | string, companyId: string): string | null => {
    if (typeof target === 'string') return target
    const holding = objects.held(from, companyId)
    if (holding === null) return `company ${companyId} is not in portfolio ${from.id}`
    return holdings.copy(from.id, target.id, holding.connectId)
      ? null
      : `company ${companyId} is in portfolio ${target.id} already`
  }
  /** Copies companies to portfolios. With `move`, a company is removed once all targets are writable and contain it. */
  const copy = (call: Call<CopyBody, unknown>, from: Portfolio, all: boolean, move: boolean): unknown => {
    const ids = [...new Set(call.body.portfolios)]
    if (ids.includes(from.id)) {
      throw badRequest('The request is not acceptable', `portfolios: ${from.id} is the portfolio the companies are in`)
    }
    const targets = ids.map(id => findTarget(call, id))
    const companies = all ? holdings.ids(from.id) : [...new Set(call.body.companies.map(({ id }) => id))]
    const reasons: string[] = []
    for (const company of companies) {
      reasons.push(...targets.flatMap(target => copyCompany(from, target, company) ?? []))
      const holding = move ? objects.held(from, company) : null
      const isIn = (target: Portfolio | string, id: string): boolean =>
        typeof target !== 'string' && objects.held(target, id) !== null
      if (holding !== null && targets.every(target => isIn(target, holding.connectId))) {
        holdings.remove(from.id, holding.connectId)
      }
    }
    const totalPortfoliosCompanies = targets.length * companies.length
    const failedPortfoliosCompanies = reasons.length
    return {
      correlationId: call.request.id,
      data: {
        ...{ totalPortfoliosCompanies, failedPortfoliosCompanies },
        successfulPortfoliosCompanies: totalPortfoliosCompanies - failedPortfoliosCompanies,
        reason: reasons.length > 3 ? `${reasons.slice(0, 3).join('; ')} (and ${reasons.length - 3} more)` : reasons.join('; '),
      },
    }
  }

  route('copyCompanies', call => {
    const portfolio = portfolioOf(call, 'View')
    requireChoice(call.query.copyAll, 'copyAll', call.body.companies)
    return runIdempotent(deps, call, () => copy(call, portfolio, call.query.copyAll, false))
  })

  route('moveCompanies', call => {
    const portfolio = portfolioOf(call, 'View', 'Remove')
    requireChoice(call.query.removeAll, 'removeAll', call.body.companies)
    return runIdempotent(deps, call, () => copy(call, portfolio, call.query.removeAll, true))
  })
}

function portfolioCompanyRoutes(app: FastifyInstance, deps: AppDeps): void {
  const route = createRouter(app, deps)
  const { objects, search, holdings, transaction } = deps
  const { portfolioOf } = objects

  /** The company of a call. The response of a change does not contain it, because the user may lack the right to view it. */
  const findHolding = (call: PortfolioCall, need: Need): Holding =>
    objects.company(portfolioOf(call, need), call.params.companyId ?? '')

  route('listPortfolioCompanies', call => {
    const { id } = portfolioOf(call, 'View')
    const { searchQuery = '', countryCode = '' } = call.query
    const { total, holdings: found } = holdings.list(id, searchQuery, countryCode, findWindow(call.query, 0))
    // In a list the connectId is in `id`.
    const data = found.map(holding => ({ id: holding.connectId, ...common(holding) }))
    return { correlationId: call.request.id, totalCount: total, paging: makePaging(call.query, total), data }
  })

  route('addCompany', async call => {
    portfolioOf(call, 'Add')
    const company = await search.find(call.body.id)
    return runIdempotent(deps, call, () => {
      // Checked again: the portfolio may have been deleted during the search.
      const { id } = portfolioOf(call, 'Add')
      if (company === null) throw notFound('Company resource')
      if (!holdings.add(id, company, readNotes(call.body))) {
        throw conflict('Company already in portfolio', `id: ${company.connectId} is in portfolio ${id} already`)
      }
      return { correlationId: call.request.id, message: 'Company Added' }
    })
  })

  route('readPortfolioCompany', call => {
    const holding = findHolding(call, 'View')
    return { correlationId: call.request.id, connectId: holding.connectId, ...common(holding) }
  })

  route('changeCompany', call => {
    const { portfolio, connectId } = findHolding(call, 'Edit')
    holdings.change(portfolio, connectId, readNotes(call.body))
    return { correlationId: call.request.id, message: 'Company updated' }
  })

  route('removeCompany', call => {
    const { portfolio, connectId } = findHolding(call, 'Remove')
    holdings.remove(portfolio, connectId)
    return { correlationId: call.request.id, message: 'Company removed' }
  })

  route('clearCompanies', call => {
    const portfolio = portfolioOf(call, 'Remove')
    const { id } = portfolio
    const { companies } = call.body
    requireChoice(call.query.clearAll, 'clearAll', companies)
    const removed = transaction(() => {
      if (call.query.clearAll) return holdings.clear(id)
      const found = companies.flatMap(company => objects.held(portfolio, company) ?? [])
      for (const { connectId } of found) holdings.remove(id, connectId)
      return new Set(found.map(({ connectId }) => connectId)).size
    })
    return { correlationId: call.request.id, message: `${removed} companies removed` }
  })
}

const FORM: Form = {
  // The schema has the first spelling, the examples the second.
  file: ['importcsv', 'importCsv'],
  fields: { email: { read: text => text, must: 'a text', isRequired: false } },
}

type Kind = PendingImport['kind']
type ImportCall = Pick<Call<unknown, unknown>, 'user' | 'params' | 'request' | 'reply'>

/**
 * Import and sync. The file is validated before it is accepted; the importer then applies its rows. `scope` must be a separate scope, because
 * multipart bodies are parsed only there.
 */
async function portfolioImportRoutes(scope: FastifyInstance, deps: AppDeps): Promise<void> {
  const route = createRouter(scope, deps)
  const { objects, limits, clock, imports, importer, importDir } = deps
  await acceptMultipart(scope, limits)
  const place = (id: string): string => join(importDir, `${id}.csv`)

  let arriving = 0

  const receiveFile = async ({ request, reply }: ImportCall): Promise<string> => {
    const envelope = watchEnvelope(request.raw, limits.uploadEnvelopeBytes)
    const parts = request.parts({ limits: { fileSize: limits.importBytes } })
    try {
      const { id, ignored } = await receive(parts, { limits, form: FORM, place, envelope })
      nameIgnored(reply, ignored)
      return place(id)
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'FST_REQ_FILE_TOO_LARGE') throw error
      throw new Refusal(413, 'Content Too Large', `importcsv: is larger than ${limits.importBytes} bytes; split it`)
    }
  }

  const accept = async (call: ImportCall, kind: Kind, needs: readonly Need[]): Promise<PendingImport> => {
    const path = await receiveFile(call)
    try {
      await checkImport(path, limits)
      // The portfolio may have been deleted during the upload.
      const { id: portfolio } = objects.portfolioOf(call, ...needs)
      return imports.add({ portfolio, kind, file: basename(path), accepted: clock.now() })
    } catch (error) {
      await rm(path, { force: true })
      throw error instanceof CsvFault ? badRequest('The import is not acceptable', `importcsv: ${error.message}`) : error
    }
  }

  const importAs =
    (kind: Kind, ...needs: readonly Need[]) =>
    async (call: ImportCall): Promise<unknown> => {
      objects.portfolioOf(call, ...needs)
      if (!call.request.isMultipart()) throw notMultipart()
      if (imports.count() + arriving >= limits.imports) {
        const why = `${limits.imports} imports wait or arrive already`
        throw new Refusal(507, 'Insufficient storage', why, { 'Retry-After': '60' })
      }
      arriving += 1
      const { id } = await accept(call, kind, needs).finally(() => {
        arriving -= 1
      })
      importer.wake()
      return { correlationId: call.request.id, status: `Accepted for processing. Import Id ${id}` }
    }
  route('importCompanies', importAs('import', 'Add'), { bodyLimit: limits.importBytes })
  route('syncCompanies', importAs('sync', 'Add', 'Edit', 'Remove'), { bodyLimit: limits.importBytes })
}
