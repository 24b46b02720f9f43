/** Portfolios and their companies as the wire shows them: contract §2.3, §8. Pure; it alone knows which name a field has where. */
import { formatSpacedDate } from '../../contract/index.ts'
import type { Holding } from './holdings.ts'
import type { Portfolio } from './store.ts'

/** A portfolio of a list: addresses go by `email`, and the default is told in words. */
export const portfolioItem = ({ id, name, isDefault, settings, isShared }: Portfolio) => ({
  portfolioId: id,
  name,
  isDefault: String(isDefault),
  emails: (settings.emails ?? []).map(({ firstName = '', lastName = '', emailAddress }) => ({
    ...{ firstName, lastName, email: emailAddress },
  })),
  isSharedPortfolio: Number(isShared),
})

/** A portfolio by itself. */
export const portfolioRecord = ({ id, name, isDefault, settings }: Portfolio) => ({
  portfolioId: id,
  name,
  isDefault,
  emailSubject: settings.emailSubject ?? '',
  emails: settings.emails ?? [],
})

/** Registers tell neither credit limits nor ratings: those fields are there, and null. */
const common = (holding: Holding) => ({
  safeNumber: holding.safeNumber,
  name: holding.facts.name,
  address: holding.facts.address,
  countryCode: holding.country,
  portfolioId: holding.portfolio,
  creditLimit: null,
  dateLastEvent: holding.lastEvent === null ? null : formatSpacedDate(holding.lastEvent),
  freeText: holding.freeText,
  personalLimit: holding.personalLimit,
  personalReference: holding.reference,
  ratingCommon: null,
  ratingLocal: null,
  companyStatus: holding.facts.status || null,
  dateAdded: formatSpacedDate(holding.added),
  dateModified: formatSpacedDate(holding.modified),
})

/** A company of a list: its connectId goes by `id`. */
export const companyItem = (holding: Holding) => ({ id: holding.connectId, ...common(holding) })

/** A company by itself. */
export const companyRecord = (holding: Holding) => ({ connectId: holding.connectId, ...common(holding) })
