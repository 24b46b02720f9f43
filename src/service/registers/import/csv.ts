/** Reads rows of a register in fettle's own CSV columns. */
import { normaliseCountry } from '../../../normalise/country.ts'
import { FIGURES, figuresOf } from '../../matching/index.ts'
import type { Kind } from './kind.ts'

// biome-ignore format: a header reads better in rows
const COLUMNS = [
  'id', 'name', 'country', 'orgNumber', 'vatNumber', 'tradingNames', 'previousNames', 'address1', 'address2', 'town', 'postcode', 'phone',
  'email', 'website', 'status', 'legalForm', 'activities', 'incorporated', ...FIGURES,
] as const

/** Distinct names, separated by `|`. */
const splitNames = (cell: string): string[] => [...new Set(cell.split('|').map(name => name.trim()))].filter(name => name !== '')

/** A row without an id gets one from its number or its row number. */
export const generic: Kind = {
  summary: 'a register in fettle’s own columns',
  needs: ['name'],
  header: COLUMNS.join(','),
  reader: ({ cell: of }) => {
    return (cells, row) => {
      const cell = (column: (typeof COLUMNS)[number]): string => of(cells, column)
      const country = normaliseCountry(cell('country'))
      const orgNumber = cell('orgNumber')
      const legalForm = cell('legalForm')
      const activities = splitNames(cell('activities'))
      const incorporated = cell('incorporated')
      const figures = figuresOf(cell)
      return {
        id: cell('id') || (orgNumber === '' ? `row-${row}` : `${country || 'XX'}-${orgNumber}`),
        name: cell('name'),
        country,
        orgNumber,
        vatNumber: cell('vatNumber'),
        tradingNames: splitNames(cell('tradingNames')),
        previousNames: splitNames(cell('previousNames')),
        address1: cell('address1'),
        address2: cell('address2'),
        town: cell('town'),
        postcode: cell('postcode'),
        phone: cell('phone'),
        email: cell('email'),
        website: cell('website'),
        status: cell('status'),
        ...(legalForm === '' ? {} : { legalForm }),
        ...(activities.length === 0 ? {} : { activities }),
        ...(incorporated === '' ? {} : { incorporated }),
        ...(figures === null ? {} : { figures }),
      }
    }
  },
}
