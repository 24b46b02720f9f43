/** Reads the consolidated list of the UN Security Council in XML, as it publishes it. */
import { type Alias, type Entry, type EntryAddress, makeEntry, makeListing } from '../entry.ts'
import { elementsAt, readElements, textAt, textsAt, type XmlElement } from './elements.ts'
import { joinDates, joined, type ListSource, listYears, readCountries, readDates } from './rows.ts'

const NAMES = ['FIRST_NAME', 'SECOND_NAME', 'THIRD_NAME', 'FOURTH_NAME']

/** An exact date, or each year of a time between two; none for an approximate one. */
function readDateOfBirth(element: XmlElement): string[] {
  const kind = textAt(element, 'TYPE_OF_DATE')
  if (kind === 'BETWEEN') return listYears(Number(textAt(element, 'FROM_YEAR')), Number(textAt(element, 'TO_YEAR')))
  return kind === 'APPROXIMATELY' ? [] : readDates([textAt(element, 'DATE') || textAt(element, 'YEAR')])
}

const readAlias = (element: XmlElement): Alias => {
  const quality = textAt(element, 'QUALITY')
  const type = quality === 'Low' ? 'weak alias' : /^f/i.test(quality) ? 'former name' : 'alias'
  return { type, name: textAt(element, 'ALIAS_NAME') }
}

const readAddress = (element: XmlElement): EntryAddress => ({
  line1: textAt(element, 'STREET'),
  line2: '',
  city: joined([textAt(element, 'CITY'), textAt(element, 'STATE_PROVINCE')], ', '),
  postalCode: textAt(element, 'ZIP_CODE'),
  countryCode: readCountries([textAt(element, 'COUNTRY')])[0] ?? '',
})

function readEntry(element: XmlElement, id: string, name: string): Entry {
  const isPerson = element.name === 'INDIVIDUAL'
  const parts = NAMES.map(part => textAt(element, part)).filter(Boolean)
  const [first = '', ...rest] = parts
  const last = rest.pop() ?? ''
  const under = (part: string): readonly XmlElement[] => elementsAt(element, `${element.name}_${part}`)
  const aliases = [
    ...under('ALIAS').map(readAlias),
    ...textsAt(element, 'NAME_ORIGINAL_SCRIPT').map((script): Alias => ({ type: 'original script', name: script })),
  ]
  const addresses = under('ADDRESS').map(readAddress)
  // An empty element is not a date.
  const births = under('DATE_OF_BIRTH').filter(birth => birth.inside.some(({ text }) => text.trim() !== ''))
  const from = textAt(element, 'LISTED_ON').slice(0, 10)
  const gender = textAt(element, 'GENDER').toLowerCase()
  const body = 'UN Security Council'
  return makeEntry({
    id,
    type: isPerson ? 'individual' : 'business',
    name,
    person: isPerson ? { first, middle: rest.join(' '), last } : null,
    aliases: aliases.filter(alias => alias.name !== '' && alias.name !== name),
    listings: [
      makeListing('SAN-CURRENT', {
        ...{ reference: textAt(element, 'REFERENCE_NUMBER'), body, regime: textAt(element, 'UN_LIST_TYPE'), from },
      }),
    ],
    countries: readCountries([
      ...textsAt(element, 'NATIONALITY', 'VALUE'),
      ...['ADDRESS', 'PLACE_OF_BIRTH'].flatMap(part => textsAt(element, `${element.name}_${part}`, 'COUNTRY')),
    ]),
    gender: gender === 'male' || gender === 'female' ? gender : '',
    datesOfBirth: joinDates(births.map(readDateOfBirth)),
    addresses: addresses.filter(address => Object.values(address).some(part => part !== '')),
    identifiers: under('DOCUMENT')
      .map(document => ({ type: textAt(document, 'TYPE_OF_DOCUMENT'), value: textAt(document, 'NUMBER') }))
      .filter(({ value }) => value !== ''),
    notes: [...textsAt(element, 'TITLE', 'VALUE'), ...textsAt(element, 'DESIGNATION', 'VALUE'), ...textsAt(element, 'COMMENTS1')],
    sources: [
      {
        title: 'UN Security Council Consolidated List',
        link: 'https://main.un.org/securitycouncil/en/content/un-sc-consolidated-list',
        dateAdded: from,
      },
    ],
  })
}

/** Yields the entries in order: persons, then entities. */
export async function* readUn(source: ListSource): AsyncGenerator<Entry> {
  const records = await readElements(source, {
    root: 'CONSOLIDATED_LIST',
    records: ['INDIVIDUAL', 'ENTITY'],
    hint: 'Import consolidated.xml of the UN Security Council.',
  })
  for (const element of records) {
    const id = textAt(element, 'DATAID')
    const name = joined(NAMES.map(part => textAt(element, part)))
    if (id === '' || name === '') source.skip({ line: null, why: id === '' ? 'no DATAID' : `${id}: no name` })
    else yield readEntry(element, id, name)
  }
}
