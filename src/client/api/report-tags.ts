/** The enrichment tags that the report of a company has (contract §9.3), for a company that no job matched. */
import { type CompanyAddress, type CompanyReport, streetLine } from '../../contract/index.ts'

/** Each tag by where a report has it; the first that is filled. */
const TAGS: Readonly<Record<string, (report: CompanyReport) => readonly (string | undefined)[]>> = {
  'general.connectId': ({ companyId }) => [companyId],
  'general.safeNumber': ({ companySummary }) => [companySummary?.companyNumber],
  'general.companyName': ({ companySummary, companyIdentification: own }) => [
    companySummary?.businessName,
    own?.basicInformation?.registeredCompanyName,
    own?.basicInformation?.businessName,
  ],
  'general.legalName': ({ companyIdentification: own }) => [own?.basicInformation?.registeredCompanyName],
  'general.companyNumber': numberOf,
  'general.organisationNumber': numberOf,
  'general.legalRegistrationNumber': numberOf,
  'general.vatNumber': ({ companyIdentification: own }) => [own?.basicInformation?.vatRegistrationNumber],
  'general.website': ({ contactInformation }) => [contactInformation?.websites?.[0]],
  'general.status': statusOf,
  'general.statusDesc.en': statusOf,
  'general.tradingName': tradingOf,
  'general.tradeName': tradingOf,
  'contact.country': ({ companySummary, companyIdentification: own }) => [
    companySummary?.country,
    own?.basicInformation?.country,
  ],
  'contact.city': report => addressesOf(report).map(address => address.city),
  'contact.addressLine1': report => addressesOf(report).map(address => streetOf(address, report.companySummary?.country ?? '')),
  'contact.postalCode': report => addressesOf(report).flatMap(({ postalCode, postCode }) => [postalCode, postCode]),
  'contact.contactPhone': report => addressesOf(report).map(address => address.telephone),
  'contact.email': ({ contactInformation }) => [contactInformation?.emailAddresses?.[0]],
}

function statusOf({ companySummary, companyIdentification: own }: CompanyReport): (string | undefined)[] {
  return [companySummary?.companyStatus, own?.basicInformation?.companyStatus].flatMap(status =>
    typeof status === 'object' ? [status.description, status.status] : [status],
  )
}

function numberOf({ companySummary, companyIdentification: own }: CompanyReport): (string | undefined)[] {
  return [companySummary?.companyRegistrationNumber, own?.basicInformation?.companyRegistrationNumber]
}

function tradingOf({ companyIdentification: own }: CompanyReport): (string | undefined)[] {
  return [own?.tradingNames?.[0]?.name]
}

const addressesOf = ({ contactInformation, companyIdentification: own }: CompanyReport) =>
  [contactInformation?.mainAddress, own?.basicInformation?.contactAddress].flatMap(one => (one == null ? [] : [one]))

function streetOf(
  { street, houseNumber, houseNo, simpleValue, country }: CompanyAddress,
  registered: string,
): string | undefined {
  const number = houseNumber ?? houseNo
  if (street === undefined || number === undefined) return street ?? simpleValue
  return streetLine(street, number, country ?? registered)
}

/** The filled ones. */
export const tagsOfReport = (report: CompanyReport): Record<string, string> =>
  Object.fromEntries(
    Object.entries(TAGS).flatMap(([tag, of]) => {
      const text = of(report).find(one => typeof one === 'string' && one.trim() !== '')
      return text === undefined ? [] : [[tag, text]]
    }),
  )
