/** Converts searches and hits to wire records, with the listings of an entry as `amlResults`: contract §6.2 to §6.6. */
import type {
  BusinessHit,
  BusinessHitFull,
  BusinessSearch,
  IndividualHit,
  IndividualHitFull,
  IndividualSearch,
  Schedule,
  ScheduleAlert,
} from '../../contract/index.ts'
import type { Users } from '../auth/users.ts'
import { type Entry, type Listing, type ListingCode, listDatasets, type PersonName } from './entry.ts'
import type { Alert, Schedule as StoredSchedule } from './schedules-store.ts'
import type { Hit, Search } from './searches-store.ts'

/** The name of a user; null for an unknown id. */
export type NameOf = (user: number) => string | null

export const userNames =
  ({ users }: { readonly users: Pick<Users, 'values'> }): NameOf =>
  id =>
    [...users.values()].find(user => user.person === id)?.username ?? null

export const countHits = ({ hits }: Pick<Search, 'hits'>): number => Object.values(hits).reduce((sum, count) => sum + count, 0)

const iso = (millis: number): string => new Date(millis).toISOString()
const orNull = (text: string | undefined): string | null => text || null

type Shape = { readonly correlationId?: string; readonly hasNulls: boolean }

/**
 * Only searches for persons have `isDobRequired` and the parts of a name. `hasNulls`: whether the published description has null here for what
 * is not known; otherwise it is left out.
 */
export function searchRecord(search: Search, nameOf: NameOf, shape: Shape): BusinessSearch | IndividualSearch {
  const { assignedTo, hits } = search
  const assignedUser = assignedTo === null ? null : nameOf(assignedTo)
  const fieldsOfType = search.type === 'individual' ? personFields(search) : {}
  const unsure = { assignedToUserId: assignedTo, assignedUser, note: search.note, scheduleId: search.scheduleId }
  return {
    id: search.id,
    name: search.name,
    countryCodes: [...search.countryCodes],
    threshold: search.threshold,
    type: search.type,
    datasets: [...search.datasets],
    status: search.status,
    riskRating: search.riskRating,
    createdById: search.createdBy,
    createdBy: nameOf(search.createdBy) ?? '',
    createdAt: iso(search.createdAt),
    modifiedById: search.modifiedBy,
    modifiedBy: nameOf(search.modifiedBy) ?? '',
    modifiedAt: iso(search.modifiedAt),
    totalHitCount: countHits(search),
    truePositiveHitsCount: hits.trueMatch,
    falsePositiveHitsCount: hits.falsePositive,
    undecidedHitsCount: hits.undecided,
    ...fieldsOfType,
    ...Object.fromEntries(Object.entries(unsure).filter(([, value]) => shape.hasNulls || value !== null)),
    correlationId: shape.correlationId,
  }
}

const personFields = ({ person, gender, dateOfBirth, pepTiers, isDobRequired }: Search) => ({
  firstName: orNull(person?.first),
  middleName: orNull(person?.middle),
  lastName: orNull(person?.last),
  gender,
  dateOfBirth,
  pepTiers: pepTiers.map(tier => `pepTier${tier}`),
  isDobRequired,
})

/** What the criteria leave open is absent. */
export function scheduleRecord(schedule: StoredSchedule, nameOf: NameOf): Schedule {
  const { search, createdBy, modifiedBy } = schedule
  const { isDobRequired: _, ...person } = personFields(search)
  const ofPerson = search.type === 'individual' ? Object.entries(person).filter(([, value]) => value !== null) : []
  return {
    id: schedule.id,
    searchId: search.id,
    isEmailRequired: schedule.isEmailRequired,
    emailRecipients: [...schedule.emailRecipients],
    createdById: createdBy,
    createdAt: iso(schedule.createdAt),
    createdBy: nameOf(createdBy) ?? '',
    modifiedById: modifiedBy,
    modifiedAt: iso(schedule.modifiedAt),
    modifiedBy: nameOf(modifiedBy) ?? '',
    type: search.type,
    name: search.name,
    countries: [...search.countryCodes],
    threshold: search.threshold,
    datasets: [...search.datasets],
    ...Object.fromEntries(ofPerson),
  }
}

const listSources = ({ sources, listings }: Entry, listing?: Listing) =>
  sources
    .filter(({ title }) => listing === undefined || sources.length === 1 || title === listing.body)
    .map(({ title, link, dateAdded }) => ({
      title: orNull(title),
      description: null,
      link,
      dateAdded: orNull(dateAdded),
      datePublished: null,
      documentLink: null,
      datasets: [...listDatasets(listing === undefined ? listings : [listing])],
    }))

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

const listResults = (entry: Entry) => {
  const all = <Value>(code: ListingCode, type: string, record: (listing: Listing) => Value) =>
    entry.listings
      .filter(listing => listing.code === code)
      .map(listing => ({ type, value: record(listing), events: [], sources: listSources(entry, listing) }))
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
function makeIndividualResults(entry: Entry) {
  const { all, results } = listResults(entry)
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
function makeBusinessResults(entry: Entry) {
  const { all, results } = listResults(entry)
  const owned = (level: string) => (listing: Listing) => ({ type: listing.what, level })
  const [current] = all('SOE-CURRENT', 'stateOwnedEnterprise', owned('current'))
  const [former] = all('SOE-FORMER', 'stateOwnedEnterprise', owned('former'))
  return { ...results, SOE: current ?? former }
}

/** The parts of a person's name. In a full name, the last word is the last name. */
function splitName(name: string, person: PersonName | null): PersonName {
  if (person !== null) return person
  const [first = '', ...others] = name.split(/\s+/)
  const last = others.pop()
  return last === undefined ? { first: '', middle: '', last: first } : { first, middle: others.join(' '), last }
}

const named = ({ first, middle, last }: PersonName) => ({ firstName: first, middleName: middle, lastName: last })

const commonFields = (hit: Hit, entry: Entry, nameOf: NameOf) => ({
  id: hit.id,
  hitScore: hit.score,
  name: entry.name,
  match: hit.match,
  note: hit.note ?? '',
  countries: [...entry.countries],
  datasets: [...listDatasets(entry.listings)],
  modifiedAt: iso(hit.modifiedAt),
  createdAt: iso(hit.createdAt),
  modifiedById: hit.modifiedBy,
  modifiedBy: nameOf(hit.modifiedBy) ?? '',
  decision: hit.decision,
})

const personal = (entry: Entry, tier: 'tier' | 'pepTier') => ({
  ...named(splitName(entry.name, entry.person)),
  gender: orNull(entry.gender),
  datesOfBirth: [...entry.datesOfBirth],
  profileImages: [...entry.images],
  pepTier: entry.pepTier === null ? undefined : `${tier}${entry.pepTier}`,
})

const shown = (type: Search['type'], hit: Hit, nameOf: NameOf) => {
  const common = commonFields(hit, hit.entry, nameOf)
  return type === 'individual' ? { ...common, ...personal(hit.entry, 'pepTier') } : common
}

/** The hit in lists; after an update it includes the replaced state. */
export const hitRecord = (
  type: Search['type'],
  hit: Hit,
  nameOf: NameOf,
  update?: { readonly before: Hit; readonly correlationId: string },
): BusinessHit | IndividualHit => ({
  ...shown(type, hit, nameOf),
  supersededHit: update && shown(type, update.before, nameOf),
  correlationId: update?.correlationId,
})

export const alertRecord = ({ hit, type, schedule }: Alert, nameOf: NameOf): ScheduleAlert => ({
  ...shown(type, hit, nameOf),
  ...{ searchId: hit.search, scheduleId: schedule, searchType: type, profileId: null, keyPartyId: null },
})

/** The links of an entry. Only the relationship shows whether a link is a person. */
function listLinks({ links }: Entry) {
  const common = (type: string) => ({ relationship: type, ownershipPercentage: null, datasets: [] })
  const [people, businesses] = [links.filter(({ type }) => PERSONAL.test(type)), links.filter(({ type }) => !PERSONAL.test(type))]
  return {
    businessLinks: businesses.map(({ type, value }) => ({ ...common(type), name: value, individualLinks: [] })),
    individualLinks: people.map(({ type, value }) => ({ ...common(type), ...named(splitName(value, null)) })),
  }
}

const PERSONAL =
  /spouse|wife|husband|partner|parent$|father|mother|child|son|daughter|brother|sister|sibling|relative|family|associate|friend/i

type FullHit = { type: Search['type']; hit: Hit; entry: Entry; nameOf: NameOf; correlationId: string }

const fullFields = ({ hit, entry, nameOf }: FullHit) => ({
  ...commonFields(hit, entry, nameOf),
  profileImages: [...entry.images],
  screeningNotes: [...entry.notes],
  // The record has no other field for the entry.
  identifiers: [
    ...entry.identifiers.map(({ type, value }) => ({ type, value })),
    { type: 'list entry', value: `${hit.list} ${entry.id}` },
  ],
  addresses: entry.addresses.map(({ line1, line2, city, postalCode, countryCode }) => ({
    postalCode: orNull(postalCode),
    line1: orNull(line1),
    line2: orNull(line2),
    type: null,
    county: null,
    countryCode: orNull(countryCode),
    city: orNull(city),
  })),
  contacts: entry.contacts.map(({ type, value }) => ({ type, value })),
  ...listLinks(entry),
  sources: listSources(entry),
})

/** The full record of a hit with the current `entry` of its list. */
export function fullHitRecord(content: FullHit): BusinessHitFull | IndividualHitFull {
  const { entry, correlationId } = content
  const full = fullFields(content)
  return content.type === 'individual'
    ? {
        ...full,
        ...personal(entry, 'tier'),
        datesOfDeath: [...entry.datesOfDeath],
        isDeceased: entry.datesOfDeath.length > 0,
        aliases: entry.aliases.map(alias => ({ type: alias.type, ...named(splitName(alias.name, null)) })),
        amlResults: makeIndividualResults(entry),
        correlationId,
      }
    : {
        ...full,
        aliases: entry.aliases.map(alias => ({ type: alias.type, name: alias.name })),
        description: orNull(entry.description),
        businessTypes: [...entry.businessTypes],
        activities: [],
        amlResults: makeBusinessResults(entry),
        correlationId,
      }
}
