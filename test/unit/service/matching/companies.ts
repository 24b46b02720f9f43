/** Fictitious companies for the matching tests, with empty values for fields that a test does not set. */
import type { Company } from '../../../../src/service/matching/index.ts'

export const company = (fields: Partial<Company> & { id: string; name: string }): Company => ({
  connectId: `${fields.country || 'XX'}-X-${fields.orgNumber || fields.id}`,
  country: '',
  orgNumber: '',
  vatNumber: '',
  tradingNames: [],
  previousNames: [],
  address1: '',
  address2: '',
  town: '',
  postcode: '',
  phone: '',
  email: '',
  website: '',
  status: '',
  ...fields,
})

const gb = (orgNumber: string, name: string, rest: Partial<Company> = {}): Company =>
  company({ id: orgNumber, country: 'GB', orgNumber, name, status: 'Active', ...rest })

/** A small register with the difficulties that matter: groups, places, numbers in names, dissolved companies, several countries. */
export const COMPANIES: readonly Company[] = [
  gb('08064685', 'Thornbury Castings Limited', {
    address1: 'Unit 4, Foundry Lane',
    town: 'Sheffield',
    postcode: 'S9 2TX',
    phone: '+44 114 496 0123',
    website: 'https://www.thornbury-castings.example',
    vatNumber: 'GB123456782',
  }),
  gb('00145678', 'Ashdown Brewing Company Limited', { address1: '1 Mill Street', town: 'Lewes', postcode: 'BN7 2AA' }),
  gb('SC272838', 'Glenfarrow Home Care Ltd.', { town: 'Glasgow', postcode: 'G32 9AT', tradingNames: ['Farrow Carers'] }),
  gb('04000001', 'Marwood Holdings Limited', { address1: 'Marwood House, Quay Road', town: 'Poole', postcode: 'BH15 1AB' }),
  gb('04000002', 'Marwood Logistics Limited', { address1: 'Marwood House, Quay Road', town: 'Poole', postcode: 'BH15 1AB' }),
  gb('04000003', 'Marwood Property Services Limited', {
    address1: 'Marwood House, Quay Road',
    town: 'Poole',
    postcode: 'BH15 1AB',
  }),
  gb('05000001', 'Quillon Infrastructure Fund II LP', { town: 'London', postcode: 'EC2V 7AN' }),
  gb('05000002', 'Quillon Infrastructure Fund III LP', { town: 'London', postcode: 'EC2V 7AN' }),
  gb('06000001', 'Pellworth Interiors Ltd', { town: 'Derby', postcode: 'DE1 2GB', status: 'Dissolved' }),
  gb('07000001', 'Northgate Data Systems Ltd', {
    previousNames: ['Bluestone Computing Ltd'],
    town: 'Leeds',
    postcode: 'LS1 4AP',
  }),
  gb('07100001', 'National Trading Company Limited'),
  gb('07100002', 'National Traders Limited'),
  company({
    id: 'DE1',
    country: 'DE',
    orgNumber: 'HRB 16935',
    name: 'Müller & Söhne Maschinenbau GmbH',
    town: 'Göttingen',
    postcode: '37073',
  }),
  company({ id: 'FR1', country: 'FR', orgNumber: '484073842', name: "Société d'Éclairage de l'Ouest SARL", town: 'Nantes' }),
  company({ id: 'RU1', country: 'RU', name: 'ООО «Балтийский Прибор»' }),
  company({ id: 'US1', country: 'US', name: 'Westmark Semiconductor Corporation', website: 'https://westmarksemi.example' }),
]
