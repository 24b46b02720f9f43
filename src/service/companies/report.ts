/** Builds the report of a company from the register; sections without data are omitted (contract §9.3, §14.3). */
import type { CompanyReport } from '../../contract/index.ts'
import { safeNumber } from '../enrichment/tags.ts'
import type { Figures } from '../matching/figures.ts'
import type { Company } from '../matching/types.ts'
import type { Officer } from '../registers/officer.ts'
import { directorsOf } from './directors.ts'
import { activitiesOf, addressOf, statusOf, withoutEmpty } from './facts.ts'

export function reportOf(company: Company, officers: readonly Officer[]): CompanyReport {
  const { connectId: companyId, name, country, orgNumber, vatNumber, tradingNames, previousNames, email, website } = company
  const { legalForm = '', incorporated = '', figures = {} } = company
  const rating = ratingOf(figures)
  const { turnover, equity, profit } = amountsOf(figures)
  const { currency = '', employees = '' } = figures
  const money = (value: number) => ({ value, ...withoutEmpty({ currency }) })
  const formerName = (previous: string, at: number) => {
    const until = company.previousUntil?.[at] ?? ''
    return { name: previous, ...(until === '' ? {} : { dateChanged: `${until}T00:00:00Z` }) }
  }
  const activities = activitiesOf(company)
  const [main] = activities
  const status = statusOf(company)
  const companyStatus = status === '' ? {} : { companyStatus: { status, description: company.status } }
  const address = addressOf(company)
  return {
    companyId,
    language: 'EN',
    companySummary: {
      ...withoutEmpty({ businessName: name, country, companyNumber: safeNumber(company), companyRegistrationNumber: orgNumber }),
      ...(main === undefined ? {} : { mainActivity: main }),
      ...companyStatus,
      ...(turnover === null ? {} : { latestTurnoverFigure: money(turnover) }),
      ...(equity === null ? {} : { latestShareholdersEquityFigure: money(equity) }),
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
        ...companyStatus,
        ...(legalForm === '' ? {} : { legalForm: { description: legalForm } }),
        ...(/^\d{4}-\d{2}-\d{2}$/.test(incorporated) ? { companyRegistrationDate: `${incorporated}T00:00:00Z` } : {}),
        ...(main === undefined ? {} : { principalActivity: main }),
        contactAddress: address,
      },
      ...(main === undefined ? {} : { activityClassifications: [{ activities }] }),
      ...(previousNames.length === 0 ? {} : { previousNames: previousNames.map((previous, at) => formerName(previous, at)) }),
      ...(tradingNames.length === 0 ? {} : { tradingNames: tradingNames.map(trading => ({ name: trading })) }),
    },
    contactInformation: {
      mainAddress: address,
      ...(email === '' ? {} : { emailAddresses: [email] }),
      ...(website === '' ? {} : { websites: [website] }),
    },
    ...(rating === null ? {} : { creditScore: { currentCreditRating: rating } }),
    ...(officers.length === 0 ? {} : { directors: directorsOf(officers) }),
    ...(employees === '' ? {} : { otherInformation: { employeesInformation: [{ numberOfEmployees: employees }] } }),
    ...(turnover === null && equity === null && profit === null
      ? {}
      : {
          financialStatements: [
            {
              ...withoutEmpty({ currency }),
              profitAndLoss: withoutNull({ revenue: turnover, profitAfterTax: profit }),
              balanceSheet: withoutNull({ totalShareholdersEquity: equity }),
            },
          ],
        }),
  }
}

const withoutNull = (amounts: Readonly<Record<string, number | null>>): Record<string, number> =>
  Object.fromEntries(Object.entries(amounts).flatMap(([name, amount]) => (amount === null ? [] : [[name, amount]])))

/** Null for a text that is not an amount. */
function amountOf(text: string): number | null {
  const amount = Number(text.replaceAll(/[\s,]/g, ''))
  return text === '' || Number.isNaN(amount) ? null : amount
}

const amountsOf = ({ turnover = '', equity = '', profit = '' }: Figures) => ({
  turnover: amountOf(turnover),
  equity: amountOf(equity),
  profit: amountOf(profit),
})

/** Band, score and credit limit; null where the register has none of them. */
function ratingOf({ rating = '', score = '', limit = '', currency = '' }: Figures) {
  const value = amountOf(limit)
  const creditLimit = value === null ? {} : { creditLimit: { value: String(value), ...withoutEmpty({ currency }) } }
  const found = {
    ...withoutEmpty({ commonValue: rating }),
    ...(score === '' ? {} : { providerValue: { value: score } }),
    ...creditLimit,
  }
  return Object.keys(found).length === 0 ? null : found
}
