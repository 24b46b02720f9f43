/**
 * Reads rows of the GLEIF golden copy of LEI records (LEI-CDF 3.1 as CSV): legal name, other and transliterated names by type,
 * legal address, registration authority.
 */
import type { Kind } from './kind.ts'

const ADDRESS = 'Entity.LegalAddress.'
/** `Entity.OtherEntityNames.OtherEntityName.1`, without its `.xmllang` and `.type`; also the transliterated ones. */
const OTHER_NAME = /^Entity\.(?:Transliterated)?OtherEntityNames\.(?:Transliterated)?OtherEntityName\.\d+$/
/** Records withdrawn by GLEIF: the entity has another LEI or no LEI. */
const WITHDRAWN = new Set(['DUPLICATE', 'ANNULLED'])
/** ELF code 8888: the legal form has no code and is written out. */
const NO_CODE = '8888'

/** The file name of a golden copy starts with its day: `20261121-0800-gleif-goldencopy-lei2-golden-copy.csv.zip`. */
export const gleif: Kind = {
  summary: 'the GLEIF golden copy of LEI records, LEI-CDF as CSV',
  needs: ['LEI', 'Entity.LegalName'],
  header: 'LEI,Entity.LegalName,Entity.LegalAddress.Country,Entity.EntityStatus',
  reader: ({ cell: of, like }) => {
    const others = like(OTHER_NAME)
    return cells => {
      const cell = (column: string): string => of(cells, column)
      const record = cell('Registration.RegistrationStatus')
      if (WITHDRAWN.has(record)) return `the record is ${record}`
      const name = cell('Entity.LegalName')
      const named = others
        .map(column => ({ other: cell(column), isFormer: cell(`${column}.type`) === 'PREVIOUS_LEGAL_NAME' }))
        .filter(({ other }) => other !== '' && other !== name)
      const names = (isFormer: boolean): string[] => [
        ...new Set(named.filter(one => one.isFormer === isFormer).map(({ other }) => other)),
      ]
      const lines = ['MailRouting', 'AdditionalAddressLine.1', 'AdditionalAddressLine.2', 'AdditionalAddressLine.3', 'Region']
      const code = cell('Entity.LegalForm.EntityLegalFormCode')
      const legalForm = code === NO_CODE || code === '' ? cell('Entity.LegalForm.OtherLegalForm') : code
      // 1996-04-29T00:00:00Z
      const incorporated = cell('Entity.EntityCreationDate').slice(0, 10)
      return {
        id: cell('LEI'),
        name,
        country: cell(`${ADDRESS}Country`),
        orgNumber: cell('Entity.RegistrationAuthority.RegistrationAuthorityEntityID'),
        vatNumber: '',
        tradingNames: names(false),
        previousNames: names(true),
        address1: cell(`${ADDRESS}FirstAddressLine`),
        address2: lines
          .map(line => cell(ADDRESS + line))
          .filter(text => text !== '')
          .join(', '),
        town: cell(`${ADDRESS}City`),
        postcode: cell(`${ADDRESS}PostalCode`),
        phone: '',
        email: '',
        website: '',
        status: cell('Entity.EntityStatus'),
        ...(legalForm === '' ? {} : { legalForm }),
        ...(incorporated === '' ? {} : { incorporated }),
      }
    }
  },
}
