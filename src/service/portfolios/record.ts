/**
 * Converts portfolios and their companies to wire records: contract §2.3, §8. Some fields have different names in lists and
 * single records.
 */
import { formatSpacedDate } from '../../contract/index.ts'
import type { Holding } from './holdings.ts'
import type { Portfolio } from './store.ts'

/** A portfolio in a list: addresses are in `email`, and `isDefault` is text. */
export const portfolioItem = ({ id, name, isDefault, settings, isShared }: Portfolio) => ({
  portfolioId: id,
  name,
  isDefault: String(isDefault),
  emails: (settings.emails ?? []).map(({ firstName = '', lastName = '', emailAddress = '' }) => ({
    ...{ firstName, lastName, email: emailAddress },
  })),
  isSharedPortfolio: Number(isShared),
})

export const portfolioRecord = ({ id, name, isDefault, settings }: Portfolio) => ({
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

/** A company in a list: its connectId is in `id`. */
export const companyItem = (holding: Holding) => ({ id: holding.connectId, ...common(holding) })

export const companyRecord = (holding: Holding) => ({ connectId: holding.connectId, ...common(holding) })
