/**
 * Reads the lists of the US Office of Foreign Assets Control in XML, as it publishes them: `SDN.XML` and `CONSOLIDATED.XML`. The number of
 * entries that a file states is compared with those in it.
 */
import { FettleError } from '../../../errors.ts'
import { type Alias, type Entry, type EntryAddress, makeEntry, makeListing, type Typed } from '../entry.ts'
import { elementsAt, readElements, textAt, textsAt, type XmlElement } from './elements.ts'
import { joinDates, joined, type ListSource, listYears, readCountries, readDate } from './rows.ts'

const HINT = 'Import SDN.XML or CONSOLIDATED.XML of sanctionslist.ofac.treas.gov.'

/** Kinds of `idList` that are not identifiers. */
const CONTACTS = /^(?:website|email|phone)/i
const NOTES = /risk|sanction|executive order|^listing/i

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** `12 Apr 1961`, `1961`, and `1961 to 1963` as its years; none for `circa 1961`. */
function readDateOfBirth(text: string): string[] {
  const [, day = '', name = '', year] = /^(?:(\d{1,2}) ([A-Z][a-z]{2}) )?(\d{4})$/.exec(text) ?? []
  if (year !== undefined)
    // A day that does not exist is the year alone.
    return [day === '' ? year : readDate(`${day}/${MONTHS.indexOf(name.toLowerCase()) + 1}/${year}`)]
  const [, from, to] = /^(?:\d{1,2} [A-Z][a-z]{2} )?(\d{4}) to (?:\d{1,2} [A-Z][a-z]{2} )?(\d{4})$/.exec(text) ?? []
  return listYears(Number(from), Number(to))
}

const readName = (element: XmlElement): string => joined([textAt(element, 'firstName'), textAt(element, 'lastName')])

function readAlias(element: XmlElement): Alias {
  const type = textAt(element, 'type').startsWith('f') ? 'former name' : 'alias'
  return { type: textAt(element, 'category') === 'weak' ? 'weak alias' : type, name: readName(element) }
}

const readAddress = (element: XmlElement): EntryAddress => ({
  line1: textAt(element, 'address1'),
  line2: joined([textAt(element, 'address2'), textAt(element, 'address3')], ', '),
  city: joined([textAt(element, 'city'), textAt(element, 'stateOrProvince')], ', '),
  postalCode: textAt(element, 'postalCode'),
  countryCode: readCountries([textAt(element, 'country')])[0] ?? '',
})

const readNumber = (element: XmlElement): Typed => ({
  type: textAt(element, 'idType').replace(/:$/, ''),
  value: joined([textAt(element, 'idNumber'), textAt(element, 'idCountry')], ', '),
})

function readEntry(element: XmlElement, uid: string): Entry {
  const kind = textAt(element, 'sdnType')
  const isPerson = kind === 'Individual'
  const name = readName(element)
  const numbers = elementsAt(element, 'idList', 'id').map(readNumber)
  const gender = numbers.find(({ type }) => type === 'Gender')?.value.toLowerCase() ?? ''
  const others = numbers.filter(({ type }) => type !== 'Gender')
  const isNote = ({ type }: Typed): boolean => NOTES.test(type)
  const isContact = ({ type }: Typed): boolean => CONTACTS.test(type)
  const programs = textsAt(element, 'programList', 'program')
  const addresses = elementsAt(element, 'addressList', 'address').map(readAddress)
  const named = ['title', 'remarks'].flatMap(part => textsAt(element, part).map(text => `${part}: ${text}`))
  return makeEntry({
    id: uid,
    type: isPerson ? 'individual' : 'business',
    name,
    person: isPerson ? { first: textAt(element, 'firstName'), middle: '', last: textAt(element, 'lastName') } : null,
    aliases: elementsAt(element, 'akaList', 'aka')
      .map(readAlias)
      .filter(alias => alias.name !== '' && alias.name !== name),
    listings: [makeListing('SAN-CURRENT', { reference: uid, body: 'US OFAC', regime: programs.join('; '), measures: programs })],
    countries: readCountries([
      ...textsAt(element, 'nationalityList', 'nationality', 'country'),
      ...textsAt(element, 'citizenshipList', 'citizenship', 'country'),
      ...textsAt(element, 'addressList', 'address', 'country'),
      ...textsAt(element, 'vesselInfo', 'vesselFlag'),
    ]),
    gender: gender === 'male' || gender === 'female' ? gender : '',
    datesOfBirth: joinDates(textsAt(element, 'dateOfBirthList', 'dateOfBirthItem', 'dateOfBirth').map(readDateOfBirth)),
    addresses: addresses.filter(address => Object.values(address).some(part => part !== '')),
    identifiers: others.filter(number => !isNote(number) && !isContact(number)),
    contacts: others.filter(isContact),
    notes: [...named, ...others.filter(isNote).map(({ type, value }) => `${type}: ${value}`)],
    businessTypes: isPerson ? [] : [kind].filter(Boolean),
    sources: [{ title: 'US OFAC sanctions lists', link: 'https://sanctionslist.ofac.treas.gov', dateAdded: '' }],
  })
}

/** Yields the entries in order. Throws FETTLE_INPUT_READ for a file that states another number of entries. */
export async function* readOfac(source: ListSource): AsyncGenerator<Entry> {
  const [head, ...entries] = await readElements(source, {
    root: 'sdnList',
    records: ['publshInformation', 'sdnEntry'],
    hint: HINT,
  })
  const stated = head === undefined ? '' : textAt(head, 'Record_Count')
  if (head?.name !== 'publshInformation' || stated !== String(entries.length))
    throw new FettleError(
      'FETTLE_INPUT_READ',
      `${source.file} has ${entries.length} entries and states ${stated === '' ? 'no number' : stated}: it is not complete`,
      { hint: `Download it again. ${HINT}` },
    )
  for (const element of entries) {
    const uid = textAt(element, 'uid')
    if (uid === '' || readName(element) === '') source.skip({ line: null, why: uid === '' ? 'no uid' : `${uid}: no name` })
    else yield readEntry(element, uid)
  }
}
