/** The kinds of source, which import, CLI and docs use: the columns that each requires, and how its rows are read as companies. */

import { action, FettleError } from '../../../errors.ts'
import { normaliseCountry } from '../../../normalise/country.ts'
import { type Company, FIGURES, readFigures } from '../../matching/index.ts'

export interface Kind {
  readonly summary: string
  readonly needs: readonly string[]
  readonly header: string
  /** Creates a reader for rows of this header. It returns a company, to which the importer adds its connectId, or the reason to skip the row. */
  reader(columns: Columns): (cells: readonly string[], row: number) => Omit<Company, 'connectId'> | string
}

// biome-ignore format: a header reads better in rows
const COLUMNS = [
  'id', 'name', 'country', 'orgNumber', 'vatNumber', 'tradingNames', 'previousNames', 'address1', 'address2', 'town', 'postcode', 'phone',
  'email', 'website', 'status', 'legalForm', 'activities', 'incorporated', 'parent', ...FIGURES,
] as const

/** Distinct names, separated by `|`. */
const splitNames = (cell: string): string[] => [...new Set(cell.split('|').map(name => name.trim()))].filter(name => name !== '')

/** A row without an id gets one from its number or its row number. */
const generic: Kind = {
  summary: 'a register in fettle’s own columns',
  needs: ['name'],
  header: COLUMNS.join(','),
  reader:
    ({ cell: of }) =>
    (cells, row) => {
      const cell = (column: (typeof COLUMNS)[number]): string => of(cells, column)
      const country = normaliseCountry(cell('country'))
      const orgNumber = cell('orgNumber')
      const activities = splitNames(cell('activities'))
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
        legalForm: cell('legalForm') || undefined,
        activities: activities.length > 0 ? activities : undefined,
        incorporated: cell('incorporated') || undefined,
        parent: cell('parent') || undefined,
        figures: readFigures(cell),
      }
    },
}

const ADDRESS = 'Entity.LegalAddress.'
/** `Entity.OtherEntityNames.OtherEntityName.1`, without its `.xmllang` and `.type`; also the transliterated ones. */
const OTHER_NAME = /^Entity\.(?:Transliterated)?OtherEntityNames\.(?:Transliterated)?OtherEntityName\.\d+$/
/** Records withdrawn by GLEIF: the entity has another LEI or no LEI. */
const WITHDRAWN = new Set(['DUPLICATE', 'ANNULLED'])
/** ELF code 8888: the legal form has no code and is written out. */
const NO_CODE = '8888'

/** The file name of a golden copy starts with its day: `20261121-0800-gleif-goldencopy-lei2-golden-copy.csv.zip`. */
const gleif: Kind = {
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
      const names = (isFormer: boolean): string[] => {
        return [...new Set(named.filter(name => name.isFormer === isFormer).map(({ other }) => other))]
      }
      const lines = ['MailRouting', 'AdditionalAddressLine.1', 'AdditionalAddressLine.2', 'AdditionalAddressLine.3', 'Region']
      const code = cell('Entity.LegalForm.EntityLegalFormCode')
      const legalForm = code === NO_CODE || code === '' ? cell('Entity.LegalForm.OtherLegalForm') : code
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
        legalForm: legalForm || undefined,
        // 1996-04-29T00:00:00Z
        incorporated: cell('Entity.EntityCreationDate').slice(0, 10) || undefined,
      }
    }
  },
}

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

const companiesHouse: Kind = {
  summary: 'the BasicCompanyData of UK Companies House',
  needs: ['CompanyName', 'CompanyNumber'],
  header: 'CompanyName,CompanyNumber,RegAddress.PostCode,CompanyStatus',
  reader: ({ cell: of, like }) => {
    const formers = like(FORMER_NAME)
    const codes = like(ACTIVITY)
    return cells => {
      const cell = (column: string): string => of(cells, column)
      const orgNumber = cell('CompanyNumber')
      const activities = [...new Set(codes.flatMap(column => activityIn(cell(column))))]
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
        legalForm: cell('CompanyCategory') || undefined,
        activities: activities.length > 0 ? activities : undefined,
        incorporated: dayIn(cell('IncorporationDate')) || undefined,
        previousUntil: [...former.values()].some(day => day !== '') ? [...former.values()] : undefined,
      }
    }
  },
}

export const KINDS = { csv: generic, gleif, 'companies-house': companiesHouse } as const satisfies Readonly<Record<string, Kind>>

export type KindName = keyof typeof KINDS

export const isKind = (name: string): name is KindName => Object.hasOwn(KINDS, name)

/** Whether a file with this header is read without asking what its columns mean: all of them are a register's own, or it is a file of another kind. */
export function isKnownHeader(header: readonly string[]): boolean {
  const columns = new Set(header.map(cell => cell.trim().toLowerCase()))
  const own = new Set(generic.header.toLowerCase().split(','))
  const isOfPublisher = Object.values<Kind>(KINDS).some(
    kind => kind !== generic && kind.needs.every(column => columns.has(column.toLowerCase())),
  )
  return isOfPublisher || [...columns].every(column => own.has(column))
}

/**
 * The columns of a header, in any case and order; unknown columns are ignored.
 * @throws FettleError FETTLE_INPUT_HEADER when a required column is missing, or a known one occurs twice
 */
export function readColumns(file: string, header: readonly string[], kind: Pick<Kind, 'needs' | 'header'>) {
  const { needs, header: expected } = kind
  const positions = new Map<string, number>()
  const names = header.map(cell => cell.trim())
  for (const [at, cell] of names.entries()) {
    const column = cell.toLowerCase()
    const isExpected = expected.toLowerCase().split(',').includes(column)
    if (positions.has(column) && isExpected)
      throw new FettleError('FETTLE_INPUT_HEADER', `The header of ${file} has the column ${cell.toLowerCase()} twice`)
    positions.set(column, at)
  }
  const missing = needs.filter(column => !positions.has(column.toLowerCase()))
  if (missing.length > 0) {
    const isKnown = Object.values<unknown>(KINDS).includes(kind)
    const fits = ({ needs }: Kind): boolean => isKnown && needs.every(column => positions.has(column.toLowerCase()))
    const [other] = Object.entries(KINDS).find(([, kind]) => fits(kind)) ?? []
    throw new FettleError('FETTLE_INPUT_HEADER', `The header of ${file} has no column ${missing.join(', no column ')}`, {
      hint:
        other === undefined ? `The columns are ${expected}.` : `The header belongs to the kind ${other}: import it as that kind.`,
      action: other === undefined ? undefined : action('register', 'import', other, 'FILE'),
    })
  }
  return {
    cell: (cells: readonly string[], column: string): string => cells[positions.get(column.toLowerCase()) ?? -1]?.trim() ?? '',
    /** Columns whose name matches, in order. */
    like: (pattern: RegExp): readonly string[] => names.filter(column => pattern.test(column)),
  }
}

export type Columns = ReturnType<typeof readColumns>
