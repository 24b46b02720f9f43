/** The headers of the real publications, column by column. */

const numbered = (count: number, of: (n: number) => readonly string[]): string[] =>
  Array.from({ length: count }, (_, at) => of(at + 1)).flat()

const names = (list: string, one: string): string[] =>
  numbered(5, n => [`Entity.${list}.${one}.${n}`, `Entity.${list}.${one}.${n}.xmllang`, `Entity.${list}.${one}.${n}.type`])

const address = (which: string): string[] =>
  [
    'xmllang',
    'FirstAddressLine',
    'AddressNumber',
    'AddressNumberWithinBuilding',
    'MailRouting',
    'AdditionalAddressLine.1',
    'AdditionalAddressLine.2',
    'AdditionalAddressLine.3',
    'City',
    'Region',
    'Country',
    'PostalCode',
  ].map(part => `Entity.${which}.${part}`)

/** LEI-CDF 3.1 as the golden copy's CSV gives it, its columns in order up to those that the importer never reads. */
export const GLEIF_HEADER: readonly string[] = [
  'LEI',
  'Entity.LegalName',
  'Entity.LegalName.xmllang',
  ...names('OtherEntityNames', 'OtherEntityName'),
  ...names('TransliteratedOtherEntityNames', 'TransliteratedOtherEntityName'),
  ...address('LegalAddress'),
  ...address('HeadquartersAddress'),
  'Entity.RegistrationAuthority.RegistrationAuthorityID',
  'Entity.RegistrationAuthority.OtherRegistrationAuthorityID',
  'Entity.RegistrationAuthority.RegistrationAuthorityEntityID',
  'Entity.LegalJurisdiction',
  'Entity.EntityCategory',
  'Entity.EntitySubCategory',
  'Entity.LegalForm.EntityLegalFormCode',
  'Entity.LegalForm.OtherLegalForm',
  'Entity.EntityStatus',
  'Entity.EntityCreationDate',
  'Registration.InitialRegistrationDate',
  'Registration.LastUpdateDate',
  'Registration.RegistrationStatus',
  'Registration.NextRenewalDate',
  'Registration.ManagingLOU',
  'Registration.ValidationSources',
]

/** BasicCompanyData: 55 columns, some of whose names begin with a blank. */
export const COMPANIES_HOUSE_HEADER: readonly string[] = [
  'CompanyName',
  ' CompanyNumber',
  'RegAddress.CareOf',
  'RegAddress.POBox',
  'RegAddress.AddressLine1',
  ' RegAddress.AddressLine2',
  'RegAddress.PostTown',
  'RegAddress.County',
  'RegAddress.Country',
  'RegAddress.PostCode',
  'CompanyCategory',
  'CompanyStatus',
  'CountryOfOrigin',
  'DissolutionDate',
  'IncorporationDate',
  'Accounts.AccountRefDay',
  'Accounts.AccountRefMonth',
  'Accounts.NextDueDate',
  'Accounts.LastMadeUpDate',
  'Accounts.AccountCategory',
  'Returns.NextDueDate',
  'Returns.LastMadeUpDate',
  'Mortgages.NumMortCharges',
  'Mortgages.NumMortOutstanding',
  'Mortgages.NumMortPartSatisfied',
  'Mortgages.NumMortSatisfied',
  'SICCode.SicText_1',
  'SICCode.SicText_2',
  'SICCode.SicText_3',
  'SICCode.SicText_4',
  'LimitedPartnerships.NumGenPartners',
  'LimitedPartnerships.NumLimPartners',
  'URI',
  ...numbered(10, n => [` PreviousName_${n}.CONDATE`, ` PreviousName_${n}.CompanyName`]),
  'ConfStmtNextDueDate',
  ' ConfStmtLastMadeUpDate',
]
