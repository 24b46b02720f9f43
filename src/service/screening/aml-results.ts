/** Converts the listings of an entry to `amlResults`: contract §6.4, §6.5. */
import { datasetsOf, type Entry, type Listing, type ListingCode } from './entry.ts'

export const orNull = (text: string): string | null => (text === '' ? null : text)

export const sourcesOf = ({ sources, listings }: Entry, listing?: Listing) =>
  sources
    .filter(({ title }) => listing === undefined || sources.length === 1 || title === listing.body)
    .map(({ title, link, dateAdded }) => ({
      title: orNull(title),
      description: null,
      link,
      dateAdded: orNull(dateAdded),
      datePublished: null,
      documentLink: null,
      datasets: [...datasetsOf(listing === undefined ? listings : [listing])],
    }))

const wrap = <Value>(entry: Entry, listing: Listing, type: string, value: Value) => ({
  type,
  value,
  events: [],
  sources: sourcesOf(entry, listing),
})

const category = ({ what, reference }: Listing) => ({ category: what, subCategory: reference })

const interest = ({ what, country, from, to, body }: Listing) => ({
  category: what,
  positions: [{ name: what, segment: body, country, fromDate: orNull(from), toDate: orNull(to) }],
})

const instant = (date: string): string | null => (date === '' ? null : `${date.length === 4 ? `${date}-01-01` : date}T00:00:00Z`)

const insolvency = ({ reference, what, from, to, body }: Listing) => ({
  insolvencyIdNumber: reference,
  type: what,
  debtAmount: '',
  startDate: instant(from),
  endDate: instant(to),
  caseReferenceNumbers: reference === '' ? [] : [reference],
  solicitor: '',
  court: { name: body, petitioner: '', hearingDate: null, petitionPresentedDate: null },
  orderDate: null,
  gazetteIssuedDate: null,
  awardDate: null,
})

const sanction = ({ reference, body, origin, measures, regime }: Listing) => ({
  sanctionId: orNull(reference),
  issuingBody: orNull(body),
  origin: orNull(origin),
  sanctionTypes: [...measures],
  measures: [...measures],
  regime: orNull(regime),
})

const exposed = ({ country, what, from, to, body }: Listing) => ({
  country,
  position: what,
  fromDate: orNull(from),
  toDate: orNull(to),
  segment: body,
})

const common = (entry: Entry) => {
  const all = <Value>(code: ListingCode, type: string, record: (listing: Listing) => Value) =>
    entry.listings.filter(one => one.code === code).map(one => wrap(entry, one, type, record(one)))
  return {
    all,
    results: {
      AM: all('AM', 'adverseMedia', category),
      ENF: all('ENF', 'enforcement', category),
      INS: all('INS', 'insolvencyRegister', insolvency),
      POI: all('POI', 'profileOfInterest', interest),
      SAN: { CURRENT: all('SAN-CURRENT', 'sanction', sanction), FORMER: all('SAN-FORMER', 'sanction', sanction) },
    },
  }
}

/** `amlResults` of a person. The record of a linked person contains the first of the entry's links. */
export function individualResultsOf(entry: Entry) {
  const { all, results } = common(entry)
  const [link] = entry.links
  const linked = ({ what }: Listing) => ({
    firstName: null,
    middleName: null,
    lastName: link?.value ?? '',
    relationship: link?.type ?? what,
    ownershipPercentage: null,
    datasets: ['PEP'],
  })
  return {
    ...results,
    DD: [],
    PEP: {
      CURRENT: all('PEP-CURRENT', 'pep', exposed),
      FORMER: all('PEP-FORMER', 'pep', exposed),
      LINKED: all('PEP-LINKED', 'pepLinked', linked),
    },
  }
}

/** `amlResults` of a business: one state ownership, a current one before a former one. */
export function businessResultsOf(entry: Entry) {
  const { all, results } = common(entry)
  const owned = (level: string) => (listing: Listing) => ({ type: listing.what, level })
  const [soe] = [
    ...all('SOE-CURRENT', 'stateOwnedEnterprise', owned('current')),
    ...all('SOE-FORMER', 'stateOwnedEnterprise', owned('former')),
  ]
  return { ...results, ...(soe === undefined ? {} : { SOE: soe }) }
}
