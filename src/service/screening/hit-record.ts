/** Converts hits to wire records: in lists and after an update (contract §6.6), and in full (§6.4, §6.5). */
import type { BusinessHit, BusinessHitFull, IndividualHit, IndividualHitFull } from '../../contract/index.ts'
import { businessResultsOf, individualResultsOf, orNull, sourcesOf } from './aml-results.ts'
import { datasetsOf, type Entry, type PersonName } from './entry.ts'
import { iso, type NameOf } from './search-record.ts'
import type { Hit, Search } from './searches-store.ts'

/** The parts of a person's name. In a full name, the last word is the last name. */
function partsOf(name: string, person: PersonName | null): PersonName {
  if (person !== null) return person
  const [first = '', ...others] = name.split(/\s+/)
  const last = others.pop()
  return last === undefined ? { first: '', middle: '', last: first } : { first, middle: others.join(' '), last }
}

const named = ({ first, middle, last }: PersonName) => ({ firstName: first, middleName: middle, lastName: last })

const common = (hit: Hit, entry: Entry, nameOf: NameOf) => ({
  id: hit.id,
  hitScore: hit.score,
  name: entry.name,
  match: hit.match,
  note: hit.note ?? '',
  countries: [...entry.countries],
  datasets: [...datasetsOf(entry.listings)],
  modifiedAt: iso(hit.modifiedAt),
  createdAt: iso(hit.createdAt),
  modifiedById: hit.modifiedBy,
  modifiedBy: nameOf(hit.modifiedBy) ?? '',
  decision: hit.decision,
})

const personal = (entry: Entry, tier: 'tier' | 'pepTier') => ({
  ...named(partsOf(entry.name, entry.person)),
  gender: orNull(entry.gender),
  datesOfBirth: [...entry.datesOfBirth],
  profileImages: [...entry.images],
  ...(entry.pepTier === null ? {} : { pepTier: `${tier}${entry.pepTier}` }),
})

const shown = (type: Search['type'], hit: Hit, nameOf: NameOf) => ({
  ...common(hit, hit.entry, nameOf),
  ...(type === 'individual' ? personal(hit.entry, 'pepTier') : {}),
})

/** The hit in lists; after an update it includes the replaced state. */
export const hitRecord = (
  type: Search['type'],
  hit: Hit,
  nameOf: NameOf,
  update?: { readonly before: Hit; readonly correlationId: string },
): BusinessHit | IndividualHit => ({
  ...shown(type, hit, nameOf),
  ...(update === undefined ? {} : { supersededHit: shown(type, update.before, nameOf), correlationId: update.correlationId }),
})

/** The links of an entry. Only the relationship shows whether a link is a person. */
const linksOf = (entry: Entry) => ({
  businessLinks: entry.links
    .filter(({ type }) => !isPersonal(type))
    .map(({ type, value }) => ({
      relationship: type,
      ownershipPercentage: null,
      datasets: [],
      name: value,
      individualLinks: [],
    })),
  individualLinks: entry.links
    .filter(({ type }) => isPersonal(type))
    .map(({ type, value }) => ({
      relationship: type,
      ownershipPercentage: null,
      datasets: [],
      ...named(partsOf(value, null)),
    })),
})

const isPersonal = (relationship: string): boolean =>
  /spouse|wife|husband|partner|parent$|father|mother|child|son|daughter|brother|sister|sibling|relative|family|associate|friend/i.test(
    relationship,
  )

const fullFields = (hit: Hit, entry: Entry, nameOf: NameOf) => ({
  ...common(hit, entry, nameOf),
  profileImages: [...entry.images],
  screeningNotes: [...entry.notes],
  identifiers: entry.identifiers.map(({ type, value }) => ({ type, value })),
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
  ...linksOf(entry),
  sources: sourcesOf(entry),
})

/** The full record of a hit with the current `entry` of its list. */
export function fullHitRecord(
  type: Search['type'],
  hit: Hit,
  entry: Entry,
  nameOf: NameOf,
  correlationId: string,
): BusinessHitFull | IndividualHitFull {
  const full = fullFields(hit, entry, nameOf)
  return type === 'individual'
    ? {
        ...full,
        ...personal(entry, 'tier'),
        datesOfDeath: [...entry.datesOfDeath],
        isDeceased: entry.datesOfDeath.length > 0,
        aliases: entry.aliases.map(alias => ({ type: alias.type, ...named(partsOf(alias.name, null)) })),
        amlResults: individualResultsOf(entry),
        correlationId,
      }
    : {
        ...full,
        aliases: entry.aliases.map(alias => ({ type: alias.type, name: alias.name })),
        description: orNull(entry.description),
        businessTypes: [...entry.businessTypes],
        activities: [],
        amlResults: businessResultsOf(entry),
        correlationId,
      }
}
