/** A search as the wire shows it: contract §6.2, §6.3. Pure. */
import type { BusinessSearch, IndividualSearch } from '../../contract/index.ts'
import type { Search } from './searches-store.ts'

/** The name of the user of a number; null when there is none. */
export type NameOf = (user: number) => string | null

const iso = (millis: number): string => new Date(millis).toISOString()
const orNull = (text: string | undefined): string | null => (text === undefined || text === '' ? null : text)

/** The search record; `isDobRequired` and the parts of a name are a person's alone. */
export function searchRecord(search: Search, nameOf: NameOf, correlationId?: string): BusinessSearch | IndividualSearch {
  const { assignedTo, hits } = search
  return {
    id: search.id,
    name: search.name,
    countryCodes: [...search.countryCodes],
    threshold: search.threshold,
    type: search.type,
    datasets: [...search.datasets],
    status: search.status,
    riskRating: search.riskRating,
    assignedToUserId: assignedTo,
    // A user of another tenant, whom an earlier version let it be assigned to, is not named.
    assignedUser: assignedTo === search.owner ? nameOf(assignedTo) : null,
    createdById: search.owner,
    createdBy: nameOf(search.owner) ?? '',
    createdAt: iso(search.createdAt),
    modifiedById: search.modifiedBy,
    modifiedBy: nameOf(search.modifiedBy) ?? '',
    modifiedAt: iso(search.modifiedAt),
    note: search.note,
    scheduleId: null,
    totalHitCount: Object.values(hits).reduce((sum, count) => sum + count, 0),
    truePositiveHitsCount: hits.trueMatch,
    falsePositiveHitsCount: hits.falsePositive,
    undecidedHitsCount: hits.undecided,
    ...(search.type === 'individual' ? personFields(search) : {}),
    ...(correlationId === undefined ? {} : { correlationId }),
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
