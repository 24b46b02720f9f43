/** Reads rows of the Free Company Data Product of UK Companies House (BasicCompanyData, CSV). Some column names begin with a blank. */
import type { Kind } from './kind.ts'

const ACTIVITY = /^SICCode\.SicText_\d$/

/** `62012 - Business and domestic software development`; `None Supplied` has no code. */
const activityIn = (cell: string): string[] => {
  const [, code = '', text = ''] = /^(\d{2,5})(?: *- *(.*))?$/.exec(cell) ?? []
  return code === '' ? [] : [`${code} ${text}`.trim()]
}

/** `17/05/2012`. */
const dayIn = (cell: string): string => cell.replace(/^(\d{2})\/(\d{2})\/(\d{4})$/, '$3-$2-$1')

/** `PreviousName_1.CompanyName`, beside `PreviousName_1.CONDATE`, the day of the change. */
const FORMER_NAME = /^PreviousName_\d+\.CompanyName$/

export const companiesHouse: Kind = {
  summary: 'the BasicCompanyData of UK Companies House',
  needs: ['CompanyName', 'CompanyNumber'],
  header: 'CompanyName,CompanyNumber,RegAddress.PostCode,CompanyStatus',
  reader: ({ cell: of, like }) => {
    const formers = like(FORMER_NAME)
    const codes = like(ACTIVITY)
    return cells => {
      const cell = (column: string): string => of(cells, column)
      const orgNumber = cell('CompanyNumber')
      const legalForm = cell('CompanyCategory')
      const activities = [...new Set(codes.flatMap(column => activityIn(cell(column))))]
      const incorporated = dayIn(cell('IncorporationDate'))
      const box = cell('RegAddress.POBox')
      const before = [cell('RegAddress.CareOf'), box === '' ? '' : `PO Box ${box}`]
      const after = [cell('RegAddress.AddressLine2'), cell('RegAddress.County')]
      // The first of two equal names is the later one.
      const former = new Map<string, string>()
      for (const column of formers) {
        const name = cell(column)
        if (name !== '' && !former.has(name)) former.set(name, dayIn(cell(column.replace('CompanyName', 'CONDATE'))))
      }
      const joined = (parts: readonly string[]): string => parts.filter(part => part !== '').join(', ')
      return {
        id: orgNumber,
        name: cell('CompanyName'),
        country: 'GB',
        orgNumber,
        vatNumber: '',
        tradingNames: [],
        previousNames: [...former.keys()],
        address1: joined([...before, cell('RegAddress.AddressLine1')]),
        address2: joined(after),
        town: cell('RegAddress.PostTown'),
        postcode: cell('RegAddress.PostCode'),
        phone: '',
        email: '',
        website: '',
        status: cell('CompanyStatus'),
        ...(legalForm === '' ? {} : { legalForm }),
        ...(activities.length === 0 ? {} : { activities }),
        ...(incorporated === '' ? {} : { incorporated }),
        ...([...former.values()].some(day => day !== '') ? { previousUntil: [...former.values()] } : {}),
      }
    }
  },
}
